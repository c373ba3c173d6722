"""A log that an earlier release wrote is read by a later one, whose contract has a new version."""

from datetime import UTC, datetime
from typing import Any

import pytest
from nats.aio.client import Client
from stemma_contracts import Contract, Envelope, Family, Registry, subjects
from stemma_contracts.v1.events import DocumentPaused
from stemma_eventlog import Cause, Decider, EventStore, FoldFailed, JetStreamEventLog, StreamId

AT = datetime(2026, 1, 1, tzinfo=UTC)
V1, V2 = "stemma.euros.set.v1", "stemma.budget.set.v1"
Totals = tuple[int, ...]


class BudgetSetInEuros(Contract):
    """What it was called first, in whole euros."""

    euros: int


class BudgetSet(Contract):
    """What it is called now."""

    cents: int


def later_release() -> Registry:
    contracts = Registry()
    contracts.contract(V2, Family.EVENT)(BudgetSet)
    contracts.contract("stemma.document.paused.v1", Family.EVENT)(DocumentPaused)

    @contracts.upcaster(V1, BudgetSetInEuros, V2)
    def in_cents(old: BudgetSetInEuros) -> dict[str, Any]:
        return {"cents": old.euros * 100 if old.euros else int("a bug")}

    return contracts


def evolve(totals: Totals, event: Contract, _: datetime, __: int) -> Totals:
    return (*totals, event.cents) if isinstance(event, BudgetSet) else totals


DECIDER: Decider[Contract, Totals, Contract] = Decider((), lambda command, _: [command], evolve)


async def publish(client: Client, stream: StreamId, ce_type: str, number: int, data: bytes) -> int:
    """The event's place in the log."""
    envelope = Envelope(f"e{number}", ce_type, "/old", f"default/{stream.document_id}", AT, sequence=number)
    subject = subjects.event(stream.tenant, stream.document_id, "euros-set" if ce_type == V1 else "budget-set")
    return (await client.jetstream().publish(subject, data, headers=envelope.headers())).seq


@pytest.mark.req("E2")
async def test_bytes_of_version_one_replay_through_the_upcaster_and_the_log_goes_on(
    orchestrator: Client, stream: StreamId
) -> None:
    await publish(orchestrator, stream, V1, 1, b'{"euros":4250}')
    await publish(orchestrator, stream, V2, 2, b'{"cents":99}')
    store = EventStore(JetStreamEventLog(orchestrator, contracts=later_release()), DECIDER)
    assert (await store.load(stream)).state == (425_000, 99)
    await store.handle(stream, DocumentPaused(), Cause("pause", "/new", AT))
    again = EventStore(JetStreamEventLog(orchestrator, contracts=later_release()), DECIDER)
    folded = await again.load(stream)
    assert (folded.state, folded.count) == ((425_000, 99), 3)


@pytest.mark.req("E2")
async def test_a_bug_in_an_upcaster_stops_the_document_and_a_message_that_is_no_version_one_is_skipped(
    orchestrator: Client, stream: StreamId
) -> None:
    await publish(orchestrator, stream, V1, 1, b'{"pounds":1}')
    await publish(orchestrator, stream, V1, 2, b'{"euros":7}')
    store = EventStore(JetStreamEventLog(orchestrator, contracts=later_release()), DECIDER)
    assert (await store.load(stream)).state == (700,)
    third = await publish(orchestrator, stream, V1, 3, b'{"euros":0}')
    with pytest.raises(FoldFailed, match=f"event {third} of default/{stream.document_id}: UpcastFailed"):
        await store.load(stream)
