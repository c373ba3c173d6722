"""What exports are made of: their sections, the versions that they compare, and what a person should know."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StrictInt

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

from .coverage import CoverageSummary
from .proofs import Settlement
from .references import ArtifactRef
from .section import SectionStatus


class ExportFormat(StrEnum):
    """The forms in which a document leaves."""

    DOCX = "docx"
    PDF = "pdf"
    HTML = "html"
    JSON = "json"
    MD = "md"


class VersionPair(Contract):
    """Two versions of one section that an export compares; 0 stands for the time before anything was written."""

    section_id: Token
    from_version: StrictInt = Field(ge=0)
    to_version: StrictInt = Field(ge=0)


class ExportVersion(Contract):
    """A version that a comparison passes on its way: who made it and when.

    ``author`` is empty if the log names nobody; ``draft`` is absent where only the names are told.
    """

    version: int = Field(ge=1)
    author: str = Field(default="", max_length=100)
    made_at: AwareDatetime | None = None
    draft: ArtifactRef | None = None


class Cover(Contract):
    """Whom an offer is for, and its number, as the template of a house shows them."""

    client: str = Field(default="", max_length=200)
    number: str = Field(default="", max_length=100)


class ExportSection(Contract):
    """One section of an export; ``draft`` is absent while nothing has been written.

    ``previous`` is the draft that a comparison leads from, absent if nothing was written then; ``history`` are the
    versions after it up to the one of ``draft``, in their order.
    """

    section_id: Token
    title: str
    status: SectionStatus
    stale: bool = False
    version: int = Field(default=0, ge=0, description="0: nothing written yet")
    draft: ArtifactRef | None = None
    previous: ArtifactRef | None = None
    covers_inputs: bool = False
    coverage: CoverageSummary | None = Field(default=None, description="absent while it was not checked")
    max_pages: int | None = Field(default=None, ge=1, description="pages that it may take")
    history: tuple[ExportVersion, ...] = ()
    grounding: ArtifactRef | None = Field(default=None, description="GroundingReport as JSON, of what is cited")
    blocks: ArtifactRef | None = Field(
        default=None, description="BlockIndex of the draft as JSON, if an appendix or a proof is to name blocks of it"
    )
    settled: tuple[Settlement, ...] = Field(default=(), description="by whom this version is settled")


class ExportWarning(Contract):
    """Something in an export that a person should know, by section; ``count`` times."""

    code: Literal[
        "not_written", "not_approved", "stale", "missing_image", "dropped_image", "dropped_link", "dropped_html"
    ]
    section_id: Token | None = None
    count: int = Field(default=1, ge=1)


class OverlongSection(Contract):
    """A section that takes more pages of an export than its outline allows it."""

    section_id: Token
    pages: int = Field(ge=1, description="pages that it stands on, counted in the PDF")
    max_pages: int = Field(ge=1)


class StatedFact(Contract):
    """A value, name or meaning as a section has it."""

    section_id: Token
    line: int = Field(ge=1, description="of the section's text")
    text: str = Field(min_length=1, max_length=150)
    source: str = Field(default="", max_length=150, description="an input that says the same, as it is cited")


class Contradiction(Contract):
    """Two sections that state one fact differently. ``kind`` is open; known are ``value`` (a date, an amount, a
    duration, a count), ``role`` (who has it) and ``term`` (what a term or an abbreviation means)."""

    kind: Token
    about: str = Field(default="", max_length=150, description="words by which both were found to be of one thing")
    one: StatedFact
    other: StatedFact


MOST_CONTRADICTIONS = 30
Contradictions = Annotated[
    tuple[Contradiction, ...],
    Field(max_length=MOST_CONTRADICTIONS, description="facts that two sections state differently"),
]


OPEN = "open_heading"
UNEXPLAINED = "unexplained"


class ExportRemark(Contract):
    """Something in an exported file that a person should know, told by the program that set its pages.

    ``code`` is open: a reader shows those that it does not know as they are. Known ones: ``missing_font`` (``detail``
    names the script and the characters that no font had), ``no_page_numbers`` (the contents stand without them),
    ``no_title`` (the cover says so), ``not_compared`` (``count`` sections were too long to hold what they state against
    the others), `OPEN` (nothing stands under ``count`` headings of a section) and `UNEXPLAINED` (``detail`` is an
    abbreviation that stands in the document ``count`` times, first in this section, and that nothing explains).
    """

    code: Token
    section_id: Token | None = None
    detail: str = Field(default="", max_length=300)
    count: int = Field(default=1, ge=1)
