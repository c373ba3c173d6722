"""The cycles of review that a document goes through."""

from enum import StrEnum

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest, Token


class ReviewVerdict(Contract):
    """What a review of other sections found, by severity; code decides from that whether they need a revision."""

    needs_revision: bool
    findings: dict[str, int] = Field(default={}, description="findings by severity")


class CyclePlan(Contract):
    """Which section of a document reviews the others, and which is made of them once that is over."""

    review_section: Token
    final_section: Token
    max_revisions: int = Field(default=3, ge=0, le=100, description="reviews that may ask for a revision")


class CycleStatus(StrEnum):
    """How far a document with revision cycles is."""

    DRAFT = "DRAFT"
    REVIEW = "REVIEW"
    FINAL = "FINAL"


class CycleSummary(Contract):
    """The revision cycles of a document. ``approved`` is absent while no person has decided."""

    document_status: CycleStatus = CycleStatus.DRAFT
    revision_count: int = Field(default=0, ge=0)
    max_revisions: int = Field(default=3, ge=0)
    needs_revision: bool = False
    forced_continuation: bool = Field(default=False, description="it went on although the review asked for a revision")
    unmet_review: Digest | None = Field(default=None, description="the review that it went on in spite of")
    approved: bool | None = None
    human_revision_requested: bool = False
