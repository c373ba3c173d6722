"""Answer requests and take in outcomes: translate, decide, publish the open jobs, answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stemma_contracts.execution import graph_execution_id
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem, RequestAccepted, RequestRejected
from stemma_contracts.v1.events import AnyEvent
from stemma_contracts.v1.outcomes import Outcome, ThreadsHeld
from stemma_document.state import Document, HandledRequest, State
from stemma_eventlog import Cause, EventStore, StreamId
from stemma_telemetry import annotate, link

from .bounds import Bounds
from .core.commands import Command, Record
from .core.identity import document_id_for
from .core.needs.threads import drop_threads
from .core.problems import problem_of
from .intake import Intake, Refused
from .open_jobs import OpenJobs
from .requests import Received


@dataclass(frozen=True)
class Desk:
    """Where commands are handled, each to its end: events in the log, open jobs in their queues."""

    store: EventStore[Command, State, AnyEvent]
    intake: Intake
    jobs: OpenJobs
    bounds: Bounds

    async def request(
        self, received: Received, cause: Cause, time: datetime, waiting: int
    ) -> RequestAccepted | RequestRejected:
        """Handle a request, behind which others of its tenant wait, and give its answer."""
        if received.request is None:
            return _rejected(received, *received.problems)
        stream = StreamId(received.tenant, _document_id(received, received.request))
        known = await self.store.known(stream)
        section_id = getattr(received.request, "section_id", "")
        annotate(document_id=stream.document_id, section_id=section_id)
        link(known.traces.get(section_id) or known.traces.get("", {}))
        state = known.state
        if not isinstance(state, Document) and isinstance(received.request, r.DocumentRequest):
            return _rejected(received, Problem(field="document_id", message="there is no such document"))
        if not isinstance(state, Document) or received.asked["request_id"] not in state.requests:
            if full := await self.bounds.problem(received.tenant, received.request, waiting):
                return _rejected(received, full)
            inputs = state.inputs if isinstance(state, Document) else ()
            try:
                command = await self.intake.command(received.tenant, received.asked, received.request, time, inputs)
            except Refused as refusal:
                return _rejected(received, *refusal.problems)
            before, state = state, await self._handle(stream, command, cause)
            await self.jobs.call_off(stream, before, state)
        else:
            await self.jobs.publish(stream, state, cause)
        return _answer(received, stream, state)

    async def outcome(self, outcome: Outcome, cause: Cause) -> None:
        """Take in what a worker says of a job."""
        stream = StreamId(outcome.tenant, outcome.document_id)
        if isinstance(outcome, ThreadsHeld):
            await self._drop_threads(stream, outcome, cause)
            return
        await self._handle(stream, Record(outcome), cause)

    async def _drop_threads(self, stream: StreamId, told: ThreadsHeld, cause: Cause) -> None:
        """What is read anew is later than what the worker keeps, so that a thread that is begun now is none of it."""
        state = (await self.store.load(stream)).state
        job = drop_threads(state, told.threads) if isinstance(state, Document) else None
        if job is not None:
            await self.jobs.publish_one(job, cause)

    async def _handle(self, stream: StreamId, command: Command, cause: Cause) -> State:
        handled = await self.store.handle(stream, command, cause)
        await self.jobs.publish(stream, handled.folded.state, cause)
        return handled.folded.state


def _document_id(received: Received, request: r.Request) -> str:
    if isinstance(request, r.DocumentRequest):
        return request.document_id
    return document_id_for(received.tenant, received.asked["request_id"])


def _answer(received: Received, stream: StreamId, state: State) -> RequestAccepted | RequestRejected:
    handled = state.requests.get(received.asked["request_id"]) if isinstance(state, Document) else None
    assert handled is not None, "every request about a document leaves an event"
    if handled.digest != received.asked["request_digest"]:
        return id_used_before(received)
    if handled.refusals:
        problems = (problem_of(refusal) for refusal in handled.refusals)
        return _rejected(received, *problems, document_id=stream.document_id)
    return _accepted(received, stream, handled)


def id_used_before(received: Received) -> RequestRejected:
    """The same id with another body is another request."""
    return _rejected(received, Problem(field="request_id", message="it was used for another request"))


def _accepted(received: Received, stream: StreamId, handled: HandledRequest) -> RequestAccepted:
    return RequestAccepted(
        request_id=received.asked["request_id"],
        request_sequence=received.sequence,
        request_digest=received.asked["request_digest"],
        document_id=stream.document_id,
        section_id=handled.section_ids[0] if len(handled.section_ids) == 1 else None,
        section_ids=handled.section_ids,
        export_id=handled.export_id,
        graph_execution_ids={name: graph_execution_id(job_id) for name, job_id in handled.started.items()},
        ignored_fields=received.ignored_fields,
        sequence=handled.sequence,
    )


def _rejected(received: Received, *problems: Problem, document_id: str | None = None) -> RequestRejected:
    return RequestRejected(
        request_id=received.asked["request_id"],
        request_sequence=received.sequence,
        request_digest=received.asked["request_digest"],
        problems=problems,
        document_id=document_id,
        ignored_fields=received.ignored_fields,
    )
