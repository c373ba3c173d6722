"""Documents as a whole: one begins from a blueprint, and is paused, resumed and cancelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.cycles import CyclePlan
from stemma_contracts.v1.inputs import UnreadableInput
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.wording import PlanWording

from stemma_domain.commands import RequestCommand, refused
from stemma_domain.hooks import Feature
from stemma_domain.state import Document, Lifecycle


@dataclass(frozen=True)
class Create(RequestCommand):
    request = requests.CreateDocument
    tenant: str
    document_id: str
    kind: str
    title: ArtifactRef | None
    brief: ArtifactRef
    inputs: tuple[InputFile, ...]
    sections: tuple[SectionPlan, ...]
    blueprint_digest: str
    time: datetime
    cycle: CyclePlan | None = None
    language: str = ""
    to_read: tuple[str, ...] = ()
    unreadable: tuple[UnreadableInput, ...] = ()
    wordings: tuple[PlanWording, ...] = ()
    titled_by_file: bool = False


@dataclass(frozen=True)
class Pause(RequestCommand):
    request = requests.PauseDocument


@dataclass(frozen=True)
class Resume(RequestCommand):
    request = requests.ResumeDocument


@dataclass(frozen=True)
class Cancel(RequestCommand):
    request = requests.CancelDocument


DocumentCommand = Create | Pause | Resume | Cancel
_POSSIBLE: dict[type[DocumentCommand], frozenset[Lifecycle]] = {
    Pause: frozenset({Lifecycle.RUNNING, Lifecycle.FAILED}),
    Resume: frozenset({Lifecycle.PAUSED}),
    Cancel: frozenset(Lifecycle) - {Lifecycle.CANCELLED, Lifecycle.COMPLETED},
}


def begin(command: Create) -> e.DocumentRequested:
    """The event with which a document begins."""
    return e.DocumentRequested(
        **command.asked,
        tenant=command.tenant,
        document_id=command.document_id,
        kind=command.kind,
        title=command.title,
        brief=command.brief,
        inputs=command.inputs,
        sections=command.sections,
        blueprint_digest=command.blueprint_digest,
        created_at=command.time,
        cycle=command.cycle,
        language=command.language,
        to_read=command.to_read,
        unreadable=command.unreadable,
        wordings=command.wordings,
        titled_by_file=command.titled_by_file,
    )


def decide(command: DocumentCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about the document, or the refusal by its status; it begins only once."""
    if isinstance(command, Create):
        return []
    if document.lifecycle not in _POSSIBLE[type(command)]:
        return [e.RefusedByDocumentStatus(**refused(command), document_status=document.lifecycle)]
    match command:
        case Pause():
            return [e.DocumentPaused(**command.asked)]
        case Resume():
            return [e.DocumentResumed(**command.asked)]
        case Cancel():
            return [e.DocumentCancelled(**command.asked)]
        case _:
            assert_never(command)


FEATURE = Feature[DocumentCommand](commands=(Create, Pause, Resume, Cancel), decide=decide)
