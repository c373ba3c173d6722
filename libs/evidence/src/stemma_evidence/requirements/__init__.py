"""The demands and deadlines of a request for proposals, whose ids last, and what of a draft answers them."""

from .answers import Answer, Answers
from .chapters import demanded_chapters, find_outline
from .deadlines import FoundDeadline, deadlines
from .extraction import Requirement, requirements
from .ledger import difference, read_ledger, warnings_of
from .rules import read_rules
from .units import Source, Unit, units
