"""What the core is asked to decide, and how it says no. The commands themselves are in their features.

Free text was stored before: commands hold references.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypedDict

from stemma_contracts import Contract, registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.outcomes import Outcome

from .state import Document, Lifecycle, Section, status_of


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
class RequestCommand(Command):
    """What a person or a program asks for; ``request`` is the contract that asks for it."""

    request: ClassVar[type[Contract]]
    asked: RequestMeta


@dataclass(frozen=True)
class SectionCommand(RequestCommand):
    """What is asked about one section."""

    section_id: str


@dataclass(frozen=True)
class VersionCommand(SectionCommand):
    """What is asked about one version of a section: the one that a person saw."""

    version: int


@dataclass(frozen=True)
class Record(Command):
    """Take in what a worker says of a job."""

    outcome: Outcome


def refused(command: RequestCommand, section_id: str | None = None) -> Refusal:
    """The fields of the event that refuses a command."""
    return Refusal(**command.asked, request=registry.entry_of(command.request).ce_type, section_id=section_id)


def by_status(command: SectionCommand, section: Section) -> e.RefusedByStatus:
    """The refusal of what the section is not ready for."""
    return e.RefusedByStatus(**refused(command, command.section_id), status=status_of(section.phase))


def old_version(command: VersionCommand, current: int) -> e.RefusedOldVersion | None:
    """The refusal of what is about another version than the current one."""
    if command.version == current:
        return None
    refusal = refused(command, command.section_id)
    return e.RefusedOldVersion(**refusal, version=command.version, current_version=current)


def not_decidable(command: SectionCommand, document: Document) -> e.AnyRefusal | None:
    """Why nothing can be decided about a section, whatever is asked."""
    if command.section_id not in document.sections:
        return e.RefusedUnknownSection(**refused(command))
    if document.lifecycle is Lifecycle.CANCELLED:
        status = document.lifecycle
        return e.RefusedByDocumentStatus(**refused(command, command.section_id), document_status=status)
    return None
