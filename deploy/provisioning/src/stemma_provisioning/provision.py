"""Makes the server look like the topology, and tells where it does not."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from nats.aio.client import Client
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, ConsumerInfo, RetentionPolicy, StreamConfig
from nats.js.errors import NotFoundError, ServiceUnavailableError
from stemma_contracts import subjects
from stemma_contracts.tokens import is_token

from .bounds import Bounds
from .copies import API_TIMEOUT_S, Copy, copies, copy_drift, ensure_copies, reads_its_feed
from .replicas import ONE, Look, Replicas, Unsettled, patiently, settle
from .topology import DEFAULT_BOUNDS, DEFAULT_TENANTS, MAX_PAYLOAD, Consumer, consumers, default_ack_wait_s, streams

LOOK_TIMEOUT_S = 2.0
SETTLED_WITHIN_S = 600.0
IN_STEP_WITHIN_S = 5.0
LED_WITHIN_S = 15.0
LEADER = "leader"
SERVER = "server"
"""What only its own configuration can mend."""


@dataclass(frozen=True)
class Drift:
    """One difference between the topology and the server; ``wanted`` or ``found`` is `None` if it is not there."""

    name: str
    setting: str
    wanted: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.name}: {self.setting} should be {self.wanted!r}, is {self.found!r}"


async def provision(
    client: Client,
    tenants: Sequence[str] = DEFAULT_TENANTS,
    ack_wait_s: float | None = None,
    bounds: Bounds = DEFAULT_BOUNDS,
    replicas: Replicas = ONE,
) -> None:
    """Make or correct every stream, consumer, bucket and copy; doing it again changes nothing.

    It waits until each of several servers has what it is to have from now on. Raises `nats.js.errors.APIError` for a
    difference that the server cannot correct.
    """
    js = client.jetstream(timeout=API_TIMEOUT_S)
    await patiently(client.jetstream(timeout=LOOK_TIMEOUT_S).account_info)
    wanted = streams(tenants, bounds, replicas.number)
    raised = [await patiently(partial(_ensure_stream, js, stream, replicas)) for stream in wanted]
    await _retire(js)
    for consumer in consumers(tenants):
        wait_s = ack_wait_s or default_ack_wait_s(consumer, replicas.number)
        await patiently(partial(js.add_consumer, consumer.stream, consumer.config(wait_s)))
    await ensure_copies(client, tenants, replicas)
    if replicas.number > 1 and any(raised):
        await settle(_looks(client, tenants), replicas.number, SETTLED_WITHIN_S)


async def check(
    client: Client,
    tenants: Sequence[str] = DEFAULT_TENANTS,
    ack_wait_s: float | None = None,
    bounds: Bounds = DEFAULT_BOUNDS,
    replicas: Replicas = ONE,
) -> list[Drift]:
    """Every difference between the topology and the server, extra consumers of work queues included.

    What has no leader, or is not on all its servers, comes first; what has no leader cannot be compared.
    """
    drifts = await behind(client, tenants, replicas)
    if any(drift.setting == LEADER for drift in drifts):
        return drifts
    if client.max_payload < MAX_PAYLOAD:
        drifts.append(Drift(SERVER, "max_payload", MAX_PAYLOAD, client.max_payload))
    js = client.jetstream(timeout=API_TIMEOUT_S)
    for stream in streams(tenants, bounds, replicas.number):
        drifts += await _stream_drift(js, stream)
    for consumer in consumers(tenants):
        wait_s = ack_wait_s or default_ack_wait_s(consumer, replicas.number)
        drifts += await _consumer_drift(js, consumer, wait_s)
    drifts += await _strangers(js, tenants)
    return drifts + [drift for tenant in tenants for drift in await _copy_drifts(client, js, tenant, replicas)]


async def repair(client: Client, tenants: Sequence[str] = DEFAULT_TENANTS) -> list[str]:
    """Take away what has no leader and can be made anew, which `provision` does: consumers, and copies.

    What a consumer had in hand is delivered again. Tells what is taken away; a stream without a leader is left, for
    what it holds is only on servers that are gone.
    """
    waiting = {drift.name for drift in await leaderless(client, tenants)}
    lost = waiting & {stream.name for stream in streams(tenants)}
    takes = sorted(name for name in waiting - lost if name.partition("/")[0] not in lost)
    for name in takes:
        with suppress(NatsTimeoutError):  # who would tell that it is gone is gone
            await _take_away(client, name, tenants)
    return takes


async def behind(client: Client, tenants: Sequence[str], replicas: Replicas) -> list[Drift]:
    return [_behind(one) for one in await settle(_looks(client, tenants), replicas.number, IN_STEP_WITHIN_S)]


async def leaderless(client: Client, tenants: Sequence[str] = DEFAULT_TENANTS) -> list[Drift]:
    """The streams, consumers and copies that nobody leads, and so nobody can use, once the others have a leader."""
    await patiently(client.jetstream(timeout=LOOK_TIMEOUT_S).account_info)
    return [_behind(one) for one in await settle(_looks(client, tenants), 1, LED_WITHIN_S)]


async def _ensure_stream(js: JetStreamContext, wanted: StreamConfig, replicas: Replicas) -> bool:
    """Whether more servers have to take the stream now than had it before."""
    assert wanted.name is not None
    try:
        found = (await js.stream_info(wanted.name)).config
    except NotFoundError:
        await js.add_stream(wanted)
        return True
    number = replicas.of_stream(found)
    barred = _with_its_bars(replace(wanted, num_replicas=number), found)
    if _differences(wanted.name, barred, found):
        await js.update_stream(barred)
    return number > (found.num_replicas or 1)


def _looks(client: Client, tenants: Sequence[str]) -> dict[str, Look]:
    js = client.jetstream(timeout=LOOK_TIMEOUT_S)
    looks: dict[str, Look] = {s.name: partial(js.stream_info, s.name) for s in streams(tenants) if s.name}
    looks |= {f"{c.stream}/{c.durable}": partial(js.consumer_info, c.stream, c.durable) for c in consumers(tenants)}
    for tenant in tenants:
        there = client.jetstream(timeout=LOOK_TIMEOUT_S, prefix=subjects.copies_api(tenant))
        for copy in copies(tenant):
            looks[f"{copy.stream}/{copy.consumer}"] = partial(js.consumer_info, copy.stream, copy.consumer)
            looks[str(copy)] = partial(there.stream_info, copy.stream)
    return looks


def _behind(one: Unsettled) -> Drift:
    if not one.leader:
        return Drift(one.name, LEADER, "present", None)
    return Drift(one.name, "servers that have it", one.wanted, one.in_step)


async def _take_away(client: Client, name: str, tenants: Sequence[str]) -> None:
    stream, is_consumer, consumer = name.partition("/")
    if is_consumer:
        await client.jetstream(timeout=LOOK_TIMEOUT_S).delete_consumer(stream, consumer)
    for copy in (copy for tenant in tenants for copy in copies(tenant) if name == str(copy)):
        there = client.jetstream(timeout=LOOK_TIMEOUT_S, prefix=subjects.copies_api(copy.tenant))
        await there.delete_stream(copy.stream)


async def _retire(js: JetStreamContext) -> None:
    """All requests had one consumer once; while it is there, none can be made for those of a tenant."""
    with suppress(NotFoundError):
        await js.delete_consumer(subjects.REQUESTS, subjects.ORCHESTRATOR)


async def _stream_drift(js: JetStreamContext, wanted: StreamConfig) -> list[Drift]:
    assert wanted.name is not None
    try:
        found = (await js.stream_info(wanted.name)).config
    except NotFoundError:
        return [Drift(wanted.name, "stream", "present", None)]
    return _differences(wanted.name, _with_its_bars(wanted, found), found)


def _with_its_bars(wanted: StreamConfig, found: StreamConfig) -> StreamConfig:
    """What a stream was made to refuse, the server lets it refuse for ever: an earlier release made the log so."""
    delete, purge = wanted.deny_delete or found.deny_delete, wanted.deny_purge or found.deny_purge
    return replace(wanted, deny_delete=delete, deny_purge=purge)


async def _consumer_drift(js: JetStreamContext, wanted: Consumer, ack_wait_s: float) -> list[Drift]:
    name = f"{wanted.stream}/{wanted.durable}"
    try:
        found = (await js.consumer_info(wanted.stream, wanted.durable)).config
    except NotFoundError:
        return [Drift(name, "consumer", "present", None)]
    return _differences(name, wanted.config(ack_wait_s), found)


async def _copy_drifts(client: Client, js: JetStreamContext, tenant: str, replicas: Replicas) -> list[Drift]:
    there = client.jetstream(timeout=API_TIMEOUT_S, prefix=subjects.copies_api(tenant))
    try:
        found = [(copy, await _wrong_with(js, there, copy)) for copy in copies(tenant, replicas.number)]
    except (ServiceUnavailableError, NoRespondersError):
        return [Drift(tenant, "account", "present", None)]
    return [Drift(str(copy), f"{wrong} of the copy", "present", None) for copy, wrong in found if wrong]


async def _wrong_with(js: JetStreamContext, there: JetStreamContext, copy: Copy) -> str | None:
    """What is to be made anew, or what the server has yet to do."""
    if wrong := await copy_drift(js, there, copy):
        return wrong
    return None if await reads_its_feed(js, copy) else "subscription"


async def _strangers(js: JetStreamContext, tenants: Sequence[str]) -> list[Drift]:
    """Consumers of a work queue that nobody provisioned: they would take messages away.

    That of a tenant that is not named now keeps what waits of it.
    """
    known = {(c.stream, c.durable) for c in consumers(tenants)}
    queues = [s.name for s in streams(tenants) if s.name and s.retention is RetentionPolicy.WORK_QUEUE]
    found = [(queue, info) for queue in queues for info in await _consumers_of(js, queue)]
    strange = [(queue, info) for queue, info in found if (queue, info.name) not in known and not _is_requests_of(info)]
    return [Drift(f"{queue}/{info.name}", "consumer", None, "present") for queue, info in strange]


def _is_requests_of(info: ConsumerInfo) -> bool:
    tenant = info.name.removeprefix(f"{subjects.ORCHESTRATOR}-")
    of_a_tenant = is_token(tenant) and info.name == subjects.requests_consumer(tenant)
    return of_a_tenant and info.config.filter_subject == subjects.requests_of(tenant)


async def _consumers_of(js: JetStreamContext, stream: str) -> list[ConsumerInfo]:
    try:
        return list(await js.consumers_info(stream))
    except NotFoundError:
        return []


def _differences(name: str, wanted: StreamConfig | ConsumerConfig, found: StreamConfig | ConsumerConfig) -> list[Drift]:
    """Compares what the topology sets; what it leaves open is the server's default."""
    there = found.as_dict()
    return [
        Drift(name, setting, value, there.get(setting))
        for setting, value in wanted.as_dict().items()
        if value is not None and there.get(setting, False) != value
    ]
