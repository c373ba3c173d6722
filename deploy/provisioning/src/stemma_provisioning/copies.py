"""The copies of what a tenant may read: the streams behind its events, answers and summaries, each its tenant's part.

A copy is fed by a durable consumer of the original, under its own sequences; what is gone of it is made again. Where
the consumer delivers is random, so that nobody else can deliver there.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    ExternalStream,
    PersistMode,
    StreamConfig,
    StreamConsumerSource,
    StreamSource,
)
from nats.js.errors import NotFoundError
from stemma_contracts import subjects
from stemma_contracts.subjects import REST

from .replicas import ONE, Replicas
from .topology import STREAMS, streams

API_TIMEOUT_S = 10.0
HEARTBEAT_S = 1.0
IN_FLIGHT = 1000
CAUGHT_UP_WITHIN_S = 600.0
LAGS_AT_MOST_S = 2.0
COUNTED_WITHIN_S = 10.0
SOON = timedelta(hours=1)
POLL_S = 0.02


@dataclass(frozen=True)
class Copy:
    """One stream as far as it is a tenant's."""

    tenant: str
    stream: str
    pattern: str
    replicas: int = 1

    @property
    def original(self) -> StreamConfig:
        """The stream that it is a part of."""
        return next(stream for stream in streams() if stream.name == self.stream)

    @property
    def consumer(self) -> str:
        """The durable consumer of the original that feeds the copy."""
        return f"copy-{self.tenant}"

    @property
    def deliveries(self) -> str:
        """What the subjects begin with that the consumer delivers to."""
        return f"copy.{self.tenant}.{self.stream}"

    @property
    def origin_api(self) -> str:
        """What the account of the copies calls the API of the original."""
        return f"$JS.{STREAMS}.API"

    def feed(self, deliver_subject: str) -> ConsumerConfig:
        """The consumer that feeds the copy."""
        return ConsumerConfig(
            durable_name=self.consumer,
            deliver_subject=deliver_subject,
            filter_subject=self.pattern,
            ack_policy=AckPolicy.FLOW_CONTROL,
            flow_control=True,
            idle_heartbeat=HEARTBEAT_S,
            max_ack_pending=IN_FLIGHT,
        )

    def config(self, deliver_subject: str) -> StreamConfig:
        """The copy itself: as its original is kept, and written by its feed alone.

        On one server it waits for no disk: what is lost with the server is fed again. The server has no such mode for
        what is on several.
        """
        return replace(
            self.original,
            subjects=None,
            duplicate_window=0,
            allow_atomic=None,
            discard=DiscardPolicy.OLD,
            persist_mode=PersistMode.ASYNC if self.replicas == 1 else None,
            num_replicas=self.replicas,
            mirror=StreamSource(
                name=self.stream,
                external=ExternalStream(api=self.origin_api, deliver=""),
                consumer=StreamConsumerSource(name=self.consumer, deliver_subject=deliver_subject),
            ),
        )


def copies(tenant: str, replicas: int = 1) -> list[Copy]:
    """What callers of a tenant read by consumers."""
    views = subjects.VIEWS_BUCKET
    return [
        Copy(tenant, subjects.EVENTS, subjects.events_of(tenant), replicas),
        Copy(tenant, subjects.ANSWERS, subjects.answer(tenant, REST), replicas),
        Copy(tenant, f"KV_{views}", f"$KV.{views}.{tenant}.>", replicas),
    ]


def copies_api(tenant: str) -> str:
    """What the streams' account calls the API of the account of a tenant's copies."""
    return f"$JS.COPIES.{tenant}.API"


async def ensure_copies(client: Client, tenants: Sequence[str], replicas: Replicas = ONE) -> None:
    """Make what is missing or otherwise of each copy, and wait until it has what the original has."""
    origin = client.jetstream(timeout=API_TIMEOUT_S)
    for tenant in tenants:
        there = client.jetstream(timeout=API_TIMEOUT_S, prefix=copies_api(tenant))
        for named in copies(tenant):
            found = await _stream_of(there, named)
            copy = replace(named, replicas=replicas.of_stream(found) if found else replicas.number)
            if await copy_drift(origin, there, copy):
                await _make(origin, there, copy)
            await _caught_up(origin, there, copy)


