"""The demands of a request for proposals, as rows whose ids last while the request is amended."""

from .extraction import Requirement, requirements
from .ledger import Source, difference, read_ledger
from .units import Unit, units

__all__ = ["Requirement", "Source", "Unit", "difference", "read_ledger", "requirements", "units"]
