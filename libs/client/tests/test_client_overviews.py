"""The read model as callers read it, also one that an earlier release wrote."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest
from stemma_client import Client, DocumentNotFoundError, NotReadYetError
from stemma_client.ledgers import listed_deadlines
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.deadlines import Deadline, DueTime
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import SectionView
from stemma_provisioning import NatsServer
from stemma_testkit.document_events import CREATED_AT, TENANT
from stemma_testkit.servers import eventually

PAGE = 100_000
"""Subjects of a stream that a server tells in one answer."""

LAST_SEQUENCE = 7
OF_AN_EARLIER_RELEASE = {
    "kind": "proposal",
    "status": "running",
    "title": {"digest": "a" * 64, "size": 8, "media_type": "text/plain", "name": "title.txt"},
    "created_at": "2026-03-01T12:00:00Z",
    "last_sequence": LAST_SEQUENCE,
    "sections": [
        {"section_id": "research", "title": "Research", "status": "approved", "version": 2, "score": 0.9},
        {"section_id": "solution", "title": "Solution", "status": "generating", "activity": "validate", "version": 1},
    ],
}


def summary(document_id: str, last_sequence: int, status: DocumentStatus = DocumentStatus.RUNNING) -> DocumentSummary:
    sections = tuple(
        SectionSummary(section_id=name, title=name, status=SectionStatus.QUEUED) for name in ("research", "solution")
    )
    return DocumentSummary(
        document_id=document_id,
        kind="proposal",
        status=status,
        created_at=CREATED_AT,
        last_sequence=last_sequence,
        sections=sections,
    )


async def put_section(backstage: Any, document_id: str, name: str, last_sequence: int) -> None:
    details = SectionView(
        section_id=name,
        title=name,
        kind=name,
        graph="section",
        last_sequence=last_sequence,
        status=SectionStatus.QUEUED,
    )
    key = f"$KV.{subjects.VIEWS_BUCKET}.{subjects.section_view_key(TENANT, document_id, name)}"
    await backstage.js.publish(key, details.model_dump_json(exclude_defaults=True).encode())


@pytest.mark.req("E4")
async def test_a_document_is_read_with_its_sections_in_their_order(
    client: Client, backstage: Any, document_id: str
) -> None:
    for name in ("solution", "research"):
        await put_section(backstage, document_id, name, 1)
    await backstage.summarise(summary(document_id, 1))
    overview = await client.overview(document_id, at_least=1)
    assert (overview.document.document_id, list(overview.sections)) == (document_id, ["research", "solution"])


@pytest.mark.req("E4", "S1")
async def test_a_document_is_read_from_the_read_model_itself_where_the_copy_of_it_lags(
    client: Client, backstage: Any, document_id: str
) -> None:
    copied = f"KV_{subjects.VIEWS_BUCKET}", f"copy-{TENANT}"
    await backstage.js.pause_consumer(*copied, "2999-01-01T00:00:00Z")
    try:
        await put_section(backstage, document_id, "research", 1)
        await backstage.summarise(summary(document_id, 1))
        overview = await client.overview(document_id, at_least=1)
        assert list((await client.overview(document_id)).sections) == list(overview.sections) == ["research"]
    finally:
        await backstage.js.resume_consumer(*copied)


@asynccontextmanager
async def listening(server: NatsServer) -> AsyncIterator[tuple[Client, asyncio.Queue[str]]]:
    """A client, and what it tells: of what cannot be read it tells as soon as it comes to that."""
    told: asyncio.Queue[str] = asyncio.Queue()
    user = "client-default"
    connecting = Client.connect(
        server.url, tenant=TENANT, user=user, password=server.passwords[user], told=told.put_nowait
    )
    async with asyncio.timeout(30), connecting as client:
        yield client, told


@pytest.mark.req("E4")
async def test_a_reader_waits_until_the_read_model_knows_of_what_was_answered(
    server: NatsServer, backstage: Any, document_id: str
) -> None:
    key = f"$KV.{subjects.VIEWS_BUCKET}.{subjects.view_key(TENANT, document_id)}"
    await backstage.js.publish(key, b"{}")
    async with listening(server) as (client, told):
        reading = asyncio.create_task(client.overview(document_id, at_least=5))
        await told.get()
        await backstage.summarise(summary(document_id, 4))
        await backstage.js.publish(key, b"{}")
        await told.get()
        await backstage.summarise(summary(document_id, 6, DocumentStatus.PAUSED))
        assert (await reading).document.status is DocumentStatus.PAUSED


@pytest.mark.req("E4")
async def test_what_does_not_come_in_time_is_told(client: Client, backstage: Any, document_id: str) -> None:
    await backstage.summarise(summary(document_id, 3))
    with pytest.raises(NotReadYetError, match="sequence 4"):
        await client.overview(document_id, at_least=4, wait_s=0.2)
    with pytest.raises(DocumentNotFoundError):
        await client.overview("nowhere")


@pytest.mark.req("E4")
async def test_a_log_is_read_once_the_event_of_an_answer_is_there(
    server: NatsServer, backstage: Any, document_id: str, requested: Any
) -> None:
    await backstage.append(document_id, requested)
    unreadable = await backstage.js.publish(subjects.event(TENANT, document_id, "document-paused"), b"{}")
    async with listening(server) as (client, told):
        later = asyncio.create_task(client.document(document_id, at_least=unreadable.seq + 1))
        await told.get()
        await backstage.append(document_id, e.DocumentPaused())
        assert (await later).status is DocumentStatus.PAUSED


@pytest.mark.req("E3")
async def test_what_an_earlier_release_wrote_is_listed_and_read(
    client: Client, backstage: Any, document_id: str
) -> None:
    key = f"$KV.{subjects.VIEWS_BUCKET}.{subjects.view_key(TENANT, document_id)}"
    await backstage.js.publish(key, json.dumps(OF_AN_EARLIER_RELEASE | {"document_id": document_id}).encode())
    overview = await client.overview(document_id, at_least=LAST_SEQUENCE)
    assert ([section.version for section in overview.document.sections], overview.sections) == ([2, 1], {})
    [listed] = [summary for summary in await client.documents() if summary.document_id == document_id]
    assert listed == overview.document


@pytest.mark.full
@pytest.mark.req("E3")
async def test_the_ids_of_more_documents_than_a_server_tells_at_once_are_all_there(
    own_server: NatsServer, open_backstage: Any
) -> None:
    ids = {f"d{number}" for number in range(PAGE + 1)}
    password = own_server.passwords["client-default"]
    async with open_backstage(own_server) as stage:
        for number, document_id in enumerate(sorted(ids)):
            # The server drops what comes too fast unless it is asked to answer now and then.
            publish = stage.js.publish if number % 1_000 == 999 else stage.nats.publish
            await publish(f"$KV.{subjects.VIEWS_BUCKET}.{subjects.view_key(TENANT, document_id)}", b"{}")
        async with Client.connect(own_server.url, tenant=TENANT, user="client-default", password=password) as client:
            await eventually(lambda: _has(client, ids), 60)


async def _has(client: Client, ids: set[str]) -> bool:
    return set(await client.document_ids()) == ids


@pytest.mark.req("L1")
@pytest.mark.parametrize(
    ("today", "state"), [("2025-06-30", ("coming", 1)), ("2026-11-27", ("coming", 124)), ("2027-03-31", ("today", 0))]
)
def test_a_deadline_of_several_days_is_due_on_their_last_once_they_have_begun(
    today: str, state: tuple[str, int]
) -> None:
    due = DueTime(written="01.07.2025 – 31.03.2027", days=("2025-07-01",), until="2027-03-31")
    care = Deadline(deadline_id="D1", kind="end", due=due, source="rfp.pdf", line=1, quote="Pflege")
    [listed] = listed_deadlines([care], date.fromisoformat(today))
    assert (listed.state, listed.days_left) == state


@pytest.mark.req("L1")
def test_a_deadline_of_a_month_is_past_once_the_month_is_over() -> None:
    month = DueTime(written="March 2027", days=("2027-03",))
    due = Deadline(deadline_id="D1", kind="end", due=month, source="rfp.pdf", line=1, quote="March 2027")
    days = [listed_deadlines([due], date(2027, *day))[0] for day in ((3, 31), (4, 1))]
    assert [(one.state, one.days_left) for one in days] == [("today", 0), ("past", -1)]
