"""The claims of a text (amounts, dates, quantities, names, quotations, citations) and where they stand."""

from .claim import Claim, Kind
from .extraction import claims

__all__ = ["Claim", "Kind", "claims"]
