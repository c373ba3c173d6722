"""Events about comments on a section; none of them changes its text or its status."""

from __future__ import annotations

from pydantic import Field

from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import Token
from stemma_contracts.v1.comments import MadeComment

from .base import SectionEvent


@registry.contract("stemma.section.commented.v1", Family.EVENT)
class SectionCommented(SectionEvent):
    """Somebody commented on this version; all comments of an event were sent together. An answer opens its thread."""

    version: int = Field(ge=1)
    comments: tuple[MadeComment, ...]


@registry.contract("stemma.section.thread.resolved.v1", Family.EVENT)
class SectionThreadResolved(SectionEvent):
    """A thread of comments was resolved; its comments stay."""

    thread_id: Token


@registry.contract("stemma.section.thread.reopened.v1", Family.EVENT)
class SectionThreadReopened(SectionEvent):
    """A thread of comments that was resolved is open again."""

    thread_id: Token
