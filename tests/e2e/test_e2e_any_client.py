"""Callers that know nothing of ours: plain JSON over nats-py, early, late and wrong."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import nats
import pytest
import pytest_asyncio
from faults_here import asked
from nats.aio.client import Client as Nats
from nats.js.api import ConsumerConfig, DeliverPolicy
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import ENDS, request_sample, sample_folder, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")
MEDIA_TYPES = {".md": "text/markdown", ".png": "image/png", ".dwg": "application/octet-stream"}
ATTACHMENT = "drawings/plan.dwg"
MEGABYTE = 1_000_000
BRIEF = {
    "kind": "proposal",
    "brief": "Propose a reading garden beside the library.",
    "review": {"mode": "none"},
    "sections": ["research"],
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def plain(stemma: LocalStemma) -> AsyncIterator[Nats]:
    user = "client-default"
    connection = await nats.connect(
        stemma.url, user=user, password=stemma.password(user), inbox_prefix=f"_INBOX_{user}".encode()
    )
    yield connection
    await connection.close()


async def read(plain: Nats, stream: str, subject: str, until: int) -> list[tuple[str, dict[str, object]]]:
    """The first messages under a subject, from the start of the stream."""
    name = f"plain-{subject.replace('.', '-').replace('*', 'any').replace('>', 'all')}-{until}"
    config = ConsumerConfig(name=name, filter_subject=subject, deliver_policy=DeliverPolicy.ALL)
    subscription = await plain.jetstream().pull_subscribe(subject, stream=stream, config=config)
    found: list[tuple[str, dict[str, object]]] = []
    async with asyncio.timeout(60):
        while len(found) < until:
            try:
                messages = await subscription.fetch(until - len(found), timeout=1)
            except TimeoutError:
                continue
            found += [(message.subject, json.loads(message.data)) for message in messages]
    await subscription.unsubscribe()
    return found


@pytest.mark.req("E3", "E4")
async def test_plain_json_is_answered_and_its_progress_can_be_replayed(plain: Nats) -> None:
    body = json.dumps({**BRIEF, "request_id": "garden-1"}).encode()
    await plain.jetstream().publish("stemma.request.v1.default.create-document", body)
    [(_, answer)] = await read(plain, "ANSWERS", "stemma.answer.v1.default.garden-1", 1)
    document_id = answer["document_id"]
    events = await read(plain, "EVENTS", f"stemma.event.v1.default.{document_id}.*", 3)
    assert [subject.rsplit(".", 1)[1] for subject, _ in events][:2] == ["document-requested", "section-drafted"]


@pytest.mark.req("E3")
async def test_the_same_request_twice_is_one_document_and_the_same_id_with_another_body_is_rejected(
    plain: Nats,
) -> None:
    for brief in ("One.", "One.", "Another."):
        body = json.dumps({**BRIEF, "brief": brief, "request_id": "garden-3"}).encode()
        await plain.jetstream().publish("stemma.request.v1.default.create-document", body)
    answers: list[Any] = [answer for _, answer in await read(plain, "ANSWERS", "stemma.answer.v1.default.garden-3", 3)]
    assert answers[0]["document_id"] == answers[1]["document_id"]
    assert [problem["field"] for problem in answers[2]["problems"]] == ["request_id"]


@pytest.mark.req("E3")
async def test_a_wrong_request_is_rejected_under_its_stream_sequence(plain: Nats) -> None:
    acknowledged = await plain.jetstream().publish("stemma.request.v1.default.create-document", b"not json")
    [(_, answer)] = await read(plain, "ANSWERS", f"stemma.answer.v1.default.seq-{acknowledged.seq}", 1)
    assert answer["problems"]


@pytest.mark.req("E4")
async def test_a_raw_subscription_sees_what_the_client_sees(client: Client, plain: Nats) -> None:
    live = await plain.subscribe("stemma.event.v1.default.*.*")
    document_id = await asked(client, ReviewMode.NONE, "raw")
    followed = await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
    raw: list[tuple[str, bytes]] = []
    async with asyncio.timeout(20):
        while not raw or not raw[-1][0].endswith("document-completed"):
            message = await live.next_msg(timeout=20)
            if f".{document_id}." in message.subject:
                raw.append((message.subject, message.data))
    assert raw == [(event.subject, event.data) for event in followed]


@pytest.mark.req("E4")
async def test_generated_text_is_seen_as_it_comes(client: Client) -> None:
    document_id = await request_sample(client)
    pieces: list[str] = []

    async def listen() -> None:
        async for piece in client.follow_live(document_id):
            if piece.section_id == "problem_statement":
                pieces.append(piece.text)

    listening = asyncio.create_task(listen())
    for name in ("research", "solution", "connections"):
        waits = await wait_for(client, document_id, lambda x, n=name: _waits(x, n))  # type: ignore[misc]
        assert waits
        await client.approve(document_id, name, 1)
    await wait_for(client, document_id, lambda x: _waits(x, "problem_statement"))
    listening.cancel()
    draft = (await client.document(document_id)).sections["problem_statement"].draft
    assert draft is not None
    assert len(pieces) > 1
    assert "".join(pieces).strip() == (await client.artifact(document_id, draft)).decode().strip()


def _waits(event: object, section_id: str) -> bool:
    return isinstance(event, e.SectionReviewRequested) and event.section_id == section_id


async def test_a_caller_of_another_tenant_and_one_without_credentials_are_refused(
    stemma: LocalStemma, plain: Nats
) -> None:
    with pytest.raises(Exception, match=r"(?i)timeout|permission"):
        await plain.jetstream(timeout=1).publish("stemma.request.v1.other.create-document", b"{}")
    with pytest.raises(nats.errors.Error, match="Authorization"):
        await nats.connect(stemma.url, max_reconnect_attempts=0, allow_reconnect=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs in folders: texts, images, and a file of 20 MB that no writer reads."""
    folder = tmp_path_factory.mktemp("inputs")
    for file in (sample_folder() / "inputs").rglob("*.*"):
        (folder / file.relative_to(sample_folder() / "inputs")).parent.mkdir(exist_ok=True)
        (folder / file.relative_to(sample_folder() / "inputs")).write_bytes(file.read_bytes())
    (folder / ATTACHMENT).parent.mkdir()
    (folder / ATTACHMENT).write_bytes(os.urandom(20 * MEGABYTE))
    return folder


