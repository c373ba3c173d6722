"""Values about how a draft was made, what it was made from, and the cycles of review that it went through."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest, Token


class RetrievedSource(Contract):
    """A source that a section was written from: an input by its name, an upstream section by id and version."""

    kind: Literal["input", "upstream"]
    name: str = Field(max_length=255)
    version: int | None = Field(default=None, ge=0, description="of an upstream section")


class NodeRun(Contract):
    """How long one node of a graph took; ``role_id`` tells the branches of one node apart."""

    node: str = Field(max_length=64)
    role_id: str = Field(default="", max_length=64)
    seconds: float = Field(ge=0)


class ProcessingMetadata(Contract):
    """When, how long, by whom and with what a draft was made; ``nodes`` are in the order in which they ended."""

    graph_execution_id: str = Field(default="", max_length=36, description="UUID of this run of the graph")
    started_at: AwareDatetime
    finished_at: AwareDatetime
    seconds: float = Field(ge=0)
    agent: str = Field(default="", max_length=64)
    model: str = Field(default="", max_length=200)
    prompt_digest: Digest | None = None
    agent_version: str = Field(default="", max_length=100)
    nodes: tuple[NodeRun, ...] = ()
    timed_out: bool = Field(default=False, description="the time of the whole graph was over")


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
