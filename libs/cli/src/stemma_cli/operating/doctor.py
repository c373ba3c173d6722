"""Looks at an installation from outside, and says what is wrong and what to do about it. It mends nothing."""

import asyncio
import json
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nats
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo
from nats.js.errors import NotFoundError
from stemma_client.logins import Admittance
from stemma_client.settings import ServerAddress
from stemma_contracts import subjects
from stemma_contracts.connections import servers_in
from stemma_contracts.envelope import parse_time
from stemma_messaging.broker import CONTRACTS, RELEASE, TOLD_AT
from stemma_messaging.lost import lost_messages
from stemma_messaging.outages import reason_of
from stemma_messaging.stored import message_at
from stemma_provisioning import Bounds, check
from stemma_provisioning.moving import RESTORING
from stemma_provisioning.permissions import OPERATOR
from stemma_provisioning.provision import SERVER
from stemma_provisioning.replicas import Replicas
from stemma_provisioning.topology import Consumer, consumers

from stemma_cli.operating.backup import API_TIMEOUT_S, is_served, stream_names, tenants_of

from .dead_letters import DeadLetters

OLDEST_SERVER = (2, 14)
"""Before it, others could get past the accounts."""
WAITS_TOO_LONG = timedelta(minutes=2)
MOST_SKEW = timedelta(seconds=2)
LEAST_FREE = 0.05
LOOKS, LOOK_EVERY_S = 5, 0.4
"""A service that pulls asks again and again: between two questions nobody seems to wait."""
WRITE_WITHIN_S = 5.0
ADMITTED_WITHIN_S = 5


@dataclass(frozen=True)
class Finding:
    check: str
    words: str
    todo: str


@dataclass(frozen=True)
class Installation:
    """An installation: the connection of its provisioner, where that leads, and its folder if it is here."""

    client: Client
    address: ServerAddress
    data: Path | None
    bounds: Bounds
    ack_wait_s: float | None
    replicas: Replicas

    @property
    def jetstream(self) -> JetStreamContext:
        return self.client.jetstream(timeout=API_TIMEOUT_S)


Check = Callable[[Installation], AsyncIterator[Finding]]


async def examine(installation: Installation) -> list[Finding]:
    """Everything that is wrong, check after check; one that cannot be made is a finding itself."""
    found = []
    for name, look in CHECKS.items():
        try:
            found += [finding async for finding in look(installation)]
        except (NatsError, TimeoutError) as error:
            why = reason_of(error) or type(error).__name__
            found.append(Finding(name, f"could not be looked at: {why}", "see the other findings, then look again"))
    return found


async def versions(installation: Installation) -> dict[str, Any]:
    """Which versions there are: of server, command and contracts here, and of each service as it told last."""
    services = {name: headers.get(RELEASE, "unknown") async for name, headers, _ in _told_by_services(installation)}
    here = {"client": version("stemma-cli"), "contracts": version("stemma-contracts")}
    return {"server": str(installation.client.connected_server_version), **here, "services": services}


async def of_versions(installation: Installation) -> AsyncIterator[Finding]:
    """The server is new enough, and all services and this command are of one release, with the same contracts."""
    server = str(installation.client.connected_server_version)
    if tuple(int(part) for part in re.findall(r"\d+", server)[:2]) < OLDEST_SERVER:
        yield Finding("versions", f"the NATS server is {server}", "install 2.14 or newer")
    here, contracts = version("stemma-cli"), version("stemma-contracts")
    async for name, headers, _ in _told_by_services(installation):
        told = headers.get(RELEASE, "unknown"), headers.get(CONTRACTS, "unknown")
        if told != (here, contracts):
            words = f"{name} is {told[0]} with contracts {told[1]}; this command is {here} with contracts {contracts}"
            yield Finding("versions", words, "finish the upgrade: docs/operate.md, Upgrade")


async def of_consumers(installation: Installation) -> AsyncIterator[Finding]:
    idle = set(consumers(await tenants_of(installation.jetstream)))
    found: dict[Consumer, ConsumerInfo] = {}
    for look in range(LOOKS):
        if look and idle:
            await asyncio.sleep(LOOK_EVERY_S)
        for each in sorted(idle, key=lambda one: (one.stream, one.durable)):
            info = found[each] = await installation.jetstream.consumer_info(each.stream, each.durable)
            if is_served(info) or info.num_ack_pending:
                idle.discard(each)
    for service in sorted({each.owner for each in idle}):
        names = ", ".join(sorted(f"{each.stream}/{each.durable}" for each in idle if each.owner == service))
        yield Finding("consumers", f"nobody reads {names}", f"start {service}, or see its log and its /ready")
    for each, info in found.items():
        async for finding in _lag(installation, each, info):
            yield finding


async def _lag(installation: Installation, consumer: Consumer, info: ConsumerInfo) -> AsyncIterator[Finding]:
    if not info.num_pending:
        return
    behind = (info.delivered.stream_seq if info.delivered else 0) + 1
    oldest = await message_at(installation.jetstream, consumer.stream, behind, next(iter(consumer.filters), ">"))
    waits = datetime.now(UTC) - oldest.time if oldest and oldest.time else timedelta()
    if waits > WAITS_TOO_LONG:
        words = f"{info.num_pending} messages wait for {consumer.owner} in {consumer.stream}/{consumer.durable}"
        minutes = f"the oldest for {waits.total_seconds() / 60:.0f} minutes"
        yield Finding("lag", f"{words}, {minutes}", f"start one more {consumer.owner}, or see why it does not keep up")


