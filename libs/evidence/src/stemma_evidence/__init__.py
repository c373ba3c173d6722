"""The claims of a text (amounts, dates, quantities, names, quotations, citations) and where they stand."""

from .agreement import Disagreement, Fact, Unexplained, disagreements, unexplained
from .claims.claim import Claim, Kind
from .claims.dates import Day, dates
from .claims.extraction import claims
from .coverage.blocks import InputText, coverage
from .coverage.named_places import Named, named
from .coverage.resting import Rests, UpstreamText
from .coverage.support import Cited, File, Labels, Unit, supporting_places, units_of
from .coverage.usage import Uses
from .lookup.copied import Copied, Whose, copied, dictated
from .lookup.full_text import MOST_RANKED, FullText, query_words
from .lookup.grounding import EXCHANGED, UNSUPPORTED, Grounded, ground
from .lookup.index import Found
from .lookup.sentences import Doubt, doubts
from .sources.source import Place, Source, read
from .sources.tables import in_column, placed, rows_of, separator_of
from .sources.words import STEMMERS, content_words, language_of, stem
from .sums import Sum, SumFinding, Sums, ceilings_of, may_have_sums, sum_findings, sums_of
