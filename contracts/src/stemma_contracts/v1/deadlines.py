"""The deadlines of a request as its sources state them. What the words do not say is not in them."""

from typing import Annotated, Literal

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import FileName, Token

DeadlineKind = Literal[
    "submission",
    "questions",
    "answers",
    "meeting",
    "presentation",
    "opening",
    "validity",
    "award",
    "start",
    "end",
    "delivery",
    "other",
]
"""What is due: offers, questions about the request, answers to them, a visit or conference of bidders, a presentation,
the opening of offers, how long offers bind, the award, the start and the end of the contract, something to deliver.
What the words do not tell is ``other``."""

DeadlineDoubt = Literal["order", "year", "weekday", "day"]
"""Why a date is not sure: day and month may be the other way round, its year is not said, it is another day of the week
than it says, there is no such day."""

MOST_DEADLINES = 500
MOST_WRITTEN = 300
MOST_DEADLINE_WORDS = 2000

Day = Annotated[str, Field(pattern=r"^(?:[0-9]{4}|-)-[0-9]{2}(?:-[0-9]{2})?$")]
"""ISO 8601, as exact as it is written: ``2027-03-12``, ``2027-03``, and ``--03-12`` without a year."""


class DueTime(Contract):
    """When something is due. A time that is counted from an event, such as the award, has no days."""

    written: str = Field(min_length=1, max_length=MOST_WRITTEN, description="verbatim, its words one space apart")
    days: tuple[Day, ...] = Field(default=(), description="each day that it may be: several if the words do not tell")
    until: str = Field(
        default="", pattern=r"^(?:(?:[0-9]{4}|-)-[0-9]{2}(?:-[0-9]{2})?)?$", description="the last day of several"
    )
    time: str = Field(default="", pattern=r"^(?:[0-9]{2}:[0-9]{2})?$", description="of the day, in hours and minutes")
    zone: str = Field(default="", max_length=100, description="the time zone as it is written; empty: it is not")
    doubts: tuple[DeadlineDoubt, ...] = ()


class DeadlineChange(Contract):
    """What a deadline was before, and what changed it."""

    before: DueTime
    source: FileName = Field(description="the input that says otherwise now")
    version: int = Field(default=0, ge=0, description="of that input; 0: it is not known")
    file: str = Field(default="", max_length=500, description="the file of that version; empty: it is not known")


class Deadline(Contract):
    """A deadline at one place of a source. The id stays while the place says so, also where it names another date."""

    deadline_id: Token = Field(description="D1, D2 and so on; none is given twice")
    kind: DeadlineKind = "other"
    due: DueTime
    source: FileName = Field(description="the input that it stands in")
    line: int = Field(ge=1, description="where the words begin in the text of the source")
    place: str = Field(default="", max_length=300, description="as the file is cited: `p. 12`, `Prices!A2:F9`")
    quote: str = Field(min_length=1, max_length=MOST_DEADLINE_WORDS, description="verbatim, its words one space apart")
    requirement_id: str = Field(
        default="", pattern=r"^[A-Za-z0-9_-]{0,64}$", description="the row of the ledger with these words; empty: none"
    )
    changes: tuple[DeadlineChange, ...] = Field(default=(), description="the latest last")
    replaced_by: str = Field(
        default="", pattern=r"^[A-Za-z0-9_-]{0,64}$", description="the deadline of an amendment that counts instead"
    )


class Deadlines(Contract):
    """All deadlines of the sources in their order. ``given`` counts the ids that were ever given."""

    given: int = Field(default=0, ge=0)
    found: tuple[Deadline, ...] = Field(default=(), max_length=MOST_DEADLINES)
    more: int = Field(default=0, ge=0, description="deadlines beyond those that are kept")
