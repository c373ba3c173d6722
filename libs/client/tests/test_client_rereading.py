"""Documents that are read again: of their logs only what is new."""

from typing import Any

import pytest
from stemma_client import Client, DocumentNotFoundError
from stemma_client.reading import Documents
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

SOME = 40
pytestmark = pytest.mark.req("H2", "P4")


async def read(documents: Documents, client: Client, document_id: str) -> int:
    """How many messages came for a document that is read, which is what its log tells."""
    before = client._connection.nats.stats["in_msgs"]
    found = await documents.read(document_id)
    came = client._connection.nats.stats["in_msgs"] - before
    assert found.document == await client.document(document_id)
    assert [one.sequence for one in found.events] == [one.sequence for one in await client.history(document_id)]
    return came


async def test_of_a_log_that_was_read_only_what_is_new_comes(client: Client, backstage: Any, document_id: str) -> None:
    drafts = [section_drafted("research", version=number) for number in range(1, SOME)]
    await backstage.append(document_id, document_requested(), *drafts)
    documents = client.rereading(most_events=1000)
    assert await read(documents, client, document_id) > SOME
    assert await read(documents, client, document_id) < 5
    await backstage.append(document_id, section_drafted("research", version=SOME), review_requested("research", SOME))
    assert await read(documents, client, document_id) < 15
    known = await documents.read(document_id)
    assert known.document is known.document, "a log is folded into a view once, however large it is"


async def test_what_is_no_event_is_none_the_second_time(client: Client, backstage: Any, document_id: str) -> None:
    await backstage.append(document_id, document_requested())
    documents = client.rereading(most_events=1000)
    await read(documents, client, document_id)
    backstage._numbers[document_id] = 0
    await backstage.append(document_id, section_drafted("research"))
    await read(documents, client, document_id)
    backstage._numbers[document_id] = 1
    await backstage.append(document_id, section_drafted("research"))
    await read(documents, client, document_id)


async def test_no_more_events_are_remembered_than_the_bound(client: Client, backstage: Any, document_id: str) -> None:
    other = f"{document_id}x"
    for each in (document_id, other):
        await backstage.append(each, document_requested(), *[section_drafted("research")] * SOME)
    documents = client.rereading(most_events=SOME + 10)
    assert await read(documents, client, document_id) > SOME
    assert await read(documents, client, other) > SOME
    assert await read(documents, client, other) < 5
    assert await read(documents, client, document_id) > SOME


async def test_a_document_that_is_not_there_is_none(client: Client, document_id: str) -> None:
    with pytest.raises(DocumentNotFoundError, match=document_id):
        await client.rereading(most_events=10).read(document_id)
