"""What becomes of a message: the handler is tried, a verdict is noted and carried out, and outcomes are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, assert_never

from faststream.message import StreamMessage
from nats.js.api import Header
from stemma_contracts import registry, subjects

from stemma_messaging.dead import publish_dead_letter
from stemma_messaging.held import Held, held_of
from stemma_messaging.outages import Patience
from stemma_messaging.publisher import Publisher, store_again, times_again
from stemma_messaging.verdict import Ack, DeadLetter, Leave, PutBack, RetryLater, Verdict, verdict_for

from .chain import CallNext


class Settlement:
    """Settles a message once the middlewares within have come to a verdict; what hinders that leaves it to the server,
    which delivers it again."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Settle by the newest delivery; an outage is waited for."""
        result, held = await call_next(msg), held_of(msg)
        verdict = held.verdict
        if verdict is not None and held.hindrance is None:
            held.hindrance = await self._patience.through(lambda: _hindrance(held, verdict))
        return result


async def _hindrance(held: Held, verdict: Verdict) -> Exception | None:
    try:
        await _settle(held, verdict)
    except Exception as hindrance:
        return hindrance
    return None


async def _settle(held: Held, verdict: Verdict) -> None:
    message = held.message
    match verdict:
        case Ack() | DeadLetter() | PutBack():
            await message.ack()
        case RetryLater(delay_s):
            deliveries = message.metadata.num_delivered or 1
            await message.nak(delay=held.terms.to_ask_s(delay_s, deliveries))
        case Leave():
            pass
        case _:
            assert_never(verdict)


class DeadLetters:
    """Buries a message that was found to be a dead letter; where that cannot be done, it stays unsettled."""

    def __init__(self, service: str, publisher: Callable[[], Publisher], patience: Patience) -> None:
        self._service = service
        self._publisher = publisher
        self._patience = patience

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Bury by the verdict of the middlewares within; an outage is waited for."""
        result, held = await call_next(msg), held_of(msg)
        verdict = held.verdict
        if isinstance(verdict, DeadLetter):
            held.hindrance = await self._patience.through(lambda: self._hindrance(held, verdict))
        return result

    async def _hindrance(self, held: Held, verdict: DeadLetter) -> Exception | None:
        try:
            await publish_dead_letter(held.delivery, verdict, held.error, self._service, self._publisher())
        except Exception as hindrance:
            return hindrance
        return None


class PuttingBack:
    """Stores a message again that is to be put back; where that cannot be done, it stays unsettled."""

    def __init__(self, publisher: Callable[[], Publisher], patience: Patience) -> None:
        self._publisher = publisher
        self._patience = patience

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Put back by the verdict of the middlewares within; an outage is waited for."""
        result, held = await call_next(msg), held_of(msg)
        if isinstance(held.verdict, PutBack):
            held.hindrance = await self._patience.through(lambda: self._hindrance(held))
        return result

    async def _hindrance(self, held: Held) -> Exception | None:
        delivery = held.delivery
        try:
            await store_again(delivery.subject, delivery.data, delivery.headers, self._publisher())
        except Exception as hindrance:
            return hindrance
        return None


class Judgement:
    """Notes what the handler raised, and what is to become of the message; `verdict_for` decides."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Try it; while a store is away, again and again, for that is no fault of the message."""
        held = held_of(msg)
        held.error = await self._patience.through(lambda: _error_of(call_next(msg)))
        delivery, base_s = held.delivery, self._patience.retry_base_s
        put_back = times_again(delivery.headers.get(Header.MSG_ID, ""))
        held.verdict = verdict_for(held.error, delivery.deliveries, held.terms.max_deliver, base_s, put_back)


async def _error_of(attempt: Awaitable[Any]) -> BaseException | None:
    try:
        await attempt
    except (Exception, asyncio.CancelledError) as error:
        return error
    return None


class Outcomes:
    """Publishes outcomes under an id made of the job's message, so that a job that runs twice has one outcome.

    Not by `@router.publisher`: FastStream publishes after its middlewares, when the job would be settled already.
    """

    def __init__(self, service: str, publisher: Callable[[], Publisher]) -> None:
        self._service = service
        self._publisher = publisher

    async def consume_scope(self, call_next: CallNext, msg: StreamMessage[Any]) -> Any:
        """Publish what comes back, if anything does."""
        outcome, envelope = await call_next(msg), held_of(msg).delivery.envelope
        if outcome is not None and envelope is not None:
            await self._publisher().publish(
                subjects.outcome(self._service, registry.entry_of(outcome).token),
                outcome,
                id=f"{envelope.id}.outcome",
                about=envelope.subject,
                causation=envelope.id,
                correlation=envelope.correlation_id,
            )
        return outcome
