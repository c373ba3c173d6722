"""The proposal, from a brief to its files, on five processes and a real server."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import docx
import pytest
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.requests import CancelDocument
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import ENDS, approve_all, request_sample, sample_folder, wait_for
from stemma_testkit.servers import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")
SECTIONS = ["research", "solution", "connections", "problem_statement", "approach", "timeline", "budget", "conclusion"]


@pytest.mark.req("E1", "G13")
async def test_a_proposal_goes_from_a_brief_to_a_docx(client: Client) -> None:
    document_id = await request_sample(client)
    events = [event.contract for event in await approve_all(client, document_id)]
    view = await client.document(document_id)
    assert view.status is DocumentStatus.COMPLETED
    assert list(view.sections) == SECTIONS
    for kind in (e.SectionDrafted, e.SectionReviewRequested, e.SectionApproved):
        assert {event.section_id for event in events if isinstance(event, kind)} == set(SECTIONS)
    exported = await client.export(document_id, ExportFormat.DOCX)
    assert exported.warnings == ()
    document = docx.Document(io.BytesIO(await client.artifact(document_id, exported.artifact)))
    headings = [p.text for p in document.paragraphs if p.style is not None and p.style.name == "Heading 1"]
    assert len(headings) == len(SECTIONS)
    assert len(document.inline_shapes) >= 3
    assert len(document.tables) >= 3


@pytest.mark.req("P5")
async def test_sections_that_are_met_are_started_together(client: Client) -> None:
    document_id = await request_sample(client, ReviewMode.NONE)
    seen = await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
    starts = [event.contract.starts for event in seen if isinstance(event.contract, e.Event)]
    assert ("problem_statement", "approach", "timeline", "budget") in starts


@pytest.mark.req("G12")
async def test_leaves_in_every_form_and_says_no_sentence_twice_in_a_section(client: Client) -> None:
    document_id = await request_sample(client, ReviewMode.NONE)
    await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
    files = {}
    for form in ExportFormat:
        exported = await client.export(document_id, form)
        assert exported.warnings == ()
        files[form] = await client.artifact(document_id, exported.artifact)
    assert files[ExportFormat.PDF].startswith(b"%PDF-")
    assert b"<html" in files[ExportFormat.HTML]
    structure = json.loads(files[ExportFormat.JSON])
    assert {"title", "author", "created"} <= set(structure["metadata"])
    assert len(structure["sections"]) == len(SECTIONS)
    text = files[ExportFormat.MD].decode()
    for section in re.split(r"(?m)^## ", text):
        sentences = re.findall(r"[A-Z][^.!?|\n]{40,}[.!?]", section)
        assert len(sentences) == len(set(sentences))
    assert len(re.findall(r"[A-Z][^.!?|\n]{40,}[.!?]", text)) > 60
    assert {"€61,200", "€230,000", "17 May 2028"} <= set(re.findall(r"€[\d,]+|\d+ May 2028", text))


async def test_another_brief_gives_another_document(client: Client, tmp_path: Path) -> None:
    (tmp_path / "facts.md").write_text(
        "# Findings of the survey\n\n"
        "The survey of 2026 found that the lighthouse of Skerry Point has lost a third of its paint. "
        "The keeper reports rust on the gallery, and 214 sailors say that the tower is hard to see by day.\n\n"
        "# Work\n\nThe lighthouse must be painted before October 2027. Painting costs €12,400 and takes three weeks.\n"
    )
    brief = "Propose how the lighthouse of Skerry Point is painted, when, and at what cost."
    accepted = await client.create_document("proposal", brief=brief, inputs=[tmp_path], review=ReviewMode.NONE)
    await wait_for(client, accepted.document_id, lambda event: isinstance(event, (*ENDS, e.SectionReviewRequested)))
    exported = await client.export(accepted.document_id, ExportFormat.MD)
    text = (await client.artifact(accepted.document_id, exported.artifact)).decode()
    assert "lighthouse" in text
    assert "bicycle" not in text


async def test_an_unfinished_document_can_be_exported_and_says_what_is_missing(client: Client) -> None:
    document_id = await request_sample(client)
    await wait_for(client, document_id, lambda event: isinstance(event, e.SectionReviewRequested))
    exported = await client.export(document_id, ExportFormat.MD)
    assert {warning.code for warning in exported.warnings} == {"not_written", "not_approved"}
    await client.request(CancelDocument(document_id=document_id))


def told_of_run(stemma: LocalStemma, document_id: str) -> list[dict[str, Any]]:
    """What all services logged about their work in the traces of a document; a line without a trace is nobody's."""
    logs = [stemma.folder.log(name).read_text() for name in stemma.services]
    lines = [json.loads(line) for text in logs for line in text.splitlines() if line.startswith("{")]
    traces = {line.get("trace_id") for line in lines if line.get("document_id") == document_id}
    told = [line for line in lines if line["event"] in ("message_handled", "node_finished", "tool_called")]
    return [line for line in told if line.get("trace_id") in {None, *traces}]


@pytest.mark.req("E8")
async def test_every_log_line_of_a_run_carries_its_ids_and_none_carries_text(
    client: Client, stemma: LocalStemma
) -> None:
    document_id = await request_sample(client, ReviewMode.NONE)
    await wait_for(client, document_id, lambda event: isinstance(event, ENDS))
    await client.export(document_id, ExportFormat.HTML)

    async def all_told() -> bool:
        services = {line["service"] for line in told_of_run(stemma, document_id)}
        return services >= {"orchestrator", "generation-graph", "validator", "converter"}

    await eventually(all_told)
    for line in told_of_run(stemma, document_id):
        assert {"document_id", "trace_id", "span_id"} <= set(line), line
    brief = (sample_folder() / "brief.md").read_text()
    phrases = re.findall(r"[A-Z][^.]{40,}\.", brief)
    assert phrases
    logs = [stemma.folder.log(name).read_text() for name in stemma.services]
    assert not [phrase for phrase in phrases for text in logs if phrase in text]


def readme_example(name: str) -> str:
    """A file of the README's own example, as its reader writes it."""
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^cat > {re.escape(name)} <<'END'\n(.*?)^END$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.req("T3", "T4", "T8")
async def test_the_example_of_the_readme_has_its_figures_in_the_right_sections(client: Client, tmp_path: Path) -> None:
    (tmp_path / "facts.md").write_text(readme_example("inputs/facts.md"), encoding="utf-8")
    brief = readme_example("brief.md")
    accepted = await client.create_document("proposal", brief=brief, inputs=[tmp_path], review=ReviewMode.NONE)
    await wait_for(client, accepted.document_id, lambda event: isinstance(event, (*ENDS, e.SectionReviewRequested)))
    view = await client.document(accepted.document_id)
    texts = {
        name: (await client.artifact(accepted.document_id, section.draft)).decode()
        for name, section in view.sections.items()
        if section.draft is not None
    }
    assert view.status is DocumentStatus.COMPLETED
    assert all(section.evaluation and not section.evaluation.judged for section in view.sections.values())
    assert [figure for figure in ("640 square metres", "412 visitors, 287") if figure not in texts["research"]] == []
    assert "1 June 2027" in texts["timeline"]
    assert "EUR 4,250" in texts["budget"]
    assert not [name for name, text in texts.items() if "Say who needs it" in text or "Propose a reading" in text]
