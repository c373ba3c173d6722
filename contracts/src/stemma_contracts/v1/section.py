"""A section: its plan, its status, what is being done to it."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token
from stemma_contracts.v1.forms import AnsweredForm
from stemma_contracts.v1.review import ReviewEdits, ReviewPolicy

LAST_YEAR = 2199


def check_due(value: AwareDatetime) -> AwareDatetime:
    """Return ``value`` if every time zone has a date for it."""
    if value.year > LAST_YEAR:
        raise ValueError(f"must not be later than {LAST_YEAR}")
    return value


Due = Annotated[AwareDatetime, AfterValidator(check_due)]
"""A time with its zone, as in RFC 3339: 2026-12-01T17:00:00+01:00."""


MOST_VIEWED = 500
"""Sections of one document."""


class ViewedSections(Contract):
    """The version of each section that was viewed, under the key of its owner in the bucket ``viewed``."""

    versions: dict[Token, int] = Field(default={}, max_length=MOST_VIEWED)


class SectionStatus(StrEnum):
    """The status of a section; whether it is stale is told apart from it."""

    QUEUED = "queued"
    GENERATING = "generating"
    AWAITING_REVIEW = "awaiting_review"
    APPROVED = "approved"
    EDITED = "edited"
    FAILED = "failed"


UNDER_WAY = frozenset({SectionStatus.QUEUED, SectionStatus.GENERATING})
"""The statuses in which the text of a section is still to come."""

SETTLED = frozenset({SectionStatus.APPROVED, SectionStatus.EDITED})
"""The statuses in which a person or the policy has settled the text of a section."""

Wait = Literal["question", "edit", "review", "stale"]
"""What waits for a person: an answer, or a decision about a proposed edit, a draft or a stale text; in this order."""


def waits_for(
    status: SectionStatus, *, asks: bool, proposes: bool, stale: bool, form_withdrawn: bool
) -> tuple[Wait, ...]:
    """What of a section waits for a person; nothing if its form was withdrawn."""
    waits: dict[Wait, bool] = {
        "question": asks,
        "edit": proposes,
        "review": status is SectionStatus.AWAITING_REVIEW,
        "stale": stale and status not in UNDER_WAY,
    }
    return () if form_withdrawn else tuple(wait for wait, is_so in waits.items() if is_so)


class Activity(StrEnum):
    """What is being done to a section; the first three while its status is ``generating``."""

    GENERATE = "generate"
    EDIT = "edit"
    VALIDATE = "validate"
    EVALUATE = "evaluate"


Collected = Literal["amounts", "dates", "figures", "risks", "people"]


class SectionPlan(Contract):
    """One section as its blueprint and dependency map had it when the document was requested."""

    section_id: Token
    title: str = Field(max_length=200)
    kind: Token = Field(description="section kind: names the prompt, the criteria and the editor")
    graph: Token = Field(description="the graph of generation-graph that writes it")
    purpose: str = Field(default="", max_length=500, description="what the section is for, in a sentence")
    depends_on: tuple[Token, ...] = Field(default=(), description="direct upstream sections")
    required_headings: tuple[str, ...] = Field(default=(), description="headings that a draft must have")
    review: ReviewPolicy = ReviewPolicy()
    max_lint_rounds: int = Field(default=3, ge=0, le=10)
    max_unsupported: int | None = Field(
        default=None,
        ge=0,
        description="claims and sentences; with more after the last round the inputs are quoted",
    )
    max_revisions: int = Field(default=10, ge=0, le=100)
    agent: str = Field(default="", max_length=64, description="what the author of the section is called")
    requires: tuple[Token, ...] = Field(default=(), description="upstream sections without which it is not begun")
    review_edits: ReviewEdits = Field(default="none", description="whether edits by instruction are proposed first")
    covers_inputs: bool = Field(default=False, description="its text holds all that the inputs say")
    instructions: str = Field(default="", max_length=4_000, description="what a request says of it beyond the purpose")
    max_words: int | None = Field(default=None, ge=1, description="words of its text, characters in Chinese, Japanese")
    max_pages: int | None = Field(default=None, ge=1, description="pages that it may take in an export")
    collects: tuple[Collected, ...] = Field(
        default=(), description="what the section gathers from the inputs, also where it bears on none of its sentences"
    )
    form: AnsweredForm | None = Field(default=None, description="the form whose fields the text answers")
