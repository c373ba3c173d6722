"""Real files go in, and an amendment comes later: on five processes and a real server."""

from __future__ import annotations

from pathlib import Path

import pytest
import typst
from stemma_client import Client
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.inputs import InputChanges
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.requests import ApplyInput
from stemma_contracts.v1.review import ReviewMode
from stemma_testkit.driving import wait_for

pytestmark = pytest.mark.asyncio(loop_scope="session")
PRICES = "Posten;Preis in EUR\nKühlschrank für Impfstoffe;2750\nLieferwagen für die Träger;41300\n"
OUTLINE = (
    OutlineSection(section_id="costs", title="Costs", purpose="What the refrigerator and the van cost.", kind="budget"),
    OutlineSection(section_id="service", title="Service", purpose="How the clinics are visited.", kind="approach"),
)


BRIEF = """= Vaccines on wheels
Ten rural clinics need refrigerators and a van. Say what they cost, in EUR.
#pagebreak()
== Visits
Each clinic is visited twice a week. The visits of the clinics start on 3 May 2027.
"""


def brief_as_pdf(folder: Path) -> Path:
    source, brief = folder / "brief.typ", folder / "brief.pdf"
    source.write_text(BRIEF)
    typst.compile(source, brief)
    return brief


def folder_of(tmp_path: Path) -> Path:
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
    assert {"brief.pdf, p. 2", "prices.csv, A1:B3", "visits.md, Visits"} <= cited
    exported = await client.export(document_id, ExportFormat.MD, citations=True)
    text = await client.text(document_id, exported.artifact)
    assert "]: brief.pdf, p. 2" in text
    plain = await client.export(document_id, ExportFormat.MD)
    assert "[^" not in await client.text(document_id, plain.artifact)


@pytest.mark.req("I1", "I3", "I4")
async def test_files_are_read_and_used_and_what_an_amendment_changes_is_stale(client: Client, tmp_path: Path) -> None:
    old = tmp_path / "old.md"
    old.write_text("# Won in 2019\n\nThe refrigerator cost 9999 EUR and the clinics were happy.\n")
    accepted = await client.create_document(
        "proposal",
        brief=brief_as_pdf(tmp_path),
        inputs=[folder_of(tmp_path)],
        roles={"past-text": [old]},
        review=ReviewMode.NONE,
        outline=OUTLINE,
    )
    document_id = accepted.document_id
    await wait_for(client, document_id, lambda event: isinstance(event, e.DocumentCompleted))
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
    by_name = {one.name: one for one in view.input_views}
    assert "costs" in by_name["prices.csv"].used_by

    exported = await client.export(document_id, ExportFormat.MD)
    assert "Kühlschrank" in await client.text(document_id, exported.artifact)

    prices = tmp_path / "prices.csv"
    prices.write_bytes(PRICES.replace("2750", "3100").encode("cp1252"))
    one = by_name["prices.csv"]
    staged = await client.replace_input(document_id, one.input_id, 1, prices, staged=True)
    await wait_for(client, document_id, lambda event: isinstance(event, e.DocumentInputRead) and event.version == 2)
    view = await client.document(document_id, at_least=staged.sequence)
    told = next(told for told in view.input_views if told.input_id == one.input_id)
    assert (view.stale, told.state) == ((), "staged")
    assert "costs" in told.concerns
    assert told.changes is not None
    changes = InputChanges.model_validate_json(await client.artifact(document_id, told.changes))
    assert any("2750" in part.before and "3100" in part.after for part in changes.changed)

    applied = await client.request(ApplyInput(document_id=document_id, input_id=one.input_id, version=2))
    view = await client.document(document_id, at_least=applied.sequence)
    assert "costs" in {section.section_id for section in view.stale}
    assert view.sections["costs"].stale_inputs[0].name == "prices.csv"
    assert view.status is DocumentStatus.RUNNING
