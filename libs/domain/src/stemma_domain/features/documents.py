"""Documents as a whole: one begins from a blueprint, and is paused, resumed and cancelled."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never, get_args

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r

from stemma_domain.commands import Asked, of_document, refused
from stemma_domain.hooks import Feature
from stemma_domain.sections import cancelled
from stemma_domain.state import Document, Lifecycle

DocumentRequest = r.CreateDocument | r.PauseDocument | r.ResumeDocument | r.CancelDocument


@dataclass(frozen=True, kw_only=True)
class Create(Asked[r.CreateDocument]):
    """A document is asked for, and planned by its blueprint: ``requested`` is the event with which it begins."""

    requested: e.DocumentRequested


LifecycleEvent = e.DocumentPaused | e.DocumentResumed | e.DocumentCompleted | e.DocumentFailed | e.DocumentCancelled


def evolve(document: Document, event: LifecycleEvent) -> Document:
    """The document in another status; a cancelled one has nothing open."""
    match event:
        case e.DocumentPaused():
            return replace(document, lifecycle=Lifecycle.PAUSED)
        case e.DocumentResumed():
            return replace(document, lifecycle=Lifecycle.RUNNING)
        case e.DocumentCompleted():
            return replace(document, lifecycle=Lifecycle.COMPLETED)
        case e.DocumentFailed():
            return replace(document, lifecycle=Lifecycle.FAILED)
        case e.DocumentCancelled():
            sections = {name: cancelled(section) for name, section in document.sections.items()}
            return replace(document, lifecycle=Lifecycle.CANCELLED, sections=sections)
        case _:
            assert_never(event)


_POSSIBLE: dict[type[DocumentRequest], frozenset[Lifecycle]] = {
    r.PauseDocument: frozenset({Lifecycle.RUNNING, Lifecycle.FAILED}),
    r.ResumeDocument: frozenset({Lifecycle.PAUSED}),
    r.CancelDocument: frozenset(Lifecycle) - {Lifecycle.CANCELLED, Lifecycle.COMPLETED},
}


def decide(command: Asked[DocumentRequest], document: Document) -> Sequence[e.AnyEvent]:
    """The event of a request about the document, or the refusal by its status; it begins only once."""
    request = command.request
    if isinstance(request, r.CreateDocument):
        return []
    if document.lifecycle not in _POSSIBLE[type(request)]:
        return [refused(command, of_document(document))]
    match request:
        case r.PauseDocument():
            return [e.DocumentPaused(**command.asked)]
        case r.ResumeDocument():
            return [e.DocumentResumed(**command.asked)]
        case r.CancelDocument():
            return [e.DocumentCancelled(**command.asked)]
        case _:
            assert_never(request)


FEATURE = Feature[Asked[DocumentRequest]](
    requests=get_args(DocumentRequest), decide=decide, events=get_args(LifecycleEvent), evolve=evolve
)
