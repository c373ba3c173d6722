"""Answers to requests: where they are published, and whether an id was used before."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from stemma_contracts import registry, subjects
from stemma_contracts.v1.answers import RequestAccepted, RequestRejected
from stemma_eventlog import Cause
from stemma_messaging import Publisher

from .core.identity import request_id_for
from .requests import Received

_ANY_ANSWER = (RequestAccepted, RequestRejected)


class Answers:
    """The stream of answers."""

    def __init__(self, jetstream: JetStreamContext, publisher: Publisher) -> None:
        self._js = jetstream
        self._publisher = publisher
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    def one_at_a_time(self, received: Received) -> asyncio.Lock:
        """What requests with the same id wait for, so that the first one is answered before the next is looked at."""
        key = (received.tenant, received.asked["request_id"])
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        return lock

    async def belongs_to_another(self, received: Received) -> bool:
        """Whether the id was first answered for a request with another body."""
        if received.asked["request_id"] == request_id_for(received.sequence):
            return False
        subject = subjects.answer(received.tenant, received.asked["request_id"])
        try:
            first = await self._js.get_msg(subjects.ANSWERS, seq=1, subject=subject, next=True, direct=True)
        except NotFoundError:
            return False
        try:
            answer = registry.decode((first.headers or {}).get("ce-type", ""), first.data or b"")
        except ValueError:  # what nobody can read answered nobody
            return False
        return isinstance(answer, _ANY_ANSWER) and answer.request_digest != received.asked["request_digest"]

    async def publish(self, answer: RequestAccepted | RequestRejected, received: Received, cause: Cause) -> None:
        """Store the answer where its caller reads it, now or later."""
        await self._publisher.publish(
            subjects.answer(received.tenant, answer.request_id),
            answer,
            id=f"answer-{received.sequence}-{registry.entry_of(answer).token}",
            about=f"{received.tenant}/{answer.document_id or answer.request_id}",
            causation=cause.id,
            correlation=answer.request_id,
        )
