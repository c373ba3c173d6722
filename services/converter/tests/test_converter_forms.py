"""Answers are written into a form by a job, in a process of its own."""

from io import BytesIO
from typing import Any

import pytest
from forms_made import pdf, pdf_field
from openpyxl import Workbook, load_workbook
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import FillForm, ReadInput
from stemma_contracts.v1.outcomes import FormFilled, FormNotFilled, InputRead
from stemma_converter.handlers import on_fill_form, routes
from stemma_converter.reading_call import accepted, form_fields
from stemma_messaging import WorkerBroker, WorkerSettings
from stemma_testkit.working import routed

pytestmark = pytest.mark.req("L7")
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def questionnaire(*questions: str) -> bytes:
    book, buffer = Workbook(), BytesIO()
    book.active.append(["Question", "Response"])
    for question in questions:
        book.active.append([question, None])
    book.save(buffer)
    return buffer.getvalue()


async def job(exporter: Any, form: bytes, answers: str) -> FillForm:
    head = (await exporter.job("md", "# A\n")).document
    owner = (head.tenant, head.document_id)
    return FillForm(
        job_id="doc-1.1.fill.form-export-1",
        document=head,
        export_id="form-export-1",
        name="rfp/form.xlsx",
        form=await exporter.store.put(*owner, form, media_type=XLSX, name="form.xlsx"),
        answers=await exporter.store.put(*owner, answers.encode(), media_type="text/markdown", name="draft.md"),
    )


async def test_answers_of_a_draft_are_written_and_what_has_none_is_named(exporter: Any) -> None:
    form = questionnaire("Name your insurer", "Describe your backups")
    one, other = form_fields(form)[0]
    asked = await job(exporter, form, f"### {one.field_id}: Name\n\nNorthwind\n\n### f-0123456789: Gone\n\nNo.\n")
    broker = WorkerBroker(subjects.CONVERTER, WorkerSettings())
    broker.include_router(routes(lambda: exporter.tools))
    [(subject, told)] = await routed(broker, subjects.JOBS, subjects.job(subjects.CONVERTER, "fill-form"), asked)
    assert subject == subjects.outcome(subjects.CONVERTER, "form-filled")
    assert isinstance(told, FormFilled)
    assert (told.answered, told.unanswered) == ((one.field_id,), (other.field_id,))
    assert (told.artifact.name, told.artifact.media_type) == ("form.xlsx", XLSX)
    filled = load_workbook(BytesIO(await exporter.store.get("default", "doc-1", told.artifact))).active
    assert [cell.value for cell in filled["B"]] == ["Response", "Northwind", None]


@pytest.mark.parametrize("form", [questionnaire("Name your insurer (max. 2 words)"), b"PK no form"])
async def test_what_a_form_does_not_accept_is_an_outcome_with_every_reason(exporter: Any, form: bytes) -> None:
    names = [field.field_id for field in form_fields(form)[0]]
    asked = await job(exporter, form, "".join(f"### {name}: Name\n\nOne two three.\n" for name in names))
    told = await on_fill_form(asked, readings=exporter.tools.readings)
    assert isinstance(told, FormNotFilled)
    assert len(told.reasons) == 1
    assert ("allows 2 words" if names else "damaged") in told.reasons[0]


def test_fields_that_accept_the_same_are_told_from_others_whatever_stands_around_them() -> None:
    asked, moved = questionnaire("Name your insurer", "Backups"), questionnaire("", "Backups", "Name your insurer")
    limited = questionnaire("Name your insurer", "Backups (max. 3 words)")
    of = [accepted(form_fields(form)[0]) for form in (asked, moved, limited)]
    assert of[0] == of[1] != of[2]


async def form_read(exporter: Any, form: bytes, name: str, media_type: str) -> tuple[list[tuple[str, str | None]], int]:
    """The warnings of the reading of a form with their places, and how many fields it has."""
    head = (await exporter.job("md", "# A\n")).document
    file = await exporter.store.put("default", "doc-1", form, media_type=media_type, name=name)
    about = {"job_id": "doc-1.1.read.input-1", "document": head, "input_id": "input-1", "version": 1}
    told = await exporter.tools.readings.read(ReadInput(**about, name=name, file=file, form=True))
    assert isinstance(told, InputRead)
    fields = told.reading.form.field_ids if told.reading.form else ()
    return [(warning.code, warning.place) for warning in told.reading.warnings], len(fields)


async def test_a_form_is_read_with_its_fields_and_one_without_any_says_so(exporter: Any) -> None:
    assert await form_read(exporter, questionnaire("Name your insurer"), "form.xlsx", XLSX) == ([], 1)
    [(code, _)], fields = await form_read(exporter, questionnaire(), "form.xlsx", XLSX)
    assert (code, fields) == ("no_fields", 0)


@pytest.mark.req("B3")
async def test_a_pdf_form_is_read_with_its_fields_and_what_is_not_filled_is_named(exporter: Any) -> None:
    form = pdf(pdf_field("Tx", "Text1", 700), pdf_field("Sig", "Sign", 600), words={(50, 703): "Company name"})
    warnings, fields = await form_read(exporter, form, "form.pdf", "application/pdf")
    assert ("field_not_supported", "page 1, field Sign") in warnings
    assert fields == 1
