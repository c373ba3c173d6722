"""People of a tenant share an account: what one forges there is never an event or an answer to another."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import nats
import pytest
from nats.aio.client import Client as NatsConnection
from stemma_client import Client
from stemma_contracts import Contract, envelope_for, registry, subjects
from stemma_contracts.v1.answers import Problem, RequestAccepted, RequestRejected
from stemma_contracts.v1.events import DocumentCompleted, DocumentPaused, DocumentResumed
from stemma_provisioning import NatsServer, inbox_prefix

USER, TENANT = "client-default", "default"


@pytest.fixture
async def colleague(server: NatsServer) -> AsyncIterator[NatsConnection]:
    connection = await nats.connect(
        server.url, user=USER, password=server.passwords[USER], inbox_prefix=inbox_prefix(USER).encode()
    )
    yield connection
    await connection.close()


async def carry(colleague: NatsConnection, contract: Contract, *where: str) -> None:
    """Have the server publish a contract of one's own making in the account of the tenant."""
    entry = registry.entry_of(contract)
    envelope = envelope_for(entry, id=uuid4().hex, source="forged", subject="x", time=datetime.now(UTC))
    key = f"$O.uploads-{TENANT}.C.{uuid4().hex}"
    await colleague.request(key, registry.encode(contract), headers=envelope.headers(), timeout=10)
    ask = json.dumps({"last_by_subj": key}).encode()
    for subject in where:
        heard = await colleague.subscribe(subject)
        await colleague.publish(f"$JS.API.DIRECT.GET.OBJ_uploads-{TENANT}", ask, reply=subject)
        async with asyncio.timeout(10):
            async for arrived in heard.messages:  # true ones may come before it
                if (arrived.headers or {})["ce-source"] == "forged":
                    break
        await heard.unsubscribe()


async def inboxes(backstage: Any, stream: str) -> list[str]:
    """Where the consumers of the tenant deliver: more than a colleague can know."""
    copies = backstage.nats.jetstream(prefix=subjects.copies_api(TENANT))
    return [info.config.deliver_subject for info in await copies.consumers_info(stream)]


@pytest.mark.req("S1")
async def test_a_forged_event_is_none(
    client: Client, backstage: Any, colleague: NatsConnection, document_id: str
) -> None:
    await backstage.append(document_id, DocumentPaused())
    async with aclosing(client.follow(document_id)) as events:
        first = await anext(events)
        subject = subjects.event(TENANT, document_id, "document-completed")
        await carry(colleague, DocumentCompleted(), subject, *await inboxes(backstage, subjects.EVENTS))
        await backstage.append(document_id, DocumentResumed())
        second = await asyncio.wait_for(anext(events), 20)
    assert [first.name, second.name] == ["document-paused", "document-resumed"]
    assert [event.name for event in await client.history(document_id)] == ["document-paused", "document-resumed"]


@pytest.mark.req("S1")
async def test_events_of_a_consumer_that_another_made_are_none(
    client: Client, backstage: Any, colleague: NatsConnection, document_id: str
) -> None:
    """True ones, but delivered by a consumer with another filter."""
    await backstage.append(document_id, DocumentPaused())
    async with aclosing(client.follow(document_id)) as events:
        await anext(events)
        for inbox in await inboxes(backstage, subjects.EVENTS):
            config = {"deliver_subject": inbox, "ack_policy": "none", "mem_storage": True, "deliver_policy": "last"}
            await backstage.append(f"{document_id}x", DocumentCompleted())
            body = json.dumps({"stream_name": "EVENTS", "config": config}).encode()
            await colleague.request("$JS.API.CONSUMER.CREATE.EVENTS", body, timeout=10)
        await backstage.append(document_id, DocumentResumed())
        second = await asyncio.wait_for(anext(events), 20)
    assert (second.document_id, second.name) == (document_id, "document-resumed")


@pytest.mark.req("S1")
async def test_a_forged_answer_is_none(
    client: Client, backstage: Any, colleague: NatsConnection, document_id: str
) -> None:
    request_id = uuid4().hex
    waiting = asyncio.create_task(client.answer(request_id))
    async with asyncio.timeout(20):
        while not (where := await inboxes(backstage, subjects.ANSWERS)):
            await asyncio.sleep(0.01)
    forged = RequestRejected(
        request_id=request_id, request_sequence=1, request_digest="a" * 64, problems=(Problem(field="", message="no"),)
    )
    await carry(colleague, forged, subjects.answer(TENANT, request_id), *where)
    await backstage.answer(request_id, b"{}", document_id)
    accepted = await asyncio.wait_for(waiting, 20)
    assert isinstance(accepted, RequestAccepted)
    assert accepted.document_id == document_id
