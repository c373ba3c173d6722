"""What the server tells of streams and consumers: sizes, lag, dead letters."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo, StreamInfo
from nats.js.errors import NotFoundError
from stemma_contracts import subjects
from stemma_messaging.lost import consumers_of
from stemma_telemetry.metrics import Gauges
from stemma_telemetry.names import Attr, Metric

METRICS = (
    Metric.CONSUMER_PENDING,
    Metric.CONSUMER_UNACKNOWLEDGED,
    Metric.CONSUMER_DELIVERED,
    Metric.STREAM_SIZE,
    Metric.STREAM_MESSAGES,
    Metric.TENANT_LIMIT,
    Metric.DEAD_LETTERS,
)
_QUEUES = (
    subjects.REQUESTS,
    subjects.JOBS,
    subjects.OUTCOMES,
    subjects.TIMERS,
    subjects.ADVISORIES,
    subjects.NOTICES,
)
_OF_EVENTS = (subjects.PROJECTOR, subjects.NOTIFIER)
_OWNERS = {durable: service for service in subjects.WORKERS for durable in subjects.job_consumers(service)}
_OWNERS[subjects.NOTIFIER] = subjects.NOTIFIER
Values = list[tuple[float, dict[str, str]]]


@dataclass(frozen=True)
class Fleet:
    """Looks at the account of the streams; ``most_stored`` are the bytes that a tenant may have."""

    jetstream: JetStreamContext
    gauges: Gauges
    most_stored: int

    async def look(self) -> None:
        """Measure what is there now."""
        streams = [stream async for stream in self._streams()]
        consumers = [info for queue in _QUEUES for info in await consumers_of(self.jetstream, queue)]
        for durable in _OF_EVENTS:
            with suppress(NotFoundError):  # its service says so
                consumers.append(await self.jetstream.consumer_info(subjects.EVENTS, durable))
        dead = await self.jetstream.stream_info(subjects.DEAD, subjects_filter=">")
        see = self.gauges.see
        see(Metric.STREAM_SIZE, [(stream.state.bytes, _of_stream(stream)) for stream in streams])
        see(Metric.STREAM_MESSAGES, [(stream.state.messages, _of_stream(stream)) for stream in streams])
        see(Metric.CONSUMER_PENDING, [(info.num_pending or 0, _of_consumer(info)) for info in consumers])
        see(Metric.CONSUMER_UNACKNOWLEDGED, [(info.num_ack_pending or 0, _of_consumer(info)) for info in consumers])
        see(Metric.CONSUMER_DELIVERED, [(_delivered(info), _of_consumer(info)) for info in consumers])
        see(Metric.DEAD_LETTERS, _dead_letters(dead.state.subjects or {}))
        see(Metric.TENANT_LIMIT, [(self.most_stored, {})])

    async def _streams(self) -> AsyncIterator[StreamInfo]:
        """All of them; the server tells 256 at a time."""
        seen = 0
        while page := await self.jetstream.streams_info(offset=seen):
            seen += len(page)
            for stream in page:
                yield stream


def _of_stream(stream: StreamInfo) -> dict[str, str]:
    name = stream.config.name or ""
    tenant = subjects.tenant_of_bucket(name)
    return {Attr.STREAM: name, **({Attr.TENANT: tenant} if tenant else {})}


def _of_consumer(info: ConsumerInfo) -> dict[str, str]:
    service = _OWNERS.get(info.name, subjects.ORCHESTRATOR)
    labels: dict[str, str] = {
        Attr.SERVICE: service,
        Attr.STREAM: info.stream_name,
        Attr.MESSAGING_CONSUMER: info.name,
    }
    if info.stream_name == subjects.REQUESTS:
        labels[Attr.TENANT] = subjects.tenant_of_requests(info.name)
    return labels


def _delivered(info: ConsumerInfo) -> int:
    return info.delivered.consumer_seq if info.delivered else 0


def _dead_letters(found: Mapping[str, int]) -> Iterator[tuple[float, dict[str, str]]]:
    """By the service that put them aside and the last word of their subject; what operators did stands there too."""
    for subject, count in found.items():
        *_, service, name = subject.split(".")
        if service in subjects.SERVICES:
            yield count, {Attr.SERVICE: service, Attr.MESSAGE: name}
