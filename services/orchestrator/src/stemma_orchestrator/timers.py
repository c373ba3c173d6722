"""Set the timers that a state asks for: the server keeps them, and puts each into its queue when it elapses.

A timer has a place of its own, so that setting it again changes nothing. One that is not needed any more elapses, and
what it says is decided by the state of then.
"""

import asyncio
from datetime import timedelta

from cachetools import LRUCache
from pydantic import BaseModel, Field, ValidationError
from stemma_contracts import subjects
from stemma_contracts.tokens import check_token
from stemma_domain.commands import Elapsed, Timer
from stemma_domain.state import State
from stemma_domain.work import ELAPSED, timers_of
from stemma_eventlog import StreamId
from stemma_messaging import Delivery, InvalidMessage, Publisher

_REMEMBERED = 4096


class TimerBody(BaseModel):
    """What a timer says beside its subject: the number of the event that set it."""

    number: int = Field(alias="assignment", description="the first timers were those of assignments")


class Timers:
    """Sets timers, each once by this process; the first of each time comes so long ``before`` it."""

    def __init__(self, publisher: Publisher, before: timedelta) -> None:
        self._publisher = publisher
        self._before = before
        self._set: LRUCache[StreamId, frozenset[str]] = LRUCache(_REMEMBERED)

    async def set(self, stream: StreamId, state: State) -> None:
        running = {timer.id: timer for timer in timers_of(state, self._before)}
        known = self._set.get(stream, frozenset())
        await asyncio.gather(*(self._one(stream, timer) for name, timer in running.items() if name not in known))
        self._set[stream] = frozenset(running)

    async def _one(self, stream: StreamId, timer: Timer) -> None:
        place = (stream.tenant, stream.document_id, timer.section_id, timer.name)
        data = TimerBody(assignment=timer.number).model_dump_json(by_alias=True).encode()
        name = f"{stream.tenant}.{stream.document_id}.{timer.id}"
        target = subjects.elapsed(*place)
        await self._publisher.schedule(subjects.timer(*place), data, at=timer.at, target=target, id=name)


def elapsed(delivery: Delivery) -> tuple[StreamId, Elapsed]:
    """What a timer that elapsed asks for, and of which document. Raises `InvalidMessage`."""
    try:
        place = subjects.parse_elapsed(delivery.subject)
        body = TimerBody.model_validate_json(delivery.data)
        stream = StreamId(check_token(place.tenant, "tenant"), check_token(place.document_id, "document id"))
        if place.name not in ELAPSED:
            raise ValueError(place.name)
        return stream, Elapsed(Timer(place.section_id, place.name, body.number, delivery.time))
    except (ValueError, ValidationError) as error:
        raise InvalidMessage(type(error).__name__) from None
