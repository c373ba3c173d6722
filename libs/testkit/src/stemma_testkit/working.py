"""Services as tasks of a test, or one without a server, by FastStream's in-memory broker."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from faststream.nats import NatsBroker, TestNatsBroker
from stemma_contracts import Contract, envelope_for, registry
from stemma_messaging.cancellation import end
from stemma_messaging.same_kind import SameKind
from stemma_provisioning import NatsServer


async def _told_of_no_kind(_: str) -> str | None:
    return None


ANY_KIND = SameKind({}, _told_of_no_kind)
"""That of a worker whose jobs name no data of their document kind."""


def access(server: NatsServer, user: str) -> dict[str, Any]:
    return {"nats_url": server.url, "nats_user": user, "nats_password": server.passwords[user]}


@asynccontextmanager
async def at_work(*services: Coroutine[Any, Any, None]) -> AsyncIterator[Sequence[asyncio.Task[None]]]:
    """Services that run in the block, each given as what its ``run`` returns; none may end before the block does."""
    tasks = [asyncio.create_task(service) for service in services]
    try:
        yield tasks
        assert_at_work(tasks)
    finally:
        await end(tasks)


def assert_at_work(tasks: Sequence[asyncio.Task[None]]) -> None:
    ended = [task.exception() for task in tasks if task.done()]
    assert not ended, ended


DELIVERED = "$JS.ACK.{stream}.consumer.1.1.1.1767225600000000000.0"
"""The address that JetStream gives a message with its first delivery."""


async def routed(broker: NatsBroker, stream: str, subject: str, contract: Contract) -> list[tuple[str, Contract]]:
    """What a service publishes when a contract comes on a subject: subjects and contracts, in this order."""
    entry = registry.entry_of(contract)
    envelope = envelope_for(entry, id="message-1", source="test", subject="default/doc-1", time=datetime.now(UTC))
    return await routed_bytes(broker, stream, subject, registry.encode(contract), envelope.headers())


async def routed_bytes(
    broker: NatsBroker, stream: str, subject: str, data: bytes, headers: dict[str, str]
) -> list[tuple[str, Contract]]:
    """The same for a message as somebody else sends it."""
    async with TestNatsBroker(broker) as running:
        jetstream: Any = running.config.connection_state.stream
        jetstream.publish.reset_mock()
        await running.publish(data, subject, stream=stream, headers=headers, reply_to=DELIVERED.format(stream=stream))
        return [_published(*call.args, **call.kwargs) for call in jetstream.publish.await_args_list]


def _published(subject: str, data: bytes, *, headers: dict[str, str], **_: object) -> tuple[str, Contract]:
    return subject, registry.decode(headers["ce-type"], data)
