"""Publishing with an envelope: stored before it returns, safe to repeat, connected to its trace."""

import asyncio
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime

from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.api import Header, PubAck
from nats.js.errors import NoStreamResponseError
from opentelemetry.trace import Span, SpanKind
from stemma_contracts import MAX_MESSAGE_BYTES, Contract, envelope_for, registry
from stemma_telemetry import get_logger, inject, names, note, span

from .addresses import stream_of, template_of
from .errors import MessageTooLarge
from .outages import reason_of

ACK_TIMEOUT_S = 10.0
PAUSES_S = (0.5, 1.0, 2.0, 4.0)
"""Between attempts; a stream without a leader is back after four to six seconds."""


class Publisher:
    """Publishes contracts in the name of one service; ``source`` is the ``ce-source`` of its messages."""

    def __init__(self, jetstream: JetStreamContext, source: str) -> None:
        self._js = jetstream
        self._source = source

    async def publish(
        self,
        subject: str,
        contract: Contract,
        *,
        id: str,
        about: str,
        causation: str = "",
        correlation: str = "",
        sequence: int = 0,
        time: datetime | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> PubAck:
        """Publish a contract and wait until it is stored.

        ``id`` is its ``ce-id`` and its ``Nats-Msg-Id``: within the stream's window the same id is stored once, so
        it must be made of what the message is about and never at random; the result says ``duplicate``. ``about``
        is the ``ce-subject``, by convention ``<tenant>/<document>[/<section>]``. Raises `MessageTooLarge`, and
        what the server answers or does not when it stays unreachable.
        """
        data = registry.encode(contract)
        if len(data) > MAX_MESSAGE_BYTES:
            raise MessageTooLarge(f"{type(contract).__name__} has {len(data)} bytes, at most {MAX_MESSAGE_BYTES} go")
        with _span(subject, id):
            envelope = envelope_for(
                registry.entry_of(contract),
                id=id,
                source=self._source,
                subject=about,
                time=time or datetime.now(UTC),
                correlation_id=correlation,
                causation_id=causation,
                sequence=sequence,
                trace=inject(),
            )
            return await self.store(subject, data, {**envelope.headers(), **(headers or {}), Header.MSG_ID: id})

    async def store(self, subject: str, data: bytes, headers: Mapping[str, str]) -> PubAck:
        """Publish bytes as they are and wait until they are stored, repeating while there is no answer."""
        for attempt, pause in enumerate(PAUSES_S, start=1):
            try:
                return await self._store_once(subject, data, headers)
            except (NatsTimeoutError, NoStreamResponseError) as error:
                note(names.SpanEvent.RETRY, attempt=attempt, error=type(error).__name__)
                told = {"subject": template_of(subject), "n": attempt, "reason": reason_of(error)}
                get_logger().warning(names.Log.PUBLISH_RETRIED, error=error, **told)
                await asyncio.sleep(pause)
        return await self._store_once(subject, data, headers)

    async def schedule(self, subject: str, data: bytes, *, at: datetime, target: str, id: str) -> None:
        """Have the server store bytes under ``target`` at a time, at once if that is past.

        Until then they lie under ``subject``, where they take the place of what lay there. The same ``id`` is stored
        once, as in `publish`.
        """
        when = f"@at {at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
        headers: dict[str, str] = {Header.MSG_ID: id, Header.SCHEDULE: when, Header.SCHEDULE_TARGET: target}
        await self.store(subject, data, headers)

    async def _store_once(self, subject: str, data: bytes, headers: Mapping[str, str]) -> PubAck:
        return await self._js.publish(
            subject, data, timeout=ACK_TIMEOUT_S, stream=stream_of(subject), headers=dict(headers)
        )


def _span(subject: str, id: str) -> AbstractContextManager[Span]:
    template = template_of(subject)
    return span(
        f"{names.Span.SEND} {template}",
        kind=SpanKind.PRODUCER,
        attributes={
            names.Attr.MESSAGING_SYSTEM: "nats",
            names.Attr.MESSAGING_OPERATION: "send",
            names.Attr.MESSAGING_OPERATION_NAME: "send",
            names.Attr.MESSAGING_DESTINATION: template,
            names.Attr.MESSAGING_MESSAGE_ID: id,
        },
    )


_AGAIN = re.compile(r"\.again(\d*)\Z")


def next_id(message_id: str) -> str:
    """The id under which a message is stored next: whoever stores it anew has the same, so that one is stored."""
    times = times_again(message_id)
    return f"{_AGAIN.sub('', message_id)}.again{times + 1 if times else ''}"


def times_again(message_id: str) -> int:
    """How often a message with this id was put into its queue anew."""
    found = _AGAIN.search(message_id)
    return int(found[1] or 1) if found else 0


def carried(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a message but those that are orders to the server."""
    return {key: value for key, value in headers.items() if not key.lower().startswith("nats-")}


async def store_again(subject: str, data: bytes, headers: Mapping[str, str], publisher: Publisher) -> None:
    """Store a message behind what waits in its queue, with all its deliveries before it."""
    known_by = {Header.MSG_ID.value: next_id(message_id)} if (message_id := headers.get(Header.MSG_ID)) else {}
    await publisher.store(subject, data, carried(headers) | known_by)
