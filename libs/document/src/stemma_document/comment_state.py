"""Comments on the text of a section, in threads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stemma_contracts.v1.references import ArtifactRef

from .persons import NOBODY, Person


@dataclass(frozen=True)
class Comment:
    """A comment: who made it, when, and on which version; its words are a `Remark` in ``remark``."""

    comment_id: str
    remark: ArtifactRef
    version: int
    author: Person = NOBODY
    made_at: datetime | None = None


@dataclass(frozen=True)
class Thread:
    """Comments that answer each other; the first one says which passage of its version they are about.

    ``block_id`` is the block that this passage begins in, as far as it was known.
    """

    thread_id: str
    block_id: str | None
    comments: tuple[Comment, ...]
    resolved: bool = False
    resolved_by: Person = NOBODY
    resolved_at: datetime | None = None
