"""A document: its status, and what every job is told of it."""

from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

from .references import ArtifactRef

BidOutcome = Literal["open", "won", "lost", "withdrawn"]
"""What became of a bid, as far as people said."""


class DocumentStatus(StrEnum):
    """The status of a document."""

    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class DocumentHead(Contract):
    """What every job is told of its document."""

    document_id: Token
    tenant: Token
    kind: Token
    title: ArtifactRef | None = Field(default=None, description="the title in UTF-8")
    created_at: AwareDatetime
    language: str = Field(default="", max_length=35, description="BCP 47 primary tag; empty in old logs: en")
