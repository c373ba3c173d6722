"""Makes the server look like the topology, and tells where it does not."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from nats.aio.client import Client
from nats.errors import NoRespondersError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, ConsumerInfo, RetentionPolicy, StreamConfig
from nats.js.errors import NotFoundError, ServiceUnavailableError
from stemma_contracts import subjects
from stemma_contracts.tokens import is_token

from .bounds import Bounds
from .copies import API_TIMEOUT_S, copies, copies_api, copy_drift, ensure_copies
from .topology import ACK_WAIT_S, DEFAULT_BOUNDS, DEFAULT_TENANTS, Consumer, consumers, streams


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
    ack_wait_s: float = ACK_WAIT_S,
    bounds: Bounds = DEFAULT_BOUNDS,
) -> None:
    """Make or correct every stream, consumer, bucket and copy; doing it again changes nothing.

    Raises `nats.js.errors.APIError` for a difference that the server cannot correct.
    """
    js = client.jetstream(timeout=API_TIMEOUT_S)
    for stream in streams(tenants, bounds):
        await _ensure_stream(js, stream)
    await _retire(js)
    for consumer in consumers(tenants):
        await js.add_consumer(consumer.stream, consumer.config(ack_wait_s))
    await ensure_copies(client, tenants)


async def check(
    client: Client,
    tenants: Sequence[str] = DEFAULT_TENANTS,
    ack_wait_s: float = ACK_WAIT_S,
    bounds: Bounds = DEFAULT_BOUNDS,
) -> list[Drift]:
    """Every difference between the topology and the server, extra consumers of work queues included."""
    js = client.jetstream(timeout=API_TIMEOUT_S)
    drifts: list[Drift] = []
    for stream in streams(tenants, bounds):
        drifts += await _stream_drift(js, stream)
    for consumer in consumers(tenants):
        drifts += await _consumer_drift(js, consumer, ack_wait_s)
    drifts += await _strangers(js, tenants)
    return drifts + [drift for tenant in tenants for drift in await _copy_drifts(client, js, tenant)]


async def _ensure_stream(js: JetStreamContext, wanted: StreamConfig) -> None:
    assert wanted.name is not None
    try:
        found = (await js.stream_info(wanted.name)).config
    except NotFoundError:
        await js.add_stream(wanted)
        return
    if _differences(wanted.name, wanted, found):
        await js.update_stream(wanted)


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
    return _differences(wanted.name, wanted, found)


async def _consumer_drift(js: JetStreamContext, wanted: Consumer, ack_wait_s: float) -> list[Drift]:
    name = f"{wanted.stream}/{wanted.durable}"
    try:
        found = (await js.consumer_info(wanted.stream, wanted.durable)).config
    except NotFoundError:
        return [Drift(name, "consumer", "present", None)]
    return _differences(name, wanted.config(ack_wait_s), found)


async def _copy_drifts(client: Client, js: JetStreamContext, tenant: str) -> list[Drift]:
    there = client.jetstream(timeout=API_TIMEOUT_S, prefix=copies_api(tenant))
    try:
        found = [(copy, await copy_drift(js, there, copy)) for copy in copies(tenant)]
    except (ServiceUnavailableError, NoRespondersError):
        return [Drift(tenant, "account", "present", None)]
    return [
        Drift(f"{copy.stream} of {tenant}", f"{wrong} of the copy", "present", None) for copy, wrong in found if wrong
    ]


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
    """Whether a consumer is that of the requests of some tenant."""
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
