"""The requirement ledger of a document: the demands of what it answers, and what people and programs say of each.

Words stand in artifacts (`LedgerRows`, `LedgerDifference`); events hold ids and decisions.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt, model_validator

from stemma_contracts.base import Contract, invalid_field
from stemma_contracts.tokens import Digest, FileName, Token
from stemma_contracts.v1.bids import BidRules
from stemma_contracts.v1.deadlines import Deadlines

RequirementKind = Literal["instruction", "evaluation", "work", "form"]
"""What is handed in, when and how; how offers are judged, and why they are rejected; what is done under the contract;
a paper to fill in, sign or certify."""

Obligation = Literal["mandatory", "should", "option"]

RequirementStatus = Literal["open", "addressed", "verified", "not_applicable"]
"""Of the answer: there is none yet, there is one, somebody checked it, none is needed. Code says only the
first two, and nothing where a person said anything."""

AnswerStatus = Literal["open", "check", "addressed", "verified", "not_applicable"]
"""As it is shown: what code found and is not sure of is to check, until a person says what it is."""

Suspicion = Literal["demand", "section"]
"""What of a row changed since somebody looked at both: its words, or the text of its section."""

MOST_ROWS = 3000
"""Rows of a ledger: what demands more is no request, and no message could tell of it."""
MOST_QUOTED = 2000
"""Characters of a row: a longer sentence is quoted to there."""
MOST_AMENDED = 500
"""Characters of what an amendment says of a row."""
MOST_CUTS = 50
"""Places where one request cuts a row."""


class LedgerRow(Contract):
    """A demand as its source has it. The id stays while the demand does, also through amendments of the source."""

    requirement_id: Token = Field(description="R1, R2 and so on; none is given twice")
    source: FileName = Field(description="the input that it stands in")
    line: int = Field(ge=1, description="where it begins in the text of the source")
    place: str = Field(default="", max_length=300, description="as the file is cited: `p. 12`, `Prices!A2:F9`")
    headings: tuple[str, ...] = Field(default=(), description="those above it, the nearest last")
    quote: str = Field(min_length=1, max_length=MOST_QUOTED, description="verbatim, its words one space apart")
    announced_by: str = Field(default="", max_length=MOST_QUOTED, description="the sentence before its list")
    kind: RequirementKind
    obligation: Obligation
    found_by: Literal["rules", "model", "person"] = "rules"
    part_of: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9_-]{0,64}$",
        description="the row that a person cut, of which this is a part; its first part has that id itself",
    )
    parts_given: int = Field(default=0, ge=0, description="the highest number that a part of that row was ever given")
    amended: str = Field(
        default="", max_length=MOST_AMENDED, description="what another source deletes, replaces or answers there"
    )


class LedgerRows(Contract):
    """The body of the artifact ``rows``. ``given`` counts the ids that were ever given."""

    given: int = Field(default=0, ge=0)
    rows: tuple[LedgerRow, ...] = ()
    more: int = Field(default=0, ge=0, description="demands beyond those that a ledger can have")
    deadlines: Deadlines | None = Field(default=None, description="absent: a release read it that looked for none")
    bid: BidRules | None = Field(default=None, description="absent: a release read it that looked for none")


class ChangedRow(Contract):
    """A demand that reads otherwise than before, or that another obligation or kind was found for."""

    requirement_id: Token
    before: LedgerRow
    after: LedgerRow


class LedgerWarning(Contract):
    """What a person should look at in a source, since rules may have missed it; it stands until somebody closes it.

    ``language_unknown``: no words of its language are known; ``no_demands`` and ``no_deadlines``: none was found in
    more than a page; ``amends_nothing``: it deletes or replaces what no row stands in.
    """

    code: Token
    source: FileName


class LedgerSummary(Contract):
    """What a reading found, without words; ``new``, ``changed`` and ``withdrawn`` are since the one before."""

    mandatory: tuple[Token, ...] = Field(default=(), description="ids of the rows that must be answered")
    others: tuple[Token, ...] = Field(default=(), description="ids of all other rows")
    new: int = Field(default=0, ge=0)
    changed: tuple[Token, ...] = ()
    withdrawn: tuple[Token, ...] = ()
    unread: tuple[FileName, ...] = Field(default=(), description="sources that are no text")
    warnings: tuple[LedgerWarning, ...] = Field(default=(), max_length=300)
    more: int = Field(default=0, ge=0, description="demands beyond those that a ledger can have")


class SecondOpinion(Contract):
    """What a model said of the sources of a ledger: what it found that the rules had not, and what came to nothing."""

    model: str = Field(default="", max_length=200)
    mandatory: tuple[Token, ...] = Field(default=(), description="ids of the new rows that must be answered")
    others: tuple[Token, ...] = Field(default=(), description="ids of all other new rows")
    known: int = Field(default=0, ge=0, description="demands whose words a row had already")
    unfounded: int = Field(default=0, ge=0, description="demands whose words do not stand in one block of a source")
    unasked: int = Field(default=0, ge=0, description="characters of the sources that the model was not asked about")
    failure: str = Field(default="", max_length=300, description="why the model did not say all; empty: it did")


class RequirementDecision(Contract):
    """What a person decides about one row; what is not given stays as it is."""

    requirement_id: Token
    confirmed: StrictBool | None = Field(default=None, description="it is a demand, as it is quoted")
    dropped: StrictBool | None = Field(default=None, description="it is none; false takes that back")
    merged_into: Token | None = Field(default=None, description="the row that says the same: that one counts")
    section_id: str | None = Field(
        default=None, pattern=r"^[A-Za-z0-9_-]{0,64}$", description="the section that answers it; empty: none"
    )
    owner: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_.@-]{0,64}$", description="empty: nobody")
    status: RequirementStatus | None = None
    looked: Literal[True] | None = Field(
        default=None, description="somebody compared it with the text of its section: it is not suspect any more"
    )

    @model_validator(mode="after")
    def _decides(self) -> RequirementDecision:
        if len(self.model_fields_set - {"requirement_id"}) == 0:
            raise invalid_field("say what is decided about it", "requirement_id")
        if self.merged_into == self.requirement_id:
            raise invalid_field("a row cannot be merged into itself", "merged_into")
        return self


class RowCuts(Contract):
    """Where a row is cut into several: the first part keeps its id, the others get new ones, such as R3-2."""

    requirement_id: Token
    cuts: tuple[Annotated[StrictInt, Field(ge=1, lt=MOST_QUOTED)], ...] = Field(
        min_length=1, max_length=MOST_CUTS, description="where the words of the next part begin in its quote"
    )

    @model_validator(mode="after")
    def _rises(self) -> RowCuts:
        if list(self.cuts) != sorted(set(self.cuts)):
            raise invalid_field("name each cut once, in their order", "cuts")
        return self


class RowParts(Contract):
    """A row that was cut, and the ids of its parts but for the first, which has its own."""

    requirement_id: Token
    parts: tuple[Token, ...]


class RequirementAnswer(Contract):
    """The block of a draft that speaks of what a row demands, as far as words and figures tell."""

    requirement_id: Token
    block_id: str = Field(pattern=r"^[0-9a-z]{10}$")
    sure: bool = Field(default=True, description="false: a person has to look whether it is an answer")


class AnswersFound(Contract):
    """Which rows of a ledger were looked for in a draft, and which of them it answers."""

    rows_digest: Digest = Field(description="of the LedgerRows that were read")
    sought: tuple[Token, ...] = Field(default=(), max_length=MOST_ROWS)
    found: tuple[RequirementAnswer, ...] = Field(default=(), max_length=MOST_ROWS)


class RequirementChange(Contract):
    """A row that a section was not written for as it is now.

    It reads otherwise, it is gone, or it was given to the section, whose text does not answer it.
    """

    requirement_id: Token
    change: Literal["changed", "withdrawn", "assigned"]


class AnsweredRows(Contract):
    """Rows with the same answer: the section that people gave them to, none if it is empty, and how it stands."""

    section_id: str = Field(default="", pattern=r"^[A-Za-z0-9_-]{0,64}$")
    status: RequirementStatus
    unsure: bool = Field(default=False, description="with `open`: something was found that may be an answer")
    requirement_ids: tuple[Token, ...]


class LedgerDifference(Contract):
    """What one reading of the sources has that the one before had not, and the other way round."""

    new: tuple[LedgerRow, ...] = ()
    changed: tuple[ChangedRow, ...] = ()
    withdrawn: tuple[LedgerRow, ...] = ()
    deadlines: tuple[Token, ...] = Field(default=(), description="ids of those that name another time than before")
