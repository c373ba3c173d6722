"""Handle requests and take in outcomes: translate, decide, publish the open jobs."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from stemma_contracts import subjects
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.erasure import ErasedStore
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.outcomes import Outcome, ThreadsHeld
from stemma_domain.commands import Asked, Command, Elapsed, Record
from stemma_domain.features.budget import Renew
from stemma_domain.features.erasure import Erase, Erasure
from stemma_domain.features.inputs.feature import listed
from stemma_domain.features.inputs.material import evidence_of
from stemma_domain.features.library import feature as library
from stemma_domain.features.library.feature import (
    MOST_USES,
    Reuse,
    TakenBy,
    input_of,
    is_told,
    notices,
    will_take,
)
from stemma_domain.features.needs import drop_threads
from stemma_domain.state import Document, Erased, State
from stemma_eventlog import Cause, EventStore, StreamId
from stemma_telemetry import annotate, link

from stemma_orchestrator.observing import measure_waits

from .comparing import Comparing
from .erasing import Eraser
from .inputs import MAX_LIST_BYTES
from .intake import Intake
from .job_publisher import JobPublisher
from .lost import told_if_failed
from .renewing import Renewing
from .requests import Received, Refused
from .reusing import Reusing
from .tenant_budgets import TenantBudgets
from .timers import Timers


@dataclass(frozen=True)
class CommandService:
    """Where commands are handled, each to its end: events in the log, open jobs in their queues."""

    store: EventStore[Command, State, AnyEvent]
    intake: Intake
    jobs: JobPublisher
    timers: Timers
    comparing: Comparing
    eraser: Eraser
    budgets: TenantBudgets

    async def request(self, received: Received, request: r.Request, cause: Cause) -> State:
        """The state in which a request is handled; one that was handled before changes nothing. Raises `Refused`."""
        stream = StreamId(received.tenant, received.document_id)
        known = await self.store.known(stream)
        section_id = request.section_id if isinstance(request, r.SectionRequest) else ""
        annotate(document_id=stream.document_id, section_id=section_id)
        link(known.traces.get(section_id) or known.traces.get("", {}))
        if isinstance(known.state, Erased):
            await self._follow(stream, known.state, cause)
            return known.state
        document = known.state if isinstance(known.state, Document) else None
        if document is None and isinstance(request, r.DocumentRequest):
            raise Refused(Problem.of("document_unknown", "document_id", document_id=received.document_id))
        if document is not None and received.asked["request_id"] in document.requests:
            await self._follow(stream, document, cause)
            await self._note_taken(stream, request, document, cause)
            return document
        command = await self.prepared(received, request, cause, document)
        if isinstance(command, Reuse) and document is not None and will_take(command, document):
            await self._note_use(stream, command.request, cause)
        state = await self._handle(stream, command, cause)
        await self._note_taken(stream, request, state, cause)
        measure_waits(stream.tenant, known.state, state, cause.time)
        await self.jobs.call_off(stream, known.state, state)
        return state

    async def prepared(
        self, received: Received, request: r.Request, cause: Cause, document: Document | None
    ) -> Asked[r.Request]:
        """A request as it is decided about a document. Raises `Refused`."""
        inputs = evidence_of(document, with_forms=True) if document else ()
        if isinstance(request, r.ReuseEntry):
            if document and input_of(document, request.entry) is None and listed(inputs) > MAX_LIST_BYTES:
                raise Refused(Problem.of("inputs_too_many", "entry"))
            return await Reusing(self.store, self.intake.artifacts).reuse(received, request, cause.time)
        ledger = document.ledger if document else None
        rows = ledger.rows if ledger else None
        command = await self.intake.command(received, request, cause.time, inputs, rows, document)
        if document is None:
            return command
        renewing = Renewing(self.intake.artifacts, document)
        return replace(command, seen=renewing.seen, waiting=await renewing.waiting(command))

    async def would_erase(self, received: Received) -> tuple[Document, tuple[ErasedStore, ...]]:
        """A document with what would go if it were erased; raises `Refused`."""
        stream = StreamId(received.tenant, received.document_id)
        document = (await self.store.load(stream)).state
        if isinstance(document, Document):
            return document, await self.eraser.would_erase(stream, document)
        gone = isinstance(document, Erased)
        unknown = Problem.of("document_unknown", "document_id", document_id=received.document_id)
        raise Refused(Problem.of("document_erased", "document_id") if gone else unknown)

    async def outcome(self, outcome: Outcome, cause: Cause) -> None:
        stream = StreamId(outcome.tenant, outcome.document_id)
        if isinstance(outcome, ThreadsHeld):
            await self._drop_threads(stream, outcome, cause)
            return
        known = (await self.store.known(stream)).state
        merged = await Renewing(self.intake.artifacts, known).draft(outcome) if isinstance(known, Document) else None
        await self._handle(stream, Record(outcome, merged), cause)

    async def elapsed(self, stream: StreamId, timer: Elapsed, cause: Cause) -> None:
        await self._handle(stream, timer, cause)

    async def _drop_threads(self, stream: StreamId, held: ThreadsHeld, cause: Cause) -> None:
        """What is read anew is later than what the worker keeps, so that a thread that is begun now is none of it."""
        state = (await self.store.load(stream)).state
        job = drop_threads(state, held.threads) if isinstance(state, Document) else None
        if job is not None:
            await self.jobs.publish_one(job, cause)

    async def _handle(self, stream: StreamId, command: Command, cause: Cause) -> State:
        known = (await self.store.known(stream)).state
        if isinstance(known, Document):
            command = await self.comparing.compared(command, known)
        handled = await self.budgets.handle(stream, command, cause)
        await self._follow(stream, handled.folded.state, cause)
        return handled.folded.state

    async def renew_for_ever(self, every_s: float) -> None:
        """Look every so many seconds, until cancelled, whether budgets of tenants have room for what waits for them."""
        while True:
            await asyncio.sleep(every_s)
            with told_if_failed():
                await self.renew(datetime.now(UTC))

    async def renew(self, now: datetime) -> None:
        """Go on with what waited for the budget of its tenant and fits by now: another month, or another budget.

        What is wrong with a document keeps nobody from the others.
        """
        for stream in await self.budgets.waiting(now):
            cause = Cause(f"renewed-{stream.document_id}-{now.timestamp():.0f}", subjects.ORCHESTRATOR, now)
            with told_if_failed():
                await self._handle(stream, Renew(), cause)

    async def _follow(self, stream: StreamId, state: State, cause: Cause) -> None:
        await self.jobs.publish(stream, state, cause)
        await self.timers.set(stream, state)
        await self._tell(stream, state, cause)
        match state:
            case Document(erasure=Erasure(is_ready=True) as erasure):
                withdrawn = await self._part(stream, state, cause, erases=erasure.library)
                gone = Erase((*withdrawn, *await self.eraser.erase(stream, state)), await self.eraser.remain())
                await self._handle(stream, gone, replace(cause, id=f"{cause.id}.erase"))
            case Erased():
                await self.eraser.erase_log(stream, state)
            case _:
                pass

    async def follow(self, stream: StreamId, cause: Cause) -> None:
        """Go on with a document where a crash left it."""
        await self._follow(stream, (await self.store.load(stream)).state, cause)

    async def _part(
        self, stream: StreamId, document: Document, cause: Cause, *, erases: bool
    ) -> tuple[ErasedStore, ...]:
        """Tell who took texts of a document that it is erased; how many let them go with it, if that is asked."""
        told = list(library.parting(document, erases=erases))
        for number, (document_id, notice) in enumerate(told):
            other = StreamId(stream.tenant, document_id)
            handled = await self.budgets.handle(other, notice, _further(cause, other, f"-gone-{number}"))
            await self._follow(other, handled.folded.state, _further(cause, other))
        return (ErasedStore(store="library", count=len(told) if erases else 0),)

    async def _note_use(self, stream: StreamId, request: r.ReuseEntry, cause: Cause) -> None:
        """The document of an entry knows who takes it before anybody does: else its lapse could miss that one.

        Raises `Refused` if it cannot tell so many of a lapse.
        """
        entry = request.entry
        source = StreamId(stream.tenant, entry.document_id)
        taken = TakenBy(entry, stream.document_id)
        state = (await self.budgets.handle(source, taken, _further(cause, source, "-taken"))).folded.state
        if not is_told(state, taken):
            raise Refused(Problem.of("entry_uses_full", "entry", max_uses=MOST_USES))

    async def _note_taken(self, stream: StreamId, request: r.Request, state: State, cause: Cause) -> None:
        """An entry that lapsed before its document took it was told to nobody: that one is told now."""
        if not isinstance(request, r.ReuseEntry) or not isinstance(state, Document):
            return
        one, source = input_of(state, request.entry), StreamId(stream.tenant, request.entry.document_id)
        if one is None or state.reuses[one.input_id].entry != request.entry or one.lapse is not None:
            return
        taken = TakenBy(request.entry, stream.document_id)
        handled = await self.budgets.handle(source, taken, _further(cause, source, "-took"))
        await self._tell(source, handled.folded.state, cause)

    async def _tell(self, stream: StreamId, state: State, cause: Cause) -> None:
        """Tell other documents what lapsed. That it was told is noted before what follows there: it may lead back."""
        for document_id, lapsed, told in notices(state) if isinstance(state, Document) else ():
            other = StreamId(stream.tenant, document_id)
            handled = await self.budgets.handle(other, lapsed, _further(cause, other, f"-{told.section_id}"))
            await self.budgets.handle(stream, told, _further(cause, other, f"-{told.section_id}-told"))
            await self._follow(other, handled.folded.state, _further(cause, other))


def _further(cause: Cause, stream: StreamId, what: str = "") -> Cause:
    """The same cause in another document: the ids of its events there are others."""
    return replace(cause, id=f"{cause.id}-{stream.document_id}{what}")
