"""Each kind of document, from its brief to its files, with all services and a real server."""

import io
import json
import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import docx
import pytest
from stemma_client import Client
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CycleStatus
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.review import ReviewMode
from stemma_generation_graph.graphs.document_agent.tools import READABLE
from stemma_kinds import find_kinds
from stemma_testkit.driving import ENDS, approve_all, listed, request_sample, sample_folder, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")
SECTIONS = ["research", "solution", "connections", "problem_statement", "approach", "timeline", "budget", "conclusion"]
MISSING = "media/pruning-cut.png"
DRAFTS = ["hld_draft", "lld_draft", "database_schema"]
FINAL = "final_document"
STOPS = (*ENDS, e.SectionReviewRequested)
Waits = Callable[[Contract], bool]


def is_a(*kinds: type[Contract]) -> Waits:
    return lambda event: isinstance(event, kinds)


async def exported(client: Client, document_id: str, form: ExportFormat, **how: Any) -> bytes:
    done = await client.export(document_id, form, **how)
    assert done.warnings == ()
    return await client.artifact(document_id, done.artifact)


def headings(document: docx.document.Document, style: str) -> list[str]:
    return [p.text for p in document.paragraphs if p.style is not None and p.style.name == style]


@pytest.mark.req("E1", "G12", "G13", "P5")
async def test_a_proposal_goes_from_a_brief_to_every_file(client: Client) -> None:
    document_id = await request_sample(client)
    await wait_for(client, document_id, is_a(e.SectionReviewRequested))
    unfinished = await client.export(document_id, ExportFormat.MD)
    assert {warning.code for warning in unfinished.warnings} == {"not_written", "not_approved"}

    events = [event.contract for event in await approve_all(client, document_id)]
    view = await client.document(document_id)
    assert (view.status, list(view.sections)) == (DocumentStatus.COMPLETED, SECTIONS)
    for kind in (e.SectionDrafted, e.SectionReviewRequested, e.SectionApproved):
        assert {event.section_id for event in events if isinstance(event, kind)} == set(SECTIONS)

    files = {form: await exported(client, document_id, form) for form in ExportFormat}
    document = docx.Document(io.BytesIO(files[ExportFormat.DOCX]))
    assert len(headings(document, "Heading 1")) == len(SECTIONS)
    assert min(len(document.inline_shapes), len(document.tables)) >= 3
    assert files[ExportFormat.PDF].startswith(b"%PDF-")
    assert b"<html" in files[ExportFormat.HTML]
    structure = json.loads(files[ExportFormat.JSON])
    assert {"title", "author", "created"} <= set(structure["metadata"])
    assert len(structure["sections"]) == len(SECTIONS)
    text = files[ExportFormat.MD].decode()
    for section in re.split(r"(?m)^## ", text):
        sentences = re.findall(r"[A-Z][^.!?|\n]{40,}[.!?]", section)
        assert len(sentences) == len(set(sentences)), "no sentence is said twice in a section"
    assert {"€59,200", "€230,000", "17 May 2028"} <= set(re.findall(r"€[\d,]+|\d+ May 2028", text))


@pytest.mark.req("G2")
async def test_what_the_kind_asks_for_is_what_its_agent_can_read() -> None:
    blueprint = json.loads((find_kinds()["agentic"].path / "blueprint.json").read_text())
    assert [tuple(section["needs_input"]) for section in blueprint["sections"]] == [READABLE]


async def need(client: Client, document_id: str, kind: str = "question") -> Need:
    *_, last = await wait_for(
        client, document_id, lambda event: isinstance(event, e.SectionNeedRaised) and event.need.kind == kind
    )
    assert isinstance(last.contract, e.SectionNeedRaised)
    return last.contract.need


@pytest.mark.req("G17", "G10", "G12", "G13")
async def test_a_folder_becomes_a_document_and_a_missing_image_is_asked_for_and_skipped(client: Client) -> None:
    document_id = await request_sample(client, ReviewMode.NONE, "agentic")
    asked = await need(client, document_id)
    assert [entry.reference for entry in asked.references] == [MISSING]
    await client.answer_need(document_id, "document", asked.need_id, decisions={MISSING: "skip"})
    events = [event.contract for event in await wait_for(client, document_id, is_a(*ENDS))]
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
    document = docx.Document(io.BytesIO(await exported(client, document_id, ExportFormat.DOCX)))
    assert len(document.inline_shapes) == 2
    assert "Image not supplied: media/pruning-cut.png" in "\n".join(p.text for p in document.paragraphs)


