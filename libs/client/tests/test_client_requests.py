import asyncio
from contextlib import suppress
from typing import Any
from uuid import uuid4

import pytest
from nats.js.errors import NotFoundError
from stemma_client import (
    AccessDeniedError,
    AnswerTimeoutError,
    Client,
    RequestTooLargeError,
    ServerUnreachableError,
)
from stemma_client.requests import with_request_id
from stemma_contracts import Envelope, subjects
from stemma_contracts.v1.requests import ApproveSection, CreateDocument, PauseDocument
from stemma_contracts.v1.review import ReviewMode
from stemma_provisioning import NatsServer
from stemma_testkit.servers import eventually


@pytest.mark.req("E3")
async def test_a_request_is_published_with_an_envelope_and_its_answer_has_the_ids(
    client: Client, backstage: Any
) -> None:
    accepted = await client.create_document("proposal", brief="A bicycle.", review=ReviewMode.NONE)

    message, request = backstage.received[-1]
    envelope = Envelope.from_headers(message.headers)
    assert accepted.document_id == "new-document"
    assert accepted.request_id == request.request_id == envelope.correlation_id
    assert (envelope.type, message.subject) == (
        "stemma.create.document.v1",
        subjects.request("default", "create-document"),
    )


@pytest.mark.req("E3")
@pytest.mark.parametrize(
    ("brief", "given", "title"),
    [
        ("# Bicycles\n\nTen.", "", "Bicycles"),
        ("# Bicycles\n", "Wheels", "Wheels"),
        ("Ten bicycles.", "", ""),
        ("---\nstatus: new\n---\n\n# **Bicycles** for all\n", "", "Bicycles for all"),
    ],
)
async def test_a_document_without_a_title_has_the_heading_that_its_brief_begins_with(
    client: Client, backstage: Any, brief: str, given: str, title: str
) -> None:
    await client.create_document("proposal", brief=brief, title=given)

    assert backstage.received[-1][1].title == title


@pytest.mark.req("E3", "S4")
async def test_a_request_names_the_caller_unless_it_names_somebody_else(client: Client, backstage: Any) -> None:
    client.actor = "ada"
    await client.request(PauseDocument(document_id="d1"))
    await client.approve("d1", "s1", 1)
    await client.request(PauseDocument(document_id="d1", actor="bea"))

    assert [request.actor for _, request in backstage.received[-3:]] == ["ada", "ada", "bea"]


@pytest.mark.req("E3")
async def test_the_answer_to_another_body_under_the_same_id_is_passed_over(client: Client, backstage: Any) -> None:
    request_id = uuid4().hex
    await backstage.answer(request_id, b"the body of somebody else", "not-mine")

    accepted = await client.request(PauseDocument(request_id=request_id, document_id="mine"))

    assert accepted.document_id == "mine"


