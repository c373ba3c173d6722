"""A service without a server: one message in, and what it publishes, by FastStream's in-memory broker.

It proves that a message comes to its handler, decoded, and through the middlewares; what a server does with it is
proved elsewhere.
"""

from datetime import UTC, datetime
from typing import Any

from faststream.nats import NatsBroker, TestNatsBroker
from stemma_contracts import Contract, envelope_for, registry

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
