"""The design document on five services: a review that asks for a revision, a person who does too, and the end."""

from __future__ import annotations

import io

import docx
import pytest
from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CycleStatus
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import listed, request_sample, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")
DRAFTS = ["hld_draft", "lld_draft", "database_schema"]
FINAL = "final_document"


async def final_review(client: Client, document_id: str, since: int = 0) -> list[e.Event]:
    """The events up to the first later one that has the final document wait for a person."""
    seen = 0

    def waits(event: object) -> bool:
        nonlocal seen
        seen += 1
        return seen > since and isinstance(event, e.SectionReviewRequested) and event.section_id == FINAL

    events = await wait_for(client, document_id, waits)
    return [event.contract for event in events if isinstance(event.contract, e.Event)]


async def text(client: Client, document_id: str, section_id: str) -> str:
    draft = (await client.document(document_id)).sections[section_id].draft
    assert draft is not None
    return (await client.artifact(document_id, draft)).decode()


@pytest.mark.req("D1", "D3", "D4", "D5", "D6", "D7")
async def test_a_design_is_reviewed_revised_and_approved_by_a_person(client: Client) -> None:
    document_id = await request_sample(client, ReviewMode.NONE, "design_document")
    events = await final_review(client, document_id)
    assert not [event for event in events if isinstance(event, e.RevisionCycleStarted)]
    drafted = [event for event in events if isinstance(event, e.SectionDrafted)]
    assert [event.section_id for event in drafted] == [*DRAFTS, "review_feedback", FINAL]
    assert [event.review for event in drafted if event.review] == []
    assert "Nobody has reviewed" in await text(client, document_id, "review_feedback")
    assert all(event.retrieved_context for event in drafted)
    assert {event.processing_metadata.agent for event in drafted if event.processing_metadata} == {
        *("SystemArchitectAgent", "APIDataAgent", "DatabaseDesignerAgent", "ReviewerAgent", "WriterFormatterAgent")
    }
    assert "EUR 60 a month" in await text(client, document_id, "hld_draft")
    view = await client.document(document_id)
    assert view.cycle is not None
    assert (view.cycle.document_status, view.cycle.approved) == (CycleStatus.REVIEW, None)

    await client.revise(document_id, FINAL, 1, "Say that the workshop has a fire alarm.", cycle=True)
    events = await final_review(client, document_id, since=len(events))
    assert "fire alarm" in await text(client, document_id, FINAL)
    view = await client.document(document_id)
    await client.approve(document_id, FINAL, view.sections[FINAL].version)
    await wait_for(client, document_id, lambda event: isinstance(event, e.DocumentCompleted))
    view = await client.document(document_id)
    assert view.cycle is not None
    assert (view.cycle.document_status, view.cycle.approved, view.cycle.revision_count) == (CycleStatus.FINAL, True, 0)

    exported = await client.export(document_id, ExportFormat.DOCX)
    document = docx.Document(io.BytesIO(await client.artifact(document_id, exported.artifact)))
    headings = [p.text for p in document.paragraphs if p.style is not None and p.style.name == "Heading 2"]
    assert headings == ["High-level design", "Low-level design", "Database schema"]
    assert exported.warnings == ()

    await client.edit(
        document_id, "hld_draft", view.sections["hld_draft"].version, text="# High-level design\n\nOther.\n"
    )
    view = await client.document(document_id)
    assert [section.section_id for section in view.stale] == ["lld_draft", "database_schema", "review_feedback", FINAL]
    assert view.status is DocumentStatus.RUNNING
    assert (await listed(client, document_id)).cycle == view.cycle