async def copy_drift(origin: JetStreamContext, there: JetStreamContext, copy: Copy) -> str | None:
    """What is wrong with a copy, if anything is."""
    feed, stream = await _feed_of(origin, copy), await _stream_of(there, copy)
    if feed is None or stream is None:
        return "consumer" if feed is None else "stream"
    subject = feed.deliver_subject or ""
    wanted, found = copy.feed(subject).as_dict(), feed.as_dict()
    if any(value is not None and found.get(setting) != value for setting, value in wanted.items()):
        return "consumer"
    if (stream.num_replicas or 1) != copy.replicas:
        return "number of replicas"
    if stream.mirror != copy.config(subject).mirror:
        return "mirror"
    return "messages" if await _lacks_messages(origin, there, copy) else None


async def _lacks_messages(origin: JetStreamContext, there: JetStreamContext, copy: Copy) -> bool:
    """Whether a copy that has come as far as its original has less of it: the loss of a server can leave a hole.

    What is not copied within a moment may still come, and nothing is said of it, nor of what is about to expire.
    """
    since = _since(copy)
    stored = await _stored(origin, copy, since)
    try:
        await _caught_up(origin, there, copy, LAGS_AT_MOST_S)
    except TimeoutError:
        return False
    return await _stored(there, copy, since) < stored


def _since(copy: Copy) -> datetime | None:
    """From when on an original and its copy are counted: none of that expires while they are."""
    if not (max_age_s := copy.original.max_age):
        return None
    return datetime.now(UTC) - timedelta(seconds=max_age_s) + SOON


async def _stored(js: JetStreamContext, copy: Copy, since: datetime | None) -> int:
    """How much of a stream is the tenant's: what a consumer would have before it, as the server tells at once."""
    counting = ConsumerConfig(
        name=f"count-{secrets.token_hex(8)}",
        deliver_policy=DeliverPolicy.BY_START_TIME if since else DeliverPolicy.ALL,
        opt_start_time=since,
        filter_subject=copy.pattern,
        ack_policy=AckPolicy.EXPLICIT,
        inactive_threshold=COUNTED_WITHIN_S,
        mem_storage=True,
        num_replicas=1,
    )
    info = await js.add_consumer(copy.stream, counting)
    await js.delete_consumer(copy.stream, info.name)
    return info.num_pending or 0


async def _make(origin: JetStreamContext, there: JetStreamContext, copy: Copy) -> None:
    """Both ends anew: nothing of a copy is only there."""
    subject = f"{copy.deliveries}.{secrets.token_hex(16)}"
    if await _stream_of(there, copy):
        await there.delete_stream(copy.stream)
    if await _feed_of(origin, copy):
        await origin.delete_consumer(copy.stream, copy.consumer)
    await origin.add_consumer(copy.stream, copy.feed(subject))
    await there.add_stream(copy.config(subject))


async def _feed_of(origin: JetStreamContext, copy: Copy) -> ConsumerConfig | None:
    try:
        info = await origin.consumer_info(copy.stream, copy.consumer)
    except NotFoundError:
        return None
    config: ConsumerConfig = info.config
    return config


async def _stream_of(there: JetStreamContext, copy: Copy) -> StreamConfig | None:
    try:
        return (await there.stream_info(copy.stream)).config
    except NotFoundError:
        return None


async def _caught_up(
    origin: JetStreamContext, there: JetStreamContext, copy: Copy, within_s: float = CAUGHT_UP_WITHIN_S
) -> None:
    async with asyncio.timeout(within_s):
        while True:
            feed = await origin.consumer_info(copy.stream, copy.consumer)
            last = feed.delivered.stream_seq if feed.delivered else 0
            if not feed.num_pending and (await there.stream_info(copy.stream)).state.last_seq >= last:
                return
            await asyncio.sleep(POLL_S)
