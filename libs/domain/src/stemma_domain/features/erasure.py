"""Erasure: the document ends, each service takes away what it keeps of it, and one event certifies that it is gone.

The edge erases what lies on the bus once the services have told that theirs is gone. A document that is being erased
is cancelled for whoever reads it; of one that is erased nothing is left but that event.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from stemma_contracts import subjects
from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.erasure import ErasedStore

from stemma_domain.commands import Asked, Command, of_document, refused
from stemma_domain.hooks import Feature, Task, Work
from stemma_domain.jobs import ERASE, head_of, job_id, unfitting
from stemma_domain.sections import cancelled
from stemma_domain.state import Document, Lifecycle, Person, settled


@dataclass(frozen=True)
class Erasure:
    """By which request a document is being erased. The services are at work on it while a job is open."""

    request_id: str
    request_digest: str
    person: Person
    at: datetime
    job_id: str | None
    threads: int = 0
    failed: bool = False
    library: bool = False

    @property
    def is_ready(self) -> bool:
        """Whether the services have taken away what they keep, so that the rest can go."""
        return self.job_id is None and not self.failed


@dataclass(frozen=True)
class Erase(Command):
    """All is gone but the log, and this was it; ``remain`` are copies that nobody could reach."""

    erased: tuple[ErasedStore, ...]
    remain: tuple[str, ...]


def decide(command: Asked[r.EraseDocument], document: Document) -> Sequence[e.AnyEvent]:
    erasure, request = document.erasure, command.request
    if erasure is not None and not erasure.failed:
        return [being_erased(command)]
    if document.lifecycle is Lifecycle.RUNNING:
        return [refused(command, of_document(document))]
    if request.sequence != document.sequence:
        seen = {"sequence": request.sequence or 0, "current_sequence": document.sequence}
        return [refused(command, Problem.of("document_went_on", "sequence", **seen))]
    return [e.DocumentErasureRequested(**command.asked, library=request.library)]


def being_erased(command: Asked[r.DocumentRequest]) -> e.DecisionRefused:
    """The refusal of whatever is asked of a document that is being erased."""
    return refused(command, Problem.of("document_erasing", "document_id"))


def certified(command: Erase, document: Document) -> Sequence[e.AnyEvent]:
    """The event that stays of a document; none while a service is still at work, or had to give up."""
    erasure = document.erasure
    if erasure is None or not erasure.is_ready:
        return []
    own = (ErasedStore(store="threads", count=erasure.threads), ErasedStore(store="events", count=document.number))
    return [
        filled_from(
            e.DocumentErased,
            document,
            erasure,
            actor=erasure.person.name,
            actor_verified=erasure.person.verified,
            requested_at=erasure.at,
            erased=tuple(one for one in (*own, *command.erased) if one.count),
            remain=command.remain,
        )
    ]


def evolve(document: Document, event: e.DocumentErasureRequested | e.DocumentThreadsErased) -> Document:
    match event:
        case e.DocumentErasureRequested():
            sections = {name: cancelled(section) for name, section in document.sections.items()}
            return replace(document, lifecycle=Lifecycle.CANCELLED, sections=sections, erasure=_begun(document, event))
        case e.DocumentThreadsErased():
            assert document.erasure is not None
            told = replace(document.erasure, job_id=None, threads=event.threads, failed=bool(event.failed))
            return settled(replace(document, erasure=told), event.job_id)
        case _:
            assert_never(event)


def _begun(document: Document, event: e.DocumentErasureRequested) -> Erasure:
    person = Person(event.actor or "", event.actor_verified)
    job = job_id(document, ERASE, "document")
    return Erasure(
        event.request_id or "",
        event.request_digest or "",
        person,
        document.time or document.created_at,
        job,
        library=event.library,
    )


def work(document: Document) -> Iterator[Work]:
    if document.erasure is not None and (name := document.erasure.job_id) is not None:
        yield name, ERASING, (document,)


def _job(document: Document) -> j.EraseThreads:
    assert document.erasure is not None
    assert document.erasure.job_id is not None
    return j.EraseThreads(job_id=document.erasure.job_id, document=head_of(document))


def _settled(_document: Document, outcome: o.Outcome) -> e.AnyEvent:
    match outcome:
        case o.ThreadsErased():
            return e.DocumentThreadsErased(job_id=outcome.job_id, threads=outcome.threads)
        case o.JobDead():
            return e.DocumentThreadsErased(job_id=outcome.job_id, failed=outcome.detail or "no reason given")
        case _:
            raise unfitting(outcome)


ERASING = Task(_job, _settled, of_section=False)

FEATURE = Feature[Asked[r.EraseDocument]](
    requests=(r.EraseDocument,),
    decide=decide,
    events=(e.DocumentErasureRequested, e.DocumentThreadsErased),
    evolve=evolve,
    work=work,
    job_owners={ERASE: subjects.GENERATION},
)
