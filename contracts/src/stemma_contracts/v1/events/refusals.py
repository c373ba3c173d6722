"""Decisions that changed nothing: one type of event per reason."""

from __future__ import annotations

from pydantic import Field

from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import Token
from stemma_contracts.v1.values import (
    SectionStatus,
)

from .base import Event


class DecisionRefused(Event):
    """A decision that changed nothing; the type of the event is the reason."""

    request: str = Field(max_length=100, description="ce-type of the request")
    section_id: Token | None = None


@registry.contract("stemma.refused.old.version.v1", Family.EVENT)
class RefusedOldVersion(DecisionRefused):
    """The decision was about a version that is not the current one."""

    version: int
    current_version: int


@registry.contract("stemma.refused.status.v1", Family.EVENT)
class RefusedByStatus(DecisionRefused):
    """The section's status does not allow the decision."""

    status: SectionStatus


@registry.contract("stemma.refused.unknown.section.v1", Family.EVENT)
class RefusedUnknownSection(DecisionRefused):
    """The document has no such section."""


@registry.contract("stemma.refused.unknown.need.v1", Family.EVENT)
class RefusedUnknownNeed(DecisionRefused):
    """The section does not wait for this need."""

    need_id: Token


@registry.contract("stemma.refused.document.status.v1", Family.EVENT)
class RefusedByDocumentStatus(DecisionRefused):
    """The document's status does not allow the request."""

    document_status: str


@registry.contract("stemma.refused.revision.limit.v1", Family.EVENT)
class RefusedRevisionLimit(DecisionRefused):
    """The section was revised as often as its blueprint allows."""

    max_revisions: int