@pytest.mark.req("E3", "O1")
async def test_an_answer_that_the_copy_of_the_tenant_lacks_is_read_where_it_was_stored(
    client: Client, backstage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy on several servers can lack what came while one of them was lost."""
    monkeypatch.setattr("stemma_client.requests.LOOK_AGAIN_S", 0.1)
    request_id, copies = uuid4().hex, backstage.nats.jetstream(prefix=subjects.copies_api("default"))
    await backstage.answer(request_id, b"the body", "mine")

    async def is_gone() -> bool:
        with suppress(NotFoundError):
            found = await copies.get_last_msg(subjects.ANSWERS, subjects.answer("default", request_id))
            return bool(await copies.delete_msg(subjects.ANSWERS, found.seq))
        return False

    await eventually(is_gone)
    assert (await client.answer(request_id)).document_id == "mine"


async def test_an_answer_that_does_not_come_in_time_can_be_asked_for_again(client: Client, backstage: Any) -> None:
    request_id = uuid4().hex

    with pytest.raises(AnswerTimeoutError, match="whether it was stored is not known here") as late:
        await client.answer(request_id, wait_s=0.05)
    await backstage.answer(late.value.request_id, b"late", "d1")

    assert (await client.answer(request_id)).document_id == "d1"


async def test_who_waits_for_an_answer_hears_that_the_connection_was_closed(client: Client, backstage: Any) -> None:
    request_id, copies = uuid4().hex, backstage.nats.jetstream(prefix=subjects.copies_api("default"))

    async def is_followed() -> bool:
        readers = await copies.consumers_info(subjects.ANSWERS)
        return any(request_id in str(reader.config.filter_subject) for reader in readers)

    waiting = asyncio.create_task(client.answer(request_id))
    await eventually(is_followed)
    await client.documents()  # what this asks is answered behind the one that made the reader
    await client._connection.close()

    with pytest.raises(ServerUnreachableError, match=f"closed before an answer to request {request_id} came"):
        await waiting


async def test_the_same_request_again_is_stored_once(client: Client, backstage: Any) -> None:
    request = PauseDocument(request_id=uuid4().hex, document_id="d1")

    before = (await backstage.js.stream_info(subjects.REQUESTS)).state.messages
    first = await client.request(request)
    again = await client.request(request)
    after = (await backstage.js.stream_info(subjects.REQUESTS)).state.messages

    stored = await backstage.js.get_last_msg(subjects.REQUESTS, subjects.request("default", "pause-document"))

    assert first == again
    assert after == before + 1
    assert stored.headers["ce-source"] == subjects.CALLERS


@pytest.mark.req("F1")
async def test_nothing_is_promised_of_a_request_that_was_lost_and_sent_again_it_is_answered(
    client: Client, backstage: Any
) -> None:
    async def lose_two(_: Any) -> None:
        if len(backstage.received) == 1:
            await backstage.js.purge_stream(subjects.REQUESTS)
        if len(backstage.received) < 3:
            raise LookupError("nobody sees it")

    async def is_gone() -> bool:
        return not (await backstage.js.stream_info(subjects.REQUESTS)).state.messages

    request, backstage.on_request = PauseDocument(request_id=uuid4().hex, document_id="d1"), lose_two
    with pytest.raises(AnswerTimeoutError, match=r" s; it was stored; sent again with this id, it is done once$"):
        await client.request(request, wait_s=0.05)

    await eventually(is_gone)
    assert (await client.request(request)).document_id == "d1"
    assert not await is_gone()


async def test_a_request_that_is_too_large_is_refused_before_it_is_sent(client: Client, backstage: Any) -> None:
    request = CreateDocument(kind="proposal", brief="b", title="t" * 300).model_copy(update={"title": "t" * 70_000})

    with pytest.raises(RequestTooLargeError, match=r"title is too long: it takes 70002 .* 65536 are allowed"):
        await client.request(request)

    assert backstage.received == []


async def test_what_is_long_in_json_goes_up_as_an_upload(client: Client, backstage: Any) -> None:
    for brief in ("word " * 40_000, "\\" * 20_000):
        await client.create_document("proposal", brief=brief)
        request = backstage.received[-1][1]
        assert request.brief is None
        assert (request.brief_upload.size, request.brief_upload.media_type) == (len(brief), "text/markdown")
    await client.edit("d1", "research", 3, text="word " * 40_000)
    request = backstage.received[-1][1]
    assert (request.text, request.text_upload.size) == (None, 200_000)


async def test_no_server_is_an_error_of_its_own_and_comes_soon() -> None:
    async with asyncio.timeout(5):
        with pytest.raises(ServerUnreachableError, match=r"^no server at nats://127\.0\.0\.1:1$"):
            async with Client.connect("nats://me:hidden@127.0.0.1:1"):
                pass


async def test_a_caller_with_a_wrong_password_or_of_another_tenant_is_refused_at_once(server: NatsServer) -> None:
    with pytest.raises(AccessDeniedError, match="refuses user client-default"):
        async with Client.connect(server.url, user="client-default", password="wrong"):
            pass
    password = server.passwords["client-default"]
    async with (
        asyncio.timeout(5),
        Client.connect(server.url, tenant="other", user="client-default", password=password) as client,
    ):
        for refused in (client.request(PauseDocument(document_id="d1")), client.history("d1")):
            with pytest.raises(AccessDeniedError, match="may not do this"):
                await refused


@pytest.mark.req("E1")
def test_the_id_of_a_request_that_may_be_sent_again_follows_from_its_key_and_what_is_asked() -> None:
    first, other = (ApproveSection(document_id="d1", section_id="s1", version=number) for number in (1, 2))
    ids = [with_request_id(request, key).request_id for request, key in ((first, "k"), (first, "k"), (other, "k"))]
    assert ids[0] == ids[1] != ids[2]
    assert with_request_id(first, "l").request_id not in ids
    assert with_request_id(first).request_id != with_request_id(first).request_id
    assert with_request_id(first.model_copy(update={"request_id": "mine"}), "k").request_id == "mine"
