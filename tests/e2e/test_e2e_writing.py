"""Each kind of document, from its brief to its files, with all services and a real server."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID
from zipfile import ZipFile

import docx
import pytest
import typst
from PIL import Image
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_client.pictures import drawn, with_image
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.cycles import CycleStatus
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.inputs import InputChanges
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.requests import ApplyInput, CancelDocument
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


def readme_example(name: str) -> str:
    """A file of the README's own example, as its reader writes it."""
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^cat > {re.escape(name)} <<'END'\n(.*?)^END$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.full
@pytest.mark.req("T3", "T4", "T8")
async def test_the_example_of_the_readme_has_its_figures_in_the_right_sections(client: Client, tmp_path: Path) -> None:
    (tmp_path / "facts.md").write_text(readme_example("inputs/facts.md"), encoding="utf-8")
    brief = readme_example("brief.md")
    accepted = await client.create_document("proposal", brief=brief, inputs=[tmp_path])
    seen = await approve_all(client, accepted.document_id)
    starts = [event.contract.starts for event in seen if isinstance(event.contract, e.Event)]
    assert ("problem_statement", "approach", "timeline", "budget") in starts
    view = await client.document(accepted.document_id)
    texts = {name: await client.text(accepted.document_id, section.draft) for name, section in view.sections.items()}
    assert view.status is DocumentStatus.COMPLETED
    assert all(section.evaluation and not section.evaluation.judged for section in view.sections.values())
    assert [figure for figure in ("640 square metres", "412 visitors, 287") if figure not in texts["research"]] == []
    assert "1 June 2027" in texts["timeline"]
    assert "EUR 4,250" in texts["budget"]
    assert not [name for name, text in texts.items() if "Say who needs it" in text or "Propose a reading" in text]
    assert texts["conclusion"] == "# Conclusion\n\n## Next step\n", "what ours say nothing on is open"
    done = await client.export(accepted.document_id, ExportFormat.MD)
    assert "conclusion" in {remark.section_id for remark in done.remarks if remark.code == "open_heading"}


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


@pytest.mark.full
@pytest.mark.req("E8", "G16", "G10")
async def test_every_log_line_of_a_session_names_it_over_all_jobs_and_an_uploaded_image_is_shown(
    apart: LocalStemma,
) -> None:
    async with apart.client() as client:
        document_id = await request_sample(client, ReviewMode.NONE, "agentic")
        asked = await need(client, document_id)
        image = await client.upload(sample_folder("agentic") / "inputs" / "media" / "crates.png", name="cut.png")
        await client.answer_need(document_id, "document", asked.need_id, decisions={MISSING: image})
        events = [event.contract for event in await wait_for(client, document_id, is_a(*ENDS))]
        document = docx.Document(io.BytesIO(await exported(client, document_id, ExportFormat.DOCX)))
    assert len(document.inline_shapes) == 3
    threads = {event.thread_id for event in events if isinstance(event, e.SectionNeedRaised)}
    told = lines_about(apart, subjects.GENERATION, document_id)
    assert {line.get("session_id") for line in told if line["event"] in ("node_finished", "tool_called")} == threads
    assert {"node_finished", "tool_called"} <= {line["event"] for line in told}
    assert len({line["job_id"] for line in told if line.get("session_id") in threads}) >= 2
    checked: dict[str, set[str | None]] = {}
    for line in lines_about(apart, subjects.VALIDATOR, document_id):
        checked.setdefault(line.get("job_id", ""), set()).add(line.get("session_id"))
    assert [sessions for sessions in checked.values() if len(sessions) > 1] == [], "of a job all lines or none"
    assert threads <= set().union(*checked.values())


def lines_about(stemma: LocalStemma, service: str, document_id: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in stemma.folder.log(service).read_text().splitlines()]
    return [line for line in lines if line.get("document_id") == document_id]


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


