"""The claims of a text (amounts, dates, quantities, names, quotations, citations) and where they stand."""

from .claims.claim import Claim, Kind
from .claims.dates import Day, dates
from .claims.extraction import claims
from .coverage.blocks import InputText, coverage
from .coverage.named_places import Named, named
from .coverage.support import Cited, File, Labels, Unit, supporting_places, units_of
from .coverage.usage import Uses
from .lookup.grounding import EXCHANGED, UNSUPPORTED, Grounded, ground
from .lookup.index import Found
from .sources.source import Place, Source, read
from .sources.tables import in_column, placed, rows_of, separator_of
from .sources.words import STEMMERS, content_words, language_of, stem

__all__ = [
    "EXCHANGED",
    "STEMMERS",
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
    "rows_of",
    "separator_of",
    "stem",
    "supporting_places",
    "units_of",
]
