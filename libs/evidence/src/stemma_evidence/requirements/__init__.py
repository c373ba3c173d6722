"""The demands and deadlines of a request for proposals, whose ids last, and what of a draft answers them."""

from .answers import Answers
from .deadlines import FoundDeadline, deadlines
from .extraction import Requirement, requirements
from .ledger import Source, difference, read_ledger
from .units import Unit, units

__all__ = [
    "Answers",
    "FoundDeadline",
    "Requirement",
    "Source",
    "Unit",
    "deadlines",
    "difference",
    "read_ledger",
    "requirements",
    "units",
]
