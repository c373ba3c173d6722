"""One document from a folder of Markdown files, on five processes and a real server."""

from __future__ import annotations

import io
import json
from typing import Any

import docx
import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.requests import CancelDocument
from stemma_contracts.v1.review import ReviewMode
from stemma_generation_graph.graphs.document_agent.tools import READABLE
from stemma_kinds import find_kinds
from stemma_testkit.driving import ENDS, request_sample, sample_folder, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")
MISSING = "media/pruning-cut.png"


@pytest.mark.req("G2")
async def test_what_the_kind_asks_for_is_what_its_agent_can_read() -> None:
    blueprint = json.loads((find_kinds()["agentic"].path / "blueprint.json").read_text())
    assert [tuple(section["needs_input"]) for section in blueprint["sections"]] == [READABLE]


async def asked(client: Client, document_id: str) -> Need:
    """What a person is asked for."""
    *_, last = await wait_for(
        client, document_id, lambda event: isinstance(event, e.SectionNeedRaised) and event.need.kind == "question"
    )
    assert isinstance(last.contract, e.SectionNeedRaised)
    return last.contract.need


async def exported_docx(client: Client, document_id: str) -> docx.document.Document:
    exported = await client.export(document_id, ExportFormat.DOCX)
    assert exported.warnings == ()
    return docx.Document(io.BytesIO(await client.artifact(document_id, exported.artifact)))


@pytest.mark.req("G17", "G10", "G12", "G13")
async def test_a_folder_becomes_a_document_and_a_missing_image_is_asked_for_and_skipped(client: Client) -> None:
    document_id = await request_sample(client, ReviewMode.NONE, "agentic")
    need = await asked(client, document_id)
    assert [entry.reference for entry in need.references] == [MISSING]
    await client.answer_need(document_id, "document", need.need_id, decisions={MISSING: "skip"})
    events = [event.contract for event in await wait_for(client, document_id, lambda x: isinstance(x, ENDS))]
    answered = [event for event in events if isinstance(event, e.SectionNeedAnswered)]
    by = [event.answered_by for event in answered]
    checks = by.count("validator")
    assert by == ["person", *["validator"] * checks, "converter", "converter"]
    assert checks >= 6, "each of six chapters, the whole with the last"
    assert not any(event.failed for event in answered)
    [drafted] = [event for event in events if isinstance(event, e.SectionDrafted)]
    assert [(w.code, w.count) for w in drafted.warnings] == [("skipped_image", 1)]
    structure = json.loads(await client.artifact(document_id, answered[-2].answer))
    chapters = [section["title"] for section in structure["sections"]]
    assert chapters == ["01 the orchard", "Pruning", "Harvest and storage"], "below the title that the brief gives"
    document = await exported_docx(client, document_id)
    assert len(document.inline_shapes) == 2
    assert "Image not supplied: media/pruning-cut.png" in "\n".join(p.text for p in document.paragraphs)


@pytest.mark.req("E8", "G16")
async def test_every_line_of_a_session_names_it_over_all_jobs(client: Client, stemma: LocalStemma) -> None:
    document_id = await request_sample(client, ReviewMode.NONE, "agentic")
    need = await asked(client, document_id)
    await client.answer_need(document_id, "document", need.need_id, decisions={MISSING: "skip"})
    raised = await wait_for(
        client, document_id, lambda event: isinstance(event, e.SectionNeedRaised) and event.need.kind == "validation"
    )
    threads = {event.contract.thread_id for event in raised if isinstance(event.contract, e.SectionNeedRaised)}
    await wait_for(client, document_id, is_answered_by_the_validator)
    await client.request(CancelDocument(document_id=document_id))

    told = lines_about(stemma, subjects.GENERATION, document_id)
    assert {line.get("session_id") for line in told if line["event"] in ("node_finished", "tool_called")} == threads
    assert {"node_finished", "tool_called"} <= {line["event"] for line in told}
    assert len({line["job_id"] for line in told if line.get("session_id") in threads}) >= 2
    checked = [line for line in lines_about(stemma, subjects.VALIDATOR, document_id) if "job_id" in line]
    assert {line.get("session_id") for line in checked} == threads


def is_answered_by_the_validator(event: Contract) -> bool:
    return isinstance(event, e.SectionNeedAnswered) and event.answered_by == "validator"


def lines_about(stemma: LocalStemma, service: str, document_id: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in stemma.folder.log(service).read_text().splitlines()]
    return [line for line in lines if line.get("document_id") == document_id]


@pytest.mark.req("G10")
async def test_an_image_that_is_uploaded_stands_in_the_document(client: Client) -> None:
    document_id = await request_sample(client, ReviewMode.NONE, "agentic")
    need = await asked(client, document_id)
    image = await client.upload(sample_folder("agentic") / "inputs" / "media" / "crates.png", name="cut.png")
    await client.answer_need(document_id, "document", need.need_id, decisions={MISSING: image})
    await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
    assert len((await exported_docx(client, document_id)).inline_shapes) == 3
