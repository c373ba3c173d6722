"""What is decided, and how it is refused: a request as it was asked, the outcome of a job, a timer that elapsed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Generic, TypedDict, TypeVar

from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.merges import Merge
from stemma_contracts.v1.outcomes import Outcome
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.requests import EditSection, Request, SectionDecision, SectionRequest
from stemma_contracts.v1.staleness import TextDifference

from .state import Allowance, Document, Lifecycle, Section, status_of

R_co = TypeVar("R_co", bound=Request, covariant=True)


class RequestMeta(TypedDict):
    """Whose request it is, as an event tells it; the digest is that of the request's body.

    The actor is verified if the server vouches for it, else it is what the caller claims.
    """

    request_id: str
    request_digest: str
    actor: str
    actor_verified: bool


@dataclass(frozen=True)
class Merged:
    """What a machine wrote, merged with what people have; ``ours`` is that text, where it may be another by now."""

    draft: ArtifactRef
    merge: Merge
    ours: ArtifactRef | None = None


class Command:
    """What the core is asked to decide, with what the edge made of texts that it puts together.

    ``merged`` is the draft of an outcome, ``waiting`` are edits that wait, as changes of texts that a request gives.
    ``seen`` are the digests of all edits that the edge knew to wait, None where it looked for none.
    """

    merged: Merged | None = None
    waiting: tuple[Merged, ...] = ()
    seen: frozenset[str] | None = None


@dataclass(frozen=True)
class Asked(Command, Generic[R_co]):
    """A request as the edge hands it on: checked, with the time at which it came.

    ``stored`` are its free texts, by the names of their fields: no event holds their words.
    """

    request: R_co
    asked: RequestMeta
    time: datetime
    stored: Mapping[str, ArtifactRef] = field(default_factory=dict)
    waiting: tuple[Merged, ...] = ()
    seen: frozenset[str] | None = None


@dataclass(frozen=True)
class Record(Command):
    """The outcome of a job; ``merged`` is there where its draft takes the place of a text that a person made."""

    outcome: Outcome
    merged: Merged | None = None


Differences = Mapping[tuple[str, str], TextDifference]
"""What texts change, by the digests of the text before and of the one that comes."""
NOT_COMPARED: Differences = MappingProxyType({})


@dataclass(frozen=True)
class Compared(Command):
    """A command with what the texts that it brings change, and what its tenant may still spend, if that has a bound."""

    command: Command
    differences: Differences
    allowance: Allowance | None = None


@dataclass(frozen=True)
class Timer:
    """A time at which to remind somebody of a section; the event with the ``number`` set it."""

    section_id: str
    name: str
    number: int
    at: datetime

    @property
    def id(self) -> str:
        """The same for the same time, whoever sets it."""
        return f"{self.section_id}.{self.name}.{self.number}.{self.at.timestamp():.0f}"


@dataclass(frozen=True)
class Elapsed(Command):
    """A timer elapsed, ``at`` the time that it has here."""

    timer: Timer


def refused(command: Asked[Any], problem: Problem, section_id: str | None = None) -> e.DecisionRefused:
    request = registry.entry_of(command.request).ce_type
    return e.DecisionRefused(**command.asked, request=request, section_id=section_id, problem=problem)


def refused_section(command: Asked[SectionRequest], problem: Problem) -> e.DecisionRefused:
    return refused(command, problem, command.request.section_id)


def of_document(document: Document) -> Problem:
    return Problem.of(f"document_{document.lifecycle}", "document_id")


def of_status(section: Section) -> Problem:
    return Problem.of(f"section_{status_of(section.phase)}", "section_id")


def of_version(version: int, current: int) -> Problem:
    """The problem of what is about another version than the current one."""
    if current == 0:
        return Problem.of("nothing_written", "version")
    return Problem.of("version_old", "version", version=version, current_version=current)


def of_input_version(input_id: str, version: int, current: int) -> Problem:
    """The problem of what is about another version of an input than the one that counts, or than none."""
    if current == 0:
        return Problem.of("input_version_unknown", "version", input_id=input_id)
    return of_version(version, current)


def old_version(command: Asked[SectionDecision | EditSection], current: int) -> e.DecisionRefused | None:
    """The refusal of what is about another version than the current one."""
    version = command.request.version
    return None if version == current else refused_section(command, of_version(version, current))


def not_decidable(command: Asked[SectionRequest], document: Document) -> e.DecisionRefused | None:
    """Why nothing can be decided about a section, whatever is asked."""
    if command.request.section_id not in document.sections:
        name = command.request.section_id
        return refused_section(command, Problem.of("section_unknown", "section_id", section_id=name))
    if document.lifecycle is Lifecycle.CANCELLED:
        return refused_section(command, of_document(document))
    return None
