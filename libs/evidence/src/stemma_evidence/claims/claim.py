"""What a text states in a form that can be looked up."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Kind = Literal["amount", "date", "quantity", "name", "quotation", "citation"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a text: ``text`` is ``source[start:end]``, ``line`` counts from 1.

    ``values`` are its readings in one form for all languages; two claims say the same if they share one. Amounts and
    quantities: the number and its unit, as in ``4250 EUR``, ``640 square-meter``, ``12 percent`` or ``412``. Dates:
    ISO 8601, as exact as the text (``2027-06-01``, ``2027-06``, ``2027-Q2``, ``2027``, ``--06-01``, ``T14:30``).
    Names, quotations and citations: folded text. ``numbers`` and ``units`` are the same readings taken apart, the
    likelier first; a unit is an ISO 4217 code, a CLDR unit without its group, or empty. ``hedged`` says that the text
    calls the number rounded.
    """

    kind: Kind
    text: str
    start: int
    end: int
    line: int
    values: tuple[str, ...]
    numbers: tuple[Decimal, ...] = ()
    units: tuple[str, ...] = ()
    hedged: bool = False


def measure_value(number: Decimal, unit: str) -> str:
    """The form that every spelling of a number with its unit has in ``values``."""
    digits = format(number.normalize(), "f")
    return f"{digits} {unit}" if unit else digits
