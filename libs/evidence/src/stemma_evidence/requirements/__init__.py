"""The demands and deadlines of a request for proposals, whose ids last while the request is amended."""

from .deadlines import FoundDeadline, deadlines
from .extraction import Requirement, requirements
from .ledger import Source, difference, read_ledger
from .units import Unit, units

__all__ = [
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