PRICES = "Posten;Preis in EUR\nKühlschrank für Impfstoffe;2750\nLieferwagen für die Träger;41300\n"
CLINICS = (
    OutlineSection(section_id="costs", title="Costs", purpose="What the refrigerator and the van cost.", kind="budget"),
    OutlineSection(section_id="service", title="Service", purpose="How the clinics are visited.", kind="approach"),
)
BRIEF = """= Vaccines on wheels
Ten rural clinics need refrigerators and a van. Say what they cost, in EUR.
#pagebreak()
== Visits
Each clinic is visited twice a week. The visits of the clinics start on 3 May 2027.
"""


def brief_as_pdf(folder: Path, words: str = BRIEF) -> Path:
    source, brief = folder / "brief.typ", folder / "brief.pdf"
    source.write_text(words, encoding="utf-8")
    typst.compile(source, brief)
    return brief


def inputs_in(tmp_path: Path) -> Path:
    folder = tmp_path / "inputs"
    folder.mkdir()
    (folder / "prices.csv").write_bytes(PRICES.encode("cp1252"))
    (folder / "visits.md").write_text("# Visits\n\nA nurse drives the van to each clinic on Monday and on Thursday.\n")
    (folder / "scan.dwg").write_bytes(b"\0\1\2\3" * 400)
    (folder / "empty.pdf").write_bytes(b"")
    return folder


async def cites_pages_and_cells(client: Client, document_id: str) -> None:
    """Where each section has what it says from is known, and is printed if that is asked for."""
    reports = [await client.grounding(document_id, name) for name in ("costs", "service")]
    cited = {f"{p.name}, {p.label}" for report in reports if report for one in report.cited for p in one.places}
    assert {"prices.csv, A1:B3", "visits.md, Visits"} <= cited
    assert b"]: visits.md, Visits" in await exported(client, document_id, ExportFormat.MD, citations=True)
    plain = (await exported(client, document_id, ExportFormat.MD)).decode()
    assert ("[^" in plain, "Kühlschrank" in plain) == (False, True)


async def amended(client: Client, document_id: str, prices: Path) -> None:
    """An amendment is compared before it counts, and makes stale what was written from it."""
    prices.write_bytes(PRICES.replace("2750", "3100").encode("cp1252"))
    [one] = [each for each in (await client.document(document_id)).input_views if each.name == prices.name]
    assert "costs" in one.used_by
    staged = await client.replace_input(document_id, one.input_id, 1, prices, staged=True)
    await wait_for(client, document_id, lambda event: isinstance(event, e.DocumentInputRead) and event.version == 2)
    view = await client.document(document_id, at_least=staged.sequence)
    [told] = [each for each in view.input_views if each.input_id == one.input_id]
    assert (view.stale, told.state, "costs" in told.concerns) == ((), "staged", True)
    assert told.changes is not None
    changes = InputChanges.model_validate_json(await client.artifact(document_id, told.changes))
    assert any("2750" in part.before and "3100" in part.after for part in changes.changed)

    applied = await client.request(ApplyInput(document_id=document_id, input_id=one.input_id, version=2))
    view = await client.document(document_id, at_least=applied.sequence)
    assert "costs" in {section.section_id for section in view.stale}
    assert view.sections["costs"].stale_inputs[0].name == prices.name
    assert view.status is DocumentStatus.RUNNING