async def of_lost_messages(installation: Installation) -> AsyncIterator[Finding]:
    for queue, number in await lost_messages(installation.jetstream):
        words = f"message {number} of {queue.stream} will never be delivered again by {queue.durable}"
        yield Finding("lost", words, "the orchestrator finds it within minutes; at once: stemma-orchestrator --repair")


async def of_drift(installation: Installation) -> AsyncIterator[Finding]:
    if RESTORING in await stream_names(installation.jetstream):
        yield Finding("drift", "a restore was begun and not finished", "run the same `stemma restore-backup` again")
    tenants = await tenants_of(installation.jetstream)
    for drift in await check(
        installation.client, tenants, installation.ack_wait_s, installation.bounds, installation.replicas
    ):
        named = " ".join(f"--tenant {tenant}" for tenant in tenants)
        todo = f"run stemma-provision {named}; `stemma up` does it when it starts"
        own = "set it in the configuration of the NATS server, and have it read that again"
        yield Finding("drift", str(drift), own if drift.name == SERVER else todo)


async def of_clocks(installation: Installation) -> AsyncIterator[Finding]:
    before = datetime.now(UTC)
    reply = await installation.client.request(f"$JS.API.STREAM.INFO.{subjects.DEAD}", b"", timeout=API_TIMEOUT_S)
    after = datetime.now(UTC)
    server = parse_time(json.loads(reply.data)["ts"])
    skews = {"this machine": max(before - server, server - after, timedelta())}
    async for name, headers, stored in _told_by_services(installation):
        if TOLD_AT in headers:
            skews[name] = abs(stored - parse_time(headers[TOLD_AT]))
    for who, skew in skews.items():
        if skew > MOST_SKEW:
            words = f"the clock of {who} and that of the server differ by {skew.total_seconds():.1f} s"
            yield Finding("clocks", words, "set the clocks, by NTP")


async def of_storage(installation: Installation) -> AsyncIterator[Finding]:
    try:
        probe = await installation.jetstream.publish(
            subjects.dead(OPERATOR, "probe"), b"", timeout=WRITE_WITHIN_S, stream=subjects.DEAD
        )
        await installation.jetstream.delete_msg(subjects.DEAD, probe.seq)
    except (NatsError, TimeoutError) as error:
        todo = "make room on its disk, then restart the NATS server (`stemma up` does that); nothing is lost meanwhile"
        yield Finding("storage", f"the server stores nothing: {reason_of(error) or type(error).__name__}", todo)
    if installation.data is not None:
        disk = shutil.disk_usage(installation.data)
        if disk.free < LEAST_FREE * disk.total:
            words = f"{disk.free // 1024**2} MB of {disk.total // 1024**2} MB are free where {installation.data} is"
            yield Finding("storage", words, "make room before it is full")


async def of_dead_letters(installation: Installation) -> AsyncIterator[Finding]:
    letters, _ = await DeadLetters(installation.client).all()
    for (service, reason), number in sorted(Counter((one.service, one.reason) for one in letters).items()):
        words = f"{number} {'message' if number == 1 else 'messages'} of {service} put aside as {reason}"
        yield Finding("dead", words, f"stemma dead list --service {service} --reason {reason}")


async def of_admission(installation: Installation) -> AsyncIterator[Finding]:
    """Somebody answers the server when it asks who may come in: a stranger is refused at once, and not after a wait."""
    admittance = Admittance()

    async def refused(error: Exception) -> None:
        admittance.failed(error)

    try:
        stranger = await nats.connect(
            servers_in(installation.address.url),
            user="nobody",
            password="nothing",  # noqa: S106 - it is to be refused
            allow_reconnect=False,
            connect_timeout=ADMITTED_WITHIN_S,
            error_cb=refused,
            **installation.address.tls,
        )
        await stranger.close()
    except (NatsError, OSError, TimeoutError) as error:
        if not admittance.unanswered:
            admittance.failed(error)
    if admittance.unanswered:
        words = "nobody tells the server whom to let in: no person and no program of a tenant can connect"
        yield Finding("admission", words, "start stemma-admission; it is part of `stemma up`")


CHECKS: dict[str, Check] = {
    "versions": of_versions,
    "consumers": of_consumers,
    "lost": of_lost_messages,
    "drift": of_drift,
    "clocks": of_clocks,
    "storage": of_storage,
    "dead": of_dead_letters,
    "admission": of_admission,
}


async def _told_by_services(installation: Installation) -> AsyncIterator[tuple[str, dict[str, str], datetime]]:
    bucket = subjects.CAPABILITIES_BUCKET
    for service in subjects.SERVICES:
        try:
            found = await installation.jetstream.get_last_msg(f"KV_{bucket}", f"$KV.{bucket}.{service}", direct=True)
        except NotFoundError:
            continue
        yield service, dict(found.headers or {}), found.time or datetime.now(UTC)
