"""Handle a request from its message to its answer: read, within the bounds of its tenant, decided, answered."""

import asyncio
from collections.abc import Sequence
from typing import TypedDict
from weakref import WeakValueDictionary

from nats.js import JetStreamContext
from stemma_contracts import registry, subjects
from stemma_contracts.execution import graph_execution_id
from stemma_contracts.v1.answers import Problem, RequestAccepted, RequestRejected
from stemma_contracts.v1.erasure import ErasedStore
from stemma_contracts.v1.requests import EraseDocument, PlanChange
from stemma_domain.features.generation import held_up_by
from stemma_domain.staleness import staleness
from stemma_domain.state import Document, Erased, Queued, State
from stemma_eventlog import Cause
from stemma_messaging import Delivery, Publisher
from stemma_messaging.stored import message_at
from stemma_telemetry import annotate, get_logger, inject

from .bounds import Bounds
from .command_service import CommandService
from .planning import Planning
from .requests import Received, Refused, read_request, request_id_for

Answer = RequestAccepted | RequestRejected


class Answers:
    """Requests as they come in; each answer is stored where the caller reads it, now or later."""

    def __init__(
        self,
        jetstream: JetStreamContext,
        publisher: Publisher,
        bounds: Bounds,
        commands: CommandService,
        planning: Planning,
    ) -> None:
        self._js = jetstream
        self._publisher = publisher
        self._bounds = bounds
        self._commands = commands
        self._planning = planning
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, delivery: Delivery) -> None:
        received = read_request(
            delivery.subject, delivery.headers, delivery.data, delivery.stream_sequence, delivery.waiting
        )
        request_id = received.asked["request_id"]
        annotate(tenant=received.tenant, request_id=request_id)
        cause = Cause(f"request-{received.sequence}", subjects.ORCHESTRATOR, delivery.time, request_id, inject())
        async with self._one_at_a_time(received):
            answer = await self._answer(received, cause)
            annotate(document_id=answer.document_id or "")
            _log(answer)
            await self._publish(answer, received, cause)

    async def _answer(self, received: Received, cause: Cause) -> Answer:
        if await self._belongs_to_another(received):
            return id_used_before(received)
        if received.request is None:
            return rejected(received, *received.problems)
        try:
            if isinstance(received.request, EraseDocument) and received.request.sequence is None:
                return would_erase(received, *await self._commands.would_erase(received))
            await self._bounds.check(received, received.request)
            if isinstance(received.request, PlanChange):
                plan = await self._planning.plan(received, received.request, cause)
                about = _about(received)
                return RequestAccepted(**about, document_id=received.document_id, sequence=plan.sequence, plan=plan)
            state = await self._commands.request(received, received.request, cause)
        except Refused as refusal:
            return rejected(received, *refusal.problems)
        return answer_of(received, state)

    def _one_at_a_time(self, received: Received) -> asyncio.Lock:
        """What requests with the same id wait for, so that the first one is answered before the next is looked at."""
        key = (received.tenant, received.asked["request_id"])
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        return lock

    async def _belongs_to_another(self, received: Received) -> bool:
        if received.asked["request_id"] == request_id_for(received.sequence):
            return False
        subject = subjects.answer(received.tenant, received.asked["request_id"])
        if (first := await message_at(self._js, subjects.ANSWERS, 1, subject)) is None:
            return False
        try:
            answer = registry.decode((first.headers or {}).get("ce-type", ""), first.data or b"")
        except ValueError:  # what nobody can read answered nobody
            return False
        return isinstance(answer, Answer) and answer.request_digest != received.asked["request_digest"]

    async def _publish(self, answer: Answer, received: Received, cause: Cause) -> None:
        await self._publisher.publish(
            subjects.answer(received.tenant, answer.request_id),
            answer,
            id=f"answer-{received.sequence}-{registry.entry_of(answer).token}",
            about=f"{received.tenant}/{answer.document_id or answer.request_id}",
            causation=cause.id,
            correlation=answer.request_id,
        )


def _log(answer: Answer) -> None:
    if isinstance(answer, RequestRejected):
        get_logger().info("request_rejected", fields=",".join(problem.field for problem in answer.problems)[:200])


def would_erase(received: Received, document: Document, stores: Sequence[ErasedStore]) -> RequestAccepted:
    """The answer that says what would go: nothing was decided."""
    return RequestAccepted(
        **_about(received),
        document_id=received.document_id,
        sequence=document.sequence,
        would_erase=tuple(stores),
    )


def answer_of(received: Received, state: State) -> Answer:
    if isinstance(state, Erased):
        by = state.certificate
        if (by.request_id, by.request_digest) == (received.asked["request_id"], received.asked["request_digest"]):
            return RequestAccepted(**_about(received), document_id=received.document_id, sequence=state.sequence)
        return rejected(received, Problem.of("document_erased", "document_id"))
    assert isinstance(state, Document), "every request about a document leaves an event"
    handled = state.requests[received.asked["request_id"]]
    if handled.digest != received.asked["request_digest"]:
        return id_used_before(received)
    if handled.problems:
        return rejected(received, *handled.problems, document_id=received.document_id)
    return RequestAccepted(
        **_about(received),
        document_id=received.document_id,
        section_id=handled.section_ids[0] if len(handled.section_ids) == 1 else None,
        section_ids=handled.section_ids,
        export_id=handled.export_id,
        return_id=handled.return_id,
        graph_execution_ids={name: graph_execution_id(job_id) for name, job_id in handled.started.items()},
        sequence=handled.sequence,
        held_up_by=_held_up(state, handled.section_ids),
    )


def _held_up(document: Document, section_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    queued = [one for name in section_ids if (one := document.sections.get(name)) and isinstance(one.phase, Queued)]
    stale = staleness(document) if queued else {}
    found = {section.plan.section_id: held_up_by(document, section, stale) for section in queued}
    return {name: upstreams for name, upstreams in found.items() if upstreams}


def id_used_before(received: Received) -> RequestRejected:
    """The same id with another body is another request."""
    return rejected(received, Problem.of("request_id_used", "request_id"))


def rejected(received: Received, *problems: Problem, document_id: str | None = None) -> RequestRejected:
    return RequestRejected(**_about(received), document_id=document_id, problems=problems)


class _About(TypedDict):
    request_id: str
    request_sequence: int
    request_digest: str
    ignored_fields: tuple[str, ...]


def _about(received: Received) -> _About:
    """What every answer says of its request."""
    return _About(
        request_id=received.asked["request_id"],
        request_sequence=received.sequence,
        request_digest=received.asked["request_digest"],
        ignored_fields=received.ignored_fields,
    )