@pytest.mark.req("I1", "I3", "I4")
async def test_files_are_read_and_used_and_what_an_amendment_changes_is_stale(client: Client, tmp_path: Path) -> None:
    old = tmp_path / "old.md"
    old.write_text("# Won in 2019\n\nThe refrigerator cost 9999 EUR and the clinics were happy.\n")
    folder = inputs_in(tmp_path)
    accepted = await client.create_document(
        "proposal",
        brief=brief_as_pdf(tmp_path),
        inputs=[folder],
        roles={"past-text": [old]},
        review=ReviewMode.NONE,
        outline=CLINICS,
    )
    document_id = accepted.document_id
    await wait_for(client, document_id, is_a(e.DocumentCompleted))
    view = await client.document(document_id)
    states = {one.name: (one.state, one.unreadable.reason if one.unreadable else "") for one in view.input_views}
    assert states == {
        "brief.pdf": ("read", ""),
        "empty.pdf": ("unreadable", "empty"),
        "old.md": ("read", ""),
        "prices.csv": ("read", ""),
        "scan.dwg": ("unreadable", "unknown"),
        "visits.md": ("read", ""),
    }
    assert await client.text(document_id, view.title) == "Vaccines on wheels"
    brief = view.input_views[0]
    assert (brief.input_id, brief.figures.pages) == ("brief", 2)
    await cites_pages_and_cells(client, document_id)
    costs = await client.text(document_id, view.sections["costs"].draft)
    assert "2750" in costs or "2,750" in costs
    assert "9999" not in costs
    await amended(client, document_id, folder / "prices.csv")


@pytest.mark.full
@pytest.mark.req("T5", "I1")
async def test_a_german_brief_as_pdf_gives_a_german_document_once_it_is_read(client: Client, tmp_path: Path) -> None:
    words = "= Ein Lesegarten\n\nSchlage einen Lesegarten auf der Wiese neben der Stadtbibliothek vor.\n"
    accepted = await client.create_document("proposal", brief=brief_as_pdf(tmp_path, words))
    await wait_for(client, accepted.document_id, is_a(e.DocumentInputRead))
    view = await client.document(accepted.document_id)
    assert (view.language, view.sections["research"].title) == ("de", "Ausgangslage")
    await client.request(CancelDocument(document_id=accepted.document_id))


DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">
<rect width="200" height="100" fill="navy"/><image href="file:///etc/passwd"/></svg>"""
VISITS = "The ferry carries 40 people to the island every morning."
RETURN = "The ferry returns with 25 crates of oysters every evening."


def ferry_in_word(folder: Path) -> Path:
    picture, word = folder / "ferry.png", docx.Document()
    Image.new("RGB", (60, 40), "teal").save(picture)
    word.add_heading("The ferry", 1)
    word.add_paragraph(VISITS)
    word.add_picture(str(picture))
    word.add_paragraph(RETURN)
    word.save(str(folder / "ferry.docx"))
    return folder / "ferry.docx"


@pytest.mark.full
@pytest.mark.req("I5", "P9")
async def test_a_picture_of_an_input_and_a_drawing_of_a_person_are_in_the_text_and_the_file(
    client: Client, tmp_path: Path
) -> None:
    ferry = OutlineSection(section_id="ferry", title="The ferry", purpose="What the ferry carries.", kind="approach")
    brief = "Describe the ferry: how many people and crates it carries."
    inputs = [ferry_in_word(tmp_path)]
    accepted = await client.create_document(
        "proposal", brief=brief, inputs=inputs, review=ReviewMode.NONE, outline=(ferry,)
    )
    document_id = accepted.document_id
    await wait_for(client, document_id, is_a(*ENDS))
    text = await text_of(client, document_id, "ferry")
    assert text.index(VISITS) < text.index("](ferry-image-") < text.index(RETURN), text

    site = tmp_path / "site.svg"
    site.write_text(DRAWING)
    shown = await drawn(client, document_id, site, "site-1a.svg")
    assert await drawn(client, document_id, site, "site-1a.svg") == shown, "it is one input"
    await client.edit(document_id, "ferry", 1, text=with_image(text, shown, "The site", None))
    await wait_for(client, document_id, is_a(e.SectionEdited))
    done = await client.export(document_id, ExportFormat.DOCX)
    with ZipFile(io.BytesIO(await client.artifact(document_id, done.artifact))) as package:
        pictures = [package.read(name) for name in package.namelist() if name.startswith("word/media/")]
    assert {(60, 40), (1200, 600)} <= {Image.open(io.BytesIO(picture)).size for picture in pictures}
