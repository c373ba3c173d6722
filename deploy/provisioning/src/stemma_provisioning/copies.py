"""The copies of what a tenant may read: the streams behind its events, answers and summaries, each its tenant's part.

A copy is fed by a durable consumer of the original, under its own sequences; what is gone of it is made again. Where
the consumer delivers is random, so that nobody else can deliver there.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from nats.aio.client import Client
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError
from stemma_contracts import subjects

from .replicas import ONE, Replicas
from .topology import STREAMS, streams

API_TIMEOUT_S = 10.0
HEARTBEAT_S = 1.0
IN_FLIGHT = 1000
CAUGHT_UP_WITHIN_S = 600.0
COUNTED_WITHIN_S = 10.0
LOOKS = 3
LOOK_AGAIN_S = 1.0
SOON = timedelta(hours=1)
POLL_S = 0.02


@dataclass(frozen=True)
class Copy:
    tenant: str
    stream: str
    pattern: str
    replicas: int = 1

    @property
    def original(self) -> api.StreamConfig:
        return next(stream for stream in streams() if stream.name == self.stream)

    def __str__(self) -> str:
        return f"{self.stream} of {self.tenant}"

    @property
    def consumer(self) -> str:
        return f"copy-{self.tenant}"

    @property
    def deliveries(self) -> str:
        return f"copy.{self.tenant}.{self.stream}"

    @property
    def origin_api(self) -> str:
        return f"$JS.{STREAMS}.API"

    def feed(self, deliver_subject: str) -> api.ConsumerConfig:
        return api.ConsumerConfig(
            durable_name=self.consumer,
            deliver_subject=deliver_subject,
            filter_subject=self.pattern,
            ack_policy=api.AckPolicy.FLOW_CONTROL,
            flow_control=True,
            idle_heartbeat=HEARTBEAT_S,
            max_ack_pending=IN_FLIGHT,
        )

    def config(self, deliver_subject: str) -> api.StreamConfig:
        """The copy itself: as its original is kept, and written by its feed alone.

        On one server it waits for no disk: what is lost with the server is fed again. The server has no such mode for
        what is on several.
        """
        return replace(
            self.original,
            subjects=None,
            duplicate_window=0,
            allow_atomic=None,
            discard=api.DiscardPolicy.OLD,
            persist_mode=api.PersistMode.ASYNC if self.replicas == 1 else None,
            num_replicas=self.replicas,
            mirror=api.StreamSource(
                name=self.stream,
                external=api.ExternalStream(api=self.origin_api, deliver=""),
                consumer=api.StreamConsumerSource(name=self.consumer, deliver_subject=deliver_subject),
            ),
        )


def copies(tenant: str, replicas: int = 1) -> list[Copy]:
    return [Copy(tenant, stream, pattern, replicas) for stream, pattern in subjects.copied(tenant).items()]


def _there(client: Client, tenant: str) -> JetStreamContext:
    return client.jetstream(timeout=API_TIMEOUT_S, prefix=subjects.copies_api(tenant))


Judge = Callable[[JetStreamContext, JetStreamContext, Copy], Awaitable[str | None]]
"""Tells what is wrong with a copy, by the API of its original and its own."""


async def ensure_copies(client: Client, tenants: Sequence[str], replicas: Replicas = ONE) -> list[Copy]:
    """Make what is missing or otherwise of each copy, and wait until it has what the original has; what was made."""
    made = await _made_anew(client, tenants, replicas, copy_drift)
    origin = client.jetstream(timeout=API_TIMEOUT_S)
    for copy in (copy for tenant in tenants for copy in copies(tenant)):
        await _caught_up(origin, _there(client, copy.tenant), copy)
    return made


async def mend_copies(client: Client, tenants: Sequence[str], replicas: Replicas = ONE) -> list[Copy]:
    """Make those copies anew that lost something, and wait for these alone; nothing else is changed. What was made."""
    return await _made_anew(client, tenants, replicas, copy_loss)


async def _made_anew(client: Client, tenants: Sequence[str], replicas: Replicas, wrong_with: Judge) -> list[Copy]:
    origin, made = client.jetstream(timeout=API_TIMEOUT_S), list[Copy]()
    for named in (copy for tenant in tenants for copy in copies(tenant)):
        there = _there(client, named.tenant)
        found = await _stream_of(there, named)
        copy = replace(named, replicas=replicas.of_stream(found) if found else replicas.number)
        if await wrong_with(origin, there, copy):
            await _make(origin, there, copy)
            await _caught_up(origin, there, copy)
            made.append(copy)
    return made


async def copy_drift(origin: JetStreamContext, there: JetStreamContext, copy: Copy) -> str | None:
    """What is wrong with a copy, if anything is."""
    feed, stream = await _feed_of(origin, copy), await _stream_of(there, copy)
    if feed is None or stream is None:
        return "consumer" if feed is None else "stream"
    subject = feed.config.deliver_subject or ""
    wanted, found = copy.feed(subject).as_dict(), feed.config.as_dict()
    if any(value is not None and found.get(setting) != value for setting, value in wanted.items()):
        return "consumer"
    if (stream.num_replicas or 1) != copy.replicas:
        return "number of replicas"
    if stream.mirror != copy.config(subject).mirror:
        return "mirror"
    return await copy_loss(origin, there, copy)


async def reads_its_feed(origin: JetStreamContext, copy: Copy) -> bool:
    """Whether a copy has subscribed to its feed."""
    feed = await _feed_of(origin, copy)
    return feed is not None and bool(feed.push_bound)


async def copy_loss(origin: JetStreamContext, there: JetStreamContext, copy: Copy) -> str | None:
    """What a copy has lost for good, if anything: itself, its feed, or messages.

    Where the original is not there, the copy may be all that is left: nothing is said of it.
    """

    async def loss() -> str | None:
        if await _stream_of(origin, copy) is None:
            return None
        if await _feed_of(origin, copy) is None:
            return "consumer"
        if await _stream_of(there, copy) is None:
            return "stream"
        return await _messages_lost(origin, there, copy)

    return await _at_every_look(loss)


async def _at_every_look(look: Callable[[], Awaitable[str | None]]) -> str | None:
    """What is found however often one looks: copies lag behind, and somebody else may be making one anew."""
    found: str | None = None
    for _ in range(LOOKS):
        if found:
            await asyncio.sleep(LOOK_AGAIN_S)
        if (found := await look()) is None:
            break
    return found


async def _messages_lost(origin: JetStreamContext, there: JetStreamContext, copy: Copy) -> str | None:
    """Whether a copy seems to have less than its original has of what it came to: the loss of a server leaves holes.

    Both have the same sequences, and the copy has come as far as it says itself, or told its feed. It is counted first,
    and what lies behind it last: what comes or goes meanwhile hides a hole at most. What is about to expire counts
    where the copy has it.
    """
    feed = await origin.consumer_info(copy.stream, copy.consumer)
    state = (await there.stream_info(copy.stream)).state
    told = feed.ack_floor.stream_seq if feed.ack_floor else 0
    begins = [await _stored(origin, copy, **_what_lasts(copy))]
    if state.messages:
        begins.append(await _stored(origin, copy, **_from(state.first_seq)))
    behind = await _stored(origin, copy, **_from(max(state.last_seq, told) + 1))
    return "messages" if state.messages < max(begins) - behind else None


def _what_lasts(copy: Copy) -> dict[str, Any]:
    """Where a stream is counted from, so that nothing of that expires while it is."""
    if not (max_age_s := copy.original.max_age):
        return {"deliver_policy": api.DeliverPolicy.ALL}
    since = datetime.now(UTC) - timedelta(seconds=max_age_s) + SOON
    return {"deliver_policy": api.DeliverPolicy.BY_START_TIME, "opt_start_time": since}


def _from(sequence: int) -> dict[str, Any]:
    return {"deliver_policy": api.DeliverPolicy.BY_START_SEQUENCE, "opt_start_seq": sequence}


async def _stored(origin: JetStreamContext, copy: Copy, **start: Any) -> int:
    """How much of the original is the tenant's: what a consumer would have before it, as the server tells at once."""
    counting = api.ConsumerConfig(
        name=f"count-{secrets.token_hex(8)}",
        filter_subject=copy.pattern,
        ack_policy=api.AckPolicy.EXPLICIT,
        inactive_threshold=COUNTED_WITHIN_S,
        mem_storage=True,
        num_replicas=1,
        **start,
    )
    info = await origin.add_consumer(copy.stream, counting)
    await origin.delete_consumer(copy.stream, info.name)
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


async def _feed_of(origin: JetStreamContext, copy: Copy) -> api.ConsumerInfo | None:
    try:
        info: api.ConsumerInfo = await origin.consumer_info(copy.stream, copy.consumer)
    except NotFoundError:
        return None
    return info


async def _stream_of(there: JetStreamContext, copy: Copy) -> api.StreamConfig | None:
    try:
        return (await there.stream_info(copy.stream)).config
    except NotFoundError:
        return None


async def _caught_up(origin: JetStreamContext, there: JetStreamContext, copy: Copy) -> None:
    """Wait until a copy reads its feed and has what that was given.

    Also an empty one: nats-server 2.15.1 hangs where it reads its configuration again while a copy subscribes to its
    feed.
    """
    async with asyncio.timeout(CAUGHT_UP_WITHIN_S):
        while True:
            feed = await origin.consumer_info(copy.stream, copy.consumer)
            last = feed.delivered.stream_seq if feed.delivered else 0
            is_read = feed.push_bound and not feed.num_pending
            if is_read and (await there.stream_info(copy.stream)).state.last_seq >= last:
                return
            await asyncio.sleep(POLL_S)
