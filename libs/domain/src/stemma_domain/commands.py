"""What is decided, and how it is refused: a request as it was asked, the outcome of a job, a timer that elapsed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypedDict, TypeVar

from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.requests import EditSection, Request, SectionDecision, SectionRequest

from .state import Document, Lifecycle, Section, status_of

R_co = TypeVar("R_co", bound=Request, covariant=True)


class RequestMeta(TypedDict):
    """Whose request it is, as an event tells it; the digest is that of the request's body.

    The actor is verified if the server vouches for it, else it is what the caller claims.
    """

    request_id: str
    request_digest: str
    actor: str
    actor_verified: bool


class Refusal(RequestMeta):
    """What every refusal tells: whose request, which, and about which section."""

    request: str
    section_id: str | None


class Command:
    """What the core is asked to decide."""


@dataclass(frozen=True)
class Asked(Command, Generic[R_co]):
    """A request as the edge hands it on: checked, with the time at which it came.

    ``stored`` are its free texts, by the names of their fields: no event holds their words.
    """

    request: R_co
    asked: RequestMeta
    time: datetime
    stored: Mapping[str, ArtifactRef] = field(default_factory=dict)


@dataclass(frozen=True)
class Record(Command):
    """Take in what a worker says of a job."""

    outcome: Outcome


def refused(command: Asked[Any], section_id: str | None = None) -> Refusal:
    """The fields of the event that refuses a request."""
    return Refusal(**command.asked, request=registry.entry_of(command.request).ce_type, section_id=section_id)


def refused_section(command: Asked[SectionRequest]) -> Refusal:
    """The fields of the event that refuses a request about a section."""
    return refused(command, command.request.section_id)


def by_status(command: Asked[SectionRequest], section: Section) -> e.RefusedByStatus:
    """The refusal of what the section is not ready for."""
    return e.RefusedByStatus(**refused_section(command), status=status_of(section.phase))


def old_version(command: Asked[SectionDecision | EditSection], current: int) -> e.RefusedOldVersion | None:
    """The refusal of what is about another version than the current one."""
    version = command.request.version
    if version == current:
        return None
    return e.RefusedOldVersion(**refused_section(command), version=version, current_version=current)


def not_decidable(command: Asked[SectionRequest], document: Document) -> e.AnyRefusal | None:
    """Why nothing can be decided about a section, whatever is asked."""
    if command.request.section_id not in document.sections:
        return e.RefusedUnknownSection(**refused_section(command))
    if document.lifecycle is Lifecycle.CANCELLED:
        return e.RefusedByDocumentStatus(**refused_section(command), document_status=document.lifecycle)
    return None
