"""A form of the buyer on the desk: its fields are confirmed, and its answers written into it."""

import httpx
import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.forms import AnsweredForm, FormField, FormFields, FoundFields
from stemma_contracts.v1.inputs import InputReading
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.requests import ConfirmFormFields, ExportForm
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, form_export_requested, form_exported, plan

from .conftest import PAGES
from .desk_pages import plain, requested

pytestmark = pytest.mark.req("H2", "H8")
FIELDS = FormFields(
    fields=(
        FormField(field_id="f-1", place="A1", group="Offer", question="Name <b>of</b> bidder", most=5),
        FormField(field_id="f-2", place="A2", allowed=("yes", "no"), kind="choice"),
    )
)


async def prepare(bus: Backstage, document_id: str) -> None:
    """A document that has a form whose fields nobody confirmed."""
    file = await bus.text(document_id, "form")
    fields = await bus.text(document_id, FIELDS.model_dump_json())
    found = FoundFields(fields=fields, field_ids=("f-1", "f-2"))
    added = InputFile(name="form <i>.docx", artifact=file, form=True)
    await bus.append(
        document_id,
        document_requested(),
        e.DocumentInputAdded(input_id="input-1", file=added, to_read=True),
        e.DocumentInputRead(input_id="input-1", version=1, job_id="j1", reading=InputReading(text=file, form=found)),
    )
    await bus.list_research(document_id)


async def confirmed(bus: Backstage, document_id: str) -> None:
    fields = await bus.text(document_id, FIELDS.model_dump_json())
    form = AnsweredForm(input_id="input-1", version=1, fields=fields, dropped=("f-2",))
    section = plan("form-input-1").model_copy(update={"form": form})
    await bus.append(document_id, e.FormFieldsConfirmed(input_id="input-1", version=1, section=section))


def form(document_id: str) -> str:
    return f"/desk/documents/{document_id}/inputs/input-1"


async def test_the_fields_of_a_form_are_shown_and_those_that_are_ticked_are_dropped(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = await http.get(form(document_id), headers=PAGES)
    assert "Name <b>of</b> bidder Offer, A1 · at most 5 words" in plain(page.text)
    assert "<b>of</b>" not in page.text
    assert "Write the answers into the form" not in page.text
    files = {"version": (None, "1"), "dropped": (None, "f-2")}
    done = await http.post(f"{form(document_id)}/confirm", files=files, headers=PAGES, follow_redirects=True)
    assert "Done: its fields are answered in a section of their own" in plain(done.text)
    asked = requested(bus, ConfirmFormFields)
    assert (asked.input_id, asked.version, asked.dropped) == ("input-1", 1, ("f-2",))


async def test_a_form_is_written_once_its_section_is_approved_and_a_refusal_is_told_beside_it(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await confirmed(bus, document_id)
    waits = plain((await http.get(form(document_id), headers=PAGES)).text)
    assert "Answered in Form-Input-1" in waits
    assert "as soon as this section is approved" in waits
    bus.problems = (Problem.of("form_without_fields", "input_id", input_id="input-1"),)
    refused = await http.post(f"{form(document_id)}/form", headers=PAGES)
    assert "Not done" in plain(refused.text)
    requested(bus, ExportForm)
    text = await bus.text(document_id, "answers")
    settled = e.SectionEdited(section_id="form-input-1", version=1, draft=text, origin=Origin.WRITTEN, actor="ada")
    asked_for = form_export_requested("x1").model_copy(update={"section_id": "form-input-1"})
    await bus.append(document_id, settled, asked_for, form_exported("x1", text))
    page = (await http.get(form(document_id), headers=PAGES)).text
    assert "Write the answers into the form" in plain(page)
    assert f'/documents/{document_id}/form-exports/x1/content" download' in page
    assert "answered: 1, open: 1" in plain(page)
