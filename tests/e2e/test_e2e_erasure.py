"""An erased document: afterwards no store and no file of the installation has a sentence of it."""

import asyncio
import json
from pathlib import Path

import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client, DocumentNotFoundError
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_testkit.driving import wait_for
from stemma_testkit.servers import eventually

from .conftest import run

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("O7")]
SENTENCE = "Nobody may keep that the wombat ferry carries 4711 lanterns."
CHAPTER = f"# The ferry\n\n{SENTENCE}\n\n![The quay](media/gone.png)\n"
LARGE = "".join(f"{number}. {SENTENCE}\n" for number in range(3000))
"""More than fits a message: an object in a bucket."""


async def paused(client: Client, folder: Path) -> str:
    """A document whose graph waits for an image, with all that it has read in its checkpoints."""
    inputs = folder / "inputs"
    inputs.mkdir()
    (inputs / "chapter.md").write_text(CHAPTER, encoding="utf-8")
    asked = await client.create_document("agentic", brief=f"Write about it. {SENTENCE}", inputs=[inputs])
    await wait_for(client, asked.document_id, lambda event: isinstance(event, e.SectionNeedRaised))
    upload = await client.upload(LARGE.encode(), name="large.txt")
    await client.request(r.AddInput(document_id=asked.document_id, upload=upload))
    return asked.document_id


def files_with(folder: Path, words: str) -> list[str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return sorted(str(file.relative_to(folder)) for file in files if words.encode() in file.read_bytes())


async def test_of_an_erased_document_no_file_has_a_sentence_and_its_last_event_says_what_went(
    stemma: LocalStemma, client: Client, settings: dict[str, str], tmp_path: Path
) -> None:
    document_id = await paused(client, tmp_path)
    before = await asyncio.to_thread(files_with, stemma.folder.root, SENTENCE)
    assert {file.split("/")[-3] for file in before} >= {"ARTIFACTS", "OBJ_artifacts-default", "OBJ_uploads-default"}
    running = await run(settings, "erase", document_id, "--yes")
    assert "the document is running" in running.stderr
    await client.request(r.CancelDocument(document_id=document_id))
    plan = await client.request(r.EraseDocument(document_id=document_id))
    asked = await run(settings, "erase", document_id, "--yes", "--json")
    assert asked.exit_code == 0, asked.stderr

    [*_, last] = await wait_for(client, document_id, lambda event: isinstance(event, e.DocumentErased))
    certificate = last.contract
    assert isinstance(certificate, e.DocumentErased)
    counts = {one.store: one.count for one in certificate.erased}
    planned = {one.store: one.count for one in plan.would_erase}
    assert counts["threads"] == 1
    assert {store for store in planned if counts[store] < planned[store]} == set()
    assert {"artifacts", "uploads", "answers", "events", "summaries"} <= planned.keys()

    async def only_the_last_stays() -> bool:
        return [event.name for event in await client.history(document_id)] == ["document-erased"]

    await eventually(only_the_last_stays)
    assert await asyncio.to_thread(files_with, stemma.folder.root, SENTENCE) == []
    named = await asyncio.to_thread(files_with, stemma.folder.root, document_id)
    assert [file for file in named if not file.startswith(("nats/", "logs/"))] == [], "no checkpoint is left on disk"
    assert document_id not in [one.document_id for one in await client.documents()]
    with pytest.raises(DocumentNotFoundError, match="was erased"):
        await client.document(document_id)
    assert json.loads(asked.stdout)["request_id"] == certificate.request_id
    assert subjects.event("default", document_id, "document-erased") == last.subject
