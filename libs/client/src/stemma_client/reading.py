"""From the log of a document to the view of it: what the client reads is folded as the orchestrator folds it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, assert_never

from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import VersionPair
from stemma_contracts.v1.needs import NeedAnswer
from stemma_contracts.v1.outline import MOST_SECTIONS
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.views import DocumentView
from stemma_domain.costs import Costs
from stemma_domain.evolve import evolve, passed_over
from stemma_domain.state import Document, Erased, NoDocument, State
from stemma_domain.view import view_of

from .connection import Connection
from .errors import DocumentNotFoundError
from .recorded import Genuine, RecordedEvent, read_whole

if TYPE_CHECKING:
    from stemma_contracts.v1.jobs import Job

    from .client import Client


@dataclass(frozen=True)
class Reading:
    """A document as far as its log was read: to ``last_sequence``, which came at ``updated_at``.

    ``drafts`` are the events that texts came with, by their sequence.
    """

    document_id: str
    state: State = field(default_factory=NoDocument)
    drafts: Mapping[int, e.SectionDrafted] = field(default_factory=dict)
    last_sequence: int = 0
    updated_at: datetime | None = None

    def after(self, event: RecordedEvent) -> Reading:
        """What is known after one more event, in the order of the log."""
        contract, drafts = event.contract, self.drafts
        if isinstance(contract, e.SectionDrafted):
            drafts = {**drafts, event.sequence: contract}
        return Reading(self.document_id, _after(self.state, event), drafts, event.sequence, event.envelope.time)

    def require_document(self) -> None:
        """Raise `DocumentNotFoundError` where the document was erased."""
        if isinstance(self.state, Erased):
            raise DocumentNotFoundError.of("document_erased")

    @property
    def view(self) -> DocumentView:
        """The document as it is told to people and programs."""
        read_to = {"document_id": self.document_id, "last_sequence": self.last_sequence, "updated_at": self.updated_at}
        if isinstance(self.state, Erased):
            read_to |= {"status": DocumentStatus.CANCELLED}
        if not isinstance(self.state, Document):
            return DocumentView(document_id=self.document_id).model_copy(update=read_to)
        return view_of(self.state, self.drafts).model_copy(update=read_to)


async def view_until(
    client: Client, document_id: str, done: Callable[[DocumentView], bool], *, wait_s: float
) -> DocumentView:
    """A document once something is true of it, or as it is when ``wait_s`` seconds are over."""
    reading = Reading(document_id)
    with suppress(TimeoutError):
        async with asyncio.timeout(wait_s), aclosing(client.follow(document_id)) as recorded_events:
            async for event in recorded_events:
                reading = reading.after(event)
                if event.pending == 0 and done(reading.view):
                    break
    return reading.view


def reading_of(document_id: str, events: Iterable[RecordedEvent]) -> Reading:
    """What is known after these events, which are those of the log of a document from its beginning, in their order.

    Raises `DocumentNotFoundError` where it was erased.
    """
    reading = Reading(document_id)
    for event in events:
        reading = reading.after(event)
    reading.require_document()
    return reading


def read_document(document_id: str, events: Iterable[RecordedEvent]) -> DocumentView:
    """The document after these events; see `reading_of`."""
    return reading_of(document_id, events).view


def _after(state: State, event: RecordedEvent) -> State:
    """The state after an event; one that does not fit what was before changes nothing, for the orchestrator either."""
    if not event.is_known:
        return passed_over(state)
    if not isinstance(event.contract, e.AnyEvent):
        return state
    return evolve(state, event.contract, event.envelope.time, event.sequence)


@dataclass(frozen=True)
class ReadLog:
    """The log of a document as far as it was read, folded, with what tells its events from what else lies there."""

    reading: Reading
    events: tuple[RecordedEvent, ...] = ()
    genuine: Genuine = field(default_factory=Genuine)

    @cached_property
    def document(self) -> DocumentView:
        """The document as its events tell it."""
        return self.reading.view

    @property
    def costs(self) -> Costs:
        """What its model calls cost."""
        state = self.reading.state
        return state.costs if isinstance(state, Document) else Costs()


class Documents:
    """The documents that somebody looks at.

    The logs that were read last are remembered, as many as have ``most_events`` in all, and one in any case.
    """

    def __init__(self, connection: Connection, most_events: int) -> None:
        self._connection = connection
        self._most_events = most_events
        self._known: OrderedDict[str, ReadLog] = OrderedDict()

    async def read(self, document_id: str, *, at_least: int = 0) -> ReadLog:
        """The log of a document as it is now; raises as `Client.history` does."""
        subject = subjects.event(self._connection.address.tenant, document_id, subjects.ANY)
        last = max(at_least, await self._connection.last_sequence(subjects.EVENTS, subject))
        known = self._known.pop(document_id, ReadLog(Reading(document_id)))
        if last > known.reading.last_sequence:
            known = await self._read_on(known, subject, last)
        if not last or not known.events:
            raise DocumentNotFoundError.of("document_unknown", document_id=document_id)
        known.reading.require_document()
        self._remember(document_id, known)
        return known

    async def _read_on(self, known: ReadLog, subject: str, last: int) -> ReadLog:
        reading, genuine, events = known.reading, known.genuine.copy(), list(known.events)
        new = self._connection.snapshot(subjects.EVENTS, subject, at_least=last, after=reading.last_sequence)
        async with aclosing(new) as messages:
            async for event in read_whole(messages, genuine, self._connection.tell):
                events.append(event)
                reading = reading.after(event)
        return ReadLog(reading, tuple(events), genuine)

    def _remember(self, document_id: str, known: ReadLog) -> None:
        self._known[document_id] = known
        while len(self._known) > 1 and sum(len(each.events) for each in self._known.values()) > self._most_events:
            self._known.popitem(last=False)


_SAID = ("feedback", "instruction", "guidance", "answer", "summary", "reason")
# What came of a decision, told beside it.
_RESULTS = (e.SectionRevised, e.SectionEdited, e.SectionRevisionRefused)


def is_decision(event: RecordedEvent) -> bool:
    """Whether somebody decided it, or it is what came of a decision."""
    contract = event.contract
    by_policy = isinstance(contract, e.SectionApproved) and contract.by_policy
    return isinstance(contract, e.Event) and (contract.actor is not None or by_policy or isinstance(contract, _RESULTS))


async def said_with(client: Client, document_id: str, event: RecordedEvent) -> str | None:
    """What was said in words with a decision or its result; None where that is not stored any more."""
    refs = (getattr(event.contract, name, None) for name in _SAID)
    ref = next((ref for ref in refs if isinstance(ref, ArtifactRef)), None)
    if isinstance(event.contract, e.SectionNeedAnswered) and event.contract.answered_by != "person":
        return ""
    said = await client.stored_text(document_id, ref)
    return _answer_words(said) if said is not None and ref and ref.media_type == "application/json" else said


def _answer_words(answer: str) -> str:
    given = NeedAnswer.model_validate_json(answer)
    decided = (f"{name}: {how if isinstance(how, str) else how.name}" for name, how in given.decisions.items())
    return "; ".join(filter(None, (given.text, *decided)))


def until(history: Sequence[RecordedEvent], moment: int | datetime) -> Sequence[RecordedEvent]:
    """The events up to a moment, that one included: a sequence of the log, or a time with its zone."""
    match moment:
        case int():
            return [event for event in history if event.sequence <= moment]
        case datetime():
            return [event for event in history if event.envelope.time <= moment]
        case _:
            assert_never(moment)


def at_export(history: Sequence[RecordedEvent], export_id: str) -> Sequence[RecordedEvent] | None:
    """The events up to the request of an export; None if there was no such export."""
    for position, event in enumerate(history):
        if isinstance(event.contract, e.ExportRequested) and event.contract.export_id == export_id:
            return history[:position]
    return None


def version_pairs(before: DocumentView, after: DocumentView) -> list[VersionPair]:
    """The versions of each section at two times; where those are too many, of the sections that have another one."""
    had = {name: section.version for name, section in before.sections.items()}
    pairs = [
        VersionPair(section_id=name, from_version=had.get(name, 0), to_version=section.version)
        for name, section in after.sections.items()
    ]
    return pairs if len(pairs) <= MOST_SECTIONS else [pair for pair in pairs if pair.from_version != pair.to_version]


def jobs_of(history: Sequence[RecordedEvent]) -> Iterator[tuple[Job, RecordedEvent | None]]:
    """Every job that the log of a document opened, in that order, and the event that its outcome became, if any did."""
    # Most verbs replay nothing, and what makes jobs takes long to load.
    from stemma_domain.work import openings

    became = {
        job_id: event
        for event in reversed(history)
        if (job_id := getattr(event.contract, "job_id", None)) and not isinstance(event.contract, e.OutcomeSuperseded)
    }
    reading, known = Reading(history[0].document_id if history else ""), set[str]()
    for _, decided in groupby(history, key=lambda event: event.envelope.causation_id or event.envelope.id):
        for event in decided:
            reading = reading.after(event)
        for job_id, task, about in openings(reading.state).values():
            if job_id not in known:
                known.add(job_id)
                yield task.make(*about), became.get(job_id)
