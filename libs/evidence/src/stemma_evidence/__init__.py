"""The claims of a text (amounts, dates, quantities, names, quotations, citations) and where they stand."""

from .claim import Claim, Kind
from .content_words import content_words
from .coverage import InputText, coverage
from .dates import Day, dates
from .extraction import claims
from .grounding import EXCHANGED, UNSUPPORTED, Grounded, ground
from .index import Found
from .joined_cells import placed
from .labels import Labels
from .named_labels import Named, named
from .resting import Cited, File, Unit, resting, units_of
from .source import Place, Source, read
from .tabular import in_column, rows_of, separator_of
from .usage import Uses
from .words import language_of

__all__ = [
    "EXCHANGED",
    "UNSUPPORTED",
    "Cited",
    "Claim",
    "Day",
    "File",
    "Found",
    "Grounded",
    "InputText",
    "Kind",
    "Labels",
    "Named",
    "Place",
    "Source",
    "Unit",
    "Uses",
    "claims",
    "content_words",
    "coverage",
    "dates",
    "ground",
    "in_column",
    "language_of",
    "named",
    "placed",
    "read",
    "resting",
    "rows_of",
    "separator_of",
    "units_of",
]
