"""The buyer's own forms are found, confirmed, drafted, reviewed and given back: on all services and a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from forms_made import empty, parts_of, row, sheet, text, workbook
from stemma_cli.local.supervisor import LocalStemma
from stemma_cli.main import app
from stemma_client import Client
from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.review import ReviewMode
from stemma_contracts.v1.views import DocumentView
from stemma_forms import answers_in, find_fields
from stemma_testkit.driving import wait_for
from typer.testing import CliRunner, Result

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("L7")]
OUTLINE = (OutlineSection(section_id="service", title="Service", purpose="How the clinics are visited."),)
FACTS = "# Facts\n\nBackups are made every night to a second site. The van visits each clinic twice a week.\n"
BACKUPS, VISITS, OTHER = (
    "Describe your backups (max. 12 words):",
    "How often does the van visit each clinic (max. 3 words)?",
    "Which zoologist certifies your penguins?",
)


def questionnaire(*questions: str) -> bytes:
    head = row(1, text("A1", "Question"), text("B1", "Response"))
    asked = (row(n, text(f"A{n}", words), empty(f"B{n}")) for n, words in enumerate(questions, 2))
    return workbook({"Form": sheet(head, *asked)})


def field_of(fields: Mapping[str, str], word: str) -> str:
    return next(name for question, name in fields.items() if word in question)


@pytest.fixture
def settings(stemma: LocalStemma, tmp_path: Path) -> dict[str, str]:
    return {"STEMMA_DATA_DIR": str(stemma.folder.root), "XDG_CONFIG_HOME": str(tmp_path)}


async def run(settings: dict[str, str], *arguments: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, list(arguments), env=settings)


async def begun(client: Client, folder: Path, form: Path) -> str:
    facts = folder / "facts.md"
    facts.write_text(FACTS)
    accepted = await client.create_document(
        "proposal",
        brief="# Vaccines\n\nTen clinics get vaccines.",
        inputs=[facts],
        roles={"form": [form]},
        review=ReviewMode.HUMAN,
        outline=OUTLINE,
    )
    await wait_for(client, accepted.document_id, lambda event: isinstance(event, e.DocumentInputRead))
    return accepted.document_id


async def written(client: Client, document_id: str, section_id: str) -> DocumentView:
    """The document once a section waits for its review."""

    def waits(event: Contract) -> bool:
        return isinstance(event, e.SectionReviewRequested) and event.section_id == section_id

    recorded = await wait_for(client, document_id, waits)
    return await client.document(document_id, at_least=recorded[-1].sequence)


@pytest.mark.full
async def test_a_questionnaire_comes_back_with_approved_answers_and_an_amendment_keeps_them(
    client: Client, settings: dict[str, str], tmp_path: Path
) -> None:
    form, filled = tmp_path / "questionnaire.xlsx", tmp_path / "filled.xlsx"
    form.write_bytes(questionnaire(BACKUPS, VISITS, OTHER))
    document_id = await begun(client, tmp_path, form)
    fields = {field.question: field.id for field in find_fields(form.read_bytes())}

    listed = await run(settings, "form", "proposed", document_id, form.name, "--json")
    assert [field["field_id"] for field in json.loads(listed.stdout)] == list(fields.values())
    assert (await run(settings, "export", document_id, "--form", form.name, "-o", str(filled))).exit_code != 0
    confirmed = await run(settings, "form", "confirm", document_id, form.name)
    section_id = confirmed.stdout.strip()
    view = await written(client, document_id, section_id)
    draft = await client.text(document_id, view.sections[section_id].draft)
    assert all(name in draft for name in fields.values())
    assert answers_in(draft) == {field_of(fields, "backups"): "Backups are made every night to a second site."}

    early = await run(settings, "export", document_id, "--form", form.name, "-o", str(filled))
    assert (early.exit_code != 0, filled.exists()) == (True, False)
    await client.approve(document_id, section_id, 1)
    done = await run(settings, "export", document_id, "--form", form.name, "-o", str(filled))
    assert (done.exit_code, str(filled) in done.stdout) == (5, True)
    assert all(words in done.output for words in (field_of(fields, "van"), field_of(fields, "zoologist")))
    before, after = parts_of(form.read_bytes()), parts_of(filled.read_bytes())
    changed = {name for name in after if before.get(name) != after[name]}
    assert changed <= {"xl/worksheets/sheet1.xml", "xl/workbook.xml"}
    assert b"every night" in after["xl/worksheets/sheet1.xml"]

    form.write_bytes(questionnaire("Name your insurer:", BACKUPS))
    view = await client.document(document_id)
    one = next(each for each in view.input_views if each.is_form)
    await client.replace_input(document_id, one.input_id, one.version, form)
    *_, stale = await wait_for(
        client, document_id, lambda event: isinstance(event, e.Event) and bool(event.makes_stale)
    )
    assert isinstance(stale.contract, e.DocumentInputRead)
    assert [mark.section_id for mark in stale.contract.makes_stale] == [section_id]
    amended = await run(settings, "export", document_id, "--form", form.name, "-o", str(filled))
    assert amended.exit_code == 5
    assert b"every night" in parts_of(filled.read_bytes())["xl/worksheets/sheet1.xml"]