def files_in(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.*")) if path.is_file()}


async def check_inputs(client: Client, document_id: str, folder: Path) -> None:
    """Every file is kept as it was, and the writers go to work without what they cannot read."""
    events = await wait_for(client, document_id, lambda event: isinstance(event, e.SectionDrafted))
    requested = events[0].contract
    assert isinstance(requested, e.DocumentRequested)
    assert [file.name for file in requested.inputs] == list(files_in(folder))
    for file in requested.inputs:
        assert await client.artifact(document_id, file.artifact) == files_in(folder)[file.name].read_bytes()


@pytest.mark.req("E3")
async def test_images_folders_and_20_mb_go_up_through_plain_nats(plain: Nats, client: Client, folder: Path) -> None:
    bucket = await plain.jetstream().object_store("uploads-default")
    uploads = []
    for name, path in files_in(folder).items():
        data = path.read_bytes()
        await bucket.put(f"mine/{name}", data)
        upload = {"object_name": f"mine/{name}", "name": name, "media_type": MEDIA_TYPES[path.suffix]}
        uploads.append(upload | {"digest": sha256(data).hexdigest(), "size": len(data)})
    body = json.dumps({"kind": "proposal", "brief": "A library.", "inputs": uploads, "request_id": "files-1"})
    await plain.jetstream().publish("stemma.request.v1.default.create-document", body.encode())
    [(_, answer)] = await read(plain, "ANSWERS", "stemma.answer.v1.default.files-1", 1)
    await check_inputs(client, str(answer["document_id"]), folder)