async def final_review(client: Client, document_id: str, since: int = 0) -> list[e.Event]:
    """The events up to the first later one that has the final document wait for a person."""
    seen = 0

    def waits(event: object) -> bool:
        nonlocal seen
        seen += 1
        return seen > since and isinstance(event, e.SectionReviewRequested) and event.section_id == FINAL

    events = await wait_for(client, document_id, waits)
    return [event.contract for event in events if isinstance(event.contract, e.Event)]


async def text_of(client: Client, document_id: str, section_id: str) -> str:
    return await client.text(document_id, (await client.document(document_id)).sections[section_id].draft)


@pytest.mark.req("D1", "D3", "D4", "D5", "D6", "D7")
async def test_a_design_is_reviewed_revised_and_approved_by_a_person(client: Client) -> None:
    document_id = await request_sample(client, ReviewMode.NONE, "design_document")
    events = await final_review(client, document_id)
    assert not [event for event in events if isinstance(event, e.RevisionCycleStarted)]
    drafted = [event for event in events if isinstance(event, e.SectionDrafted)]
    assert [event.section_id for event in drafted] == [*DRAFTS, "review_feedback", FINAL]
    assert [event.review for event in drafted if event.review] == []
    assert "Nobody has reviewed" in await text_of(client, document_id, "review_feedback")
    assert all(event.retrieved_context for event in drafted)
    assert {event.processing_metadata.agent for event in drafted if event.processing_metadata} == {
        *("SystemArchitectAgent", "APIDataAgent", "DatabaseDesignerAgent", "ReviewerAgent", "WriterFormatterAgent")
    }
    assert "5,900 bookings" in await text_of(client, document_id, "hld_draft")
    view = await client.document(document_id)
    assert view.cycle is not None
    assert (view.cycle.document_status, view.cycle.approved) == (CycleStatus.REVIEW, None)

    await client.revise(document_id, FINAL, 1, "Say that the workshop has a fire alarm.", cycle=True)
    events = await final_review(client, document_id, since=len(events))
    assert "fire alarm" in await text_of(client, document_id, FINAL)
    view = await client.document(document_id)
    await client.approve(document_id, FINAL, view.sections[FINAL].version)
    await wait_for(client, document_id, is_a(e.DocumentCompleted))
    view = await client.document(document_id)
    assert view.cycle is not None
    assert (view.cycle.document_status, view.cycle.approved, view.cycle.revision_count) == (CycleStatus.FINAL, True, 0)
    document = docx.Document(io.BytesIO(await exported(client, document_id, ExportFormat.DOCX)))
    assert headings(document, "Heading 2") == ["High-level design", "Low-level design", "Database schema"]

    await client.edit(
        document_id, "hld_draft", view.sections["hld_draft"].version, text="# High-level design\n\nOther.\n"
    )
    view = await client.document(document_id)
    assert [section.section_id for section in view.stale] == ["lld_draft", "database_schema", "review_feedback", FINAL]
    assert view.status is DocumentStatus.RUNNING
    assert (await listed(client, document_id)).cycle == view.cycle


@pytest.mark.req("R1", "R2", "R3", "R9")
async def test_a_request_is_answered_by_several_roles_in_one_text(client: Client) -> None:
    folder = sample_folder("roles")
    brief = (folder / "brief.md").read_text()
    accepted = await client.create_document("roles", brief=brief, inputs=[folder / "inputs"])
    execution_id = accepted.graph_execution_ids["document"]
    assert UUID(execution_id).version == 5
    seen = await wait_for(client, accepted.document_id, is_a(*STOPS))
    assert isinstance(seen[-1].contract, e.DocumentCompleted), seen[-1].contract
    [drafted] = [event.contract for event in seen if isinstance(event.contract, e.SectionDrafted)]
    told = drafted.processing_metadata
    assert told is not None
    assert (told.graph_execution_id, told.timed_out, drafted.partial) == (execution_id, False, False)
    assert [run.node for run in told.nodes] == [
        "role_analyzer",
        *["dynamic_agent_executor"] * 3,
        "synthesizer",
        "output_formatter",
    ]
    assert {run.role_id for run in told.nodes} == {"", "general_writer", "editor", "content_strategist"}
    text = (await exported(client, accepted.document_id, ExportFormat.MD)).decode()
    assert "EUR 38,400" in text
    assert "318 passengers" in text
