"""From requests to commands: what is checked, and that free text is stored before anything is decided."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from stemma_artifacts.store import MemoryArtifactStore
from stemma_artifacts.uploads import UploadStore
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.values import UploadRef
from stemma_orchestrator.catalog import load_catalog
from stemma_orchestrator.core import commands as c
from stemma_orchestrator.intake import Intake, Limits, Refused
from stemma_provisioning import PROVISIONER, NatsServer, client_user, inbox_prefix, provision

ASKED = c.Asked("r1", "0" * 64, "ada")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


async def connect(server: NatsServer, user: str) -> Client:
    prefix = inbox_prefix(user)
    return await nats.connect(
        server.url,
        user=user,
        password=server.passwords[user],
        inbox_prefix=prefix.encode() if isinstance(prefix, str) else prefix,
    )


@pytest.fixture
async def uploads(tmp_path: Path) -> AsyncIterator[UploadStore]:
    with NatsServer(tmp_path / "nats") as server:
        admin = await connect(server, PROVISIONER)
        await provision(admin.jetstream())
        caller = await connect(server, client_user("default"))
        yield UploadStore(caller.jetstream(), "default")
        await caller.close()
        await admin.close()


@pytest.fixture
def intake(uploads: UploadStore) -> Intake:
    async def graphs() -> frozenset[str]:
        return frozenset({"section"})

    catalog = load_catalog(Path(__file__).parents[1] / "config")
    return Intake(catalog, MemoryArtifactStore(), lambda _: uploads, graphs, Limits(1_000, 2_500, 500))


async def create(intake: Intake, **fields: object) -> c.Create:
    request = r.CreateDocument.model_validate({"kind": "proposal", "brief": "Write it."} | fields)
    command = await intake.command("default", ASKED, request, NOW)
    assert isinstance(command, c.Create)
    return command


async def refusal_of(intake: Intake, **fields: object) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        await create(intake, **fields)
    problem = refused.value.problems[0]
    return problem.field, problem.message


@pytest.mark.req("P18")
async def test_stores_the_brief_and_the_title_and_keeps_only_references(intake: Intake) -> None:
    command = await create(intake, title="Bicycles for books")
    assert command.title is not None
    assert await intake.artifacts.get("default", command.document_id, command.brief) == b"Write it."
    assert await intake.artifacts.get("default", command.document_id, command.title) == b"Bicycles for books"
    assert command.time == NOW


async def test_copies_uploads_to_the_artifacts_under_their_names(intake: Intake, uploads: UploadStore) -> None:
    upload = await uploads.put(PNG, name="media/plan.png", media_type="image/png")
    command = await create(intake, inputs=[upload.model_dump()])
    assert [item.name for item in command.inputs] == ["media/plan.png"]
    assert await intake.artifacts.get("default", command.document_id, command.inputs[0].artifact) == PNG


async def test_the_same_request_asks_for_the_same_document(intake: Intake) -> None:
    assert (await create(intake)).document_id == (await create(intake)).document_id


async def test_refuses_an_unknown_kind_and_names_the_known(intake: Intake) -> None:
    field, message = await refusal_of(intake, kind="poem")
    assert field == "kind"
    assert "proposal" in message


async def test_refuses_a_kind_whose_graph_nobody_runs(intake: Intake) -> None:
    async def graphs() -> frozenset[str]:
        return frozenset({"another"})

    field, message = await refusal_of(replace(intake, graphs=graphs))
    assert (field, "'section'" in message) == ("kind", True)


async def test_refuses_a_section_that_the_blueprint_does_not_have(intake: Intake) -> None:
    assert (await refusal_of(intake, sections=["research", "epilogue"]))[0] == "sections.1"


async def test_refuses_an_upload_that_is_not_there(intake: Intake) -> None:
    missing = UploadRef(object_name="0" * 64, digest="0" * 64, size=3, media_type="text/plain", name="a.txt")
    field, message = await refusal_of(intake, inputs=[missing.model_dump()])
    assert (field, "upload it first" in message) == ("inputs.0", True)


@pytest.mark.parametrize(
    ("data", "media_type", "changes", "words"),
    [
        (b"text", "text/plain", {"digest": "0" * 64}, "digest"),
        (b"text", "text/plain", {"size": 5}, "size"),
        (b"not a picture", "image/png", {}, "not image/png"),
        (b"\xff\xfe", "text/markdown", {}, "not UTF-8"),
        (b"x" * 2000, "text/plain", {}, "at most 1000"),
        (b"", "text/plain", {}, "empty"),
        (b"MZ", "application/x-msdownload", {}, "cannot be an input"),
    ],
)
async def test_refuses_an_upload_that_is_not_what_it_says(
    intake: Intake, uploads: UploadStore, data: bytes, media_type: str, changes: dict[str, object], words: str
) -> None:
    upload = await uploads.put(data, name="a.bin", media_type=media_type)
    field, message = await refusal_of(intake, inputs=[upload.model_dump() | changes])
    assert (field, words in message) == ("inputs.0", True), message


async def test_refuses_inputs_that_are_too_much_together(intake: Intake, uploads: UploadStore) -> None:
    files = [await uploads.put(bytes([65 + i]) * 900, name=f"{i}.txt", media_type="text/plain") for i in range(3)]
    assert (await refusal_of(intake, inputs=[upload.model_dump() for upload in files]))[0] == "inputs"


async def test_refuses_a_list_of_inputs_that_no_job_could_carry(intake: Intake, uploads: UploadStore) -> None:
    upload = await uploads.put(b"text", name="a.md", media_type="text/markdown")
    names = [f"{i:03}-{'n' * 120}.md" for i in range(200)]
    field, message = await refusal_of(intake, inputs=[upload.model_dump() | {"name": name} for name in names])
    assert (field, "too many files" in message) == ("inputs", True)


async def test_refuses_two_inputs_of_one_name(intake: Intake, uploads: UploadStore) -> None:
    upload = await uploads.put(b"text", name="a.md", media_type="text/markdown")
    assert (await refusal_of(intake, inputs=[upload.model_dump()] * 2))[0] == "inputs.1.name"


async def test_refuses_a_brief_that_is_too_long(intake: Intake, uploads: UploadStore) -> None:
    upload = await uploads.put(b"b" * 600, name="brief.md", media_type="text/markdown")
    assert (await refusal_of(intake, brief=None, brief_upload=upload.model_dump()))[0] == "brief_upload"


async def test_stores_feedback_before_it_is_decided(intake: Intake) -> None:
    request = r.ReviseSection(document_id="d1", section_id="research", version=1, feedback="Shorter.")
    command = await intake.command("default", ASKED, request, NOW)
    assert isinstance(command, c.Revise)
    assert await intake.artifacts.get("default", "d1", command.feedback) == b"Shorter."
