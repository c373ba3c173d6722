"""The buyer's forms: fields are confirmed, and a section of its own answers them."""

from dataclasses import replace
from typing import Any, TypedDict

import domain_asking as asking
import pytest
from domain_story import DOCUMENT, TENANT, Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.forms import FoundFields
from stemma_contracts.v1.inputs import InputReading
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.validation import LONG_ANSWER, UNACCEPTED_ANSWER
from stemma_domain.commands import Record
from stemma_domain.decide import UnfittingEvent, decide
from stemma_domain.staleness import staleness
from stemma_domain.view import summarise, view_of

pytestmark = pytest.mark.req("L7")


class _About(TypedDict):
    tenant: str
    document_id: str


FORM = InputFile(name="form.xlsx", artifact=ref("form", name="form.xlsx"), role="request", form=True)


def read(story: Story, *field_ids: str, accepted: str | None = None) -> j.ReadInput:
    """The form was read, and these fields were found in it."""
    (job,) = story.jobs(j.ReadInput)
    found = (
        FoundFields(fields=ref("-".join(field_ids)), field_ids=field_ids, accepted_digest=accepted)
        if field_ids
        else None
    )
    reading = InputReading(text=ref(f"text-{job.version}"), form=found)
    story.when(Record(o.InputRead(job_id=job.job_id, tenant=TENANT, document_id=DOCUMENT, reading=reading)))
    return job


@pytest.fixture
def given(begun: Story) -> Story:
    begun.when(asking.add_input(begun.asked(), FORM, to_read=True, staged=False))
    return begun


def form_id(story: Story) -> str:
    return next(one.input_id for one in story.document.inputs.values() if one.form)


def confirm(story: Story, *dropped: str, version: int = 1) -> Any:
    return story.when(asking.confirm_form(story.asked(), form_id(story), version, dropped))


def section_of(story: Story) -> str:
    return f"form-{form_id(story)}"


def test_the_reader_of_a_form_is_asked_for_its_fields(given: Story) -> None:
    assert read(given, "f-1").form


def test_confirmed_fields_are_a_section_that_starts_and_whose_job_has_them(given: Story) -> None:
    read(given, "f-1", "f-2")
    confirm(given, "f-2").then_types(e.FormFieldsConfirmed)
    (job,) = (
        job
        for job in given.open_jobs().values()
        if isinstance(job, j.GenerateSection) and job.section.section_id == section_of(given)
    )
    assert job.section.form is not None
    assert (job.section.form.fields, job.section.form.dropped) == (ref("f-1-f-2"), ("f-2",))


def test_no_section_is_written_from_a_form(given: Story) -> None:
    read(given, "f-1")
    confirm(given)
    jobs = given.jobs(j.GenerateSection)
    assert jobs
    assert all(FORM.name not in [file.name for file in job.inputs] for job in jobs)


@pytest.mark.parametrize(
    ("found", "dropped", "version", "field"),
    [
        ((), (), 1, "input_id"),
        (("f-1",), ("f-1",), 1, "input_id"),
        (("f-1",), ("f-9",), 1, "dropped"),
        (("f-1",), (), 2, "version"),
    ],
)
def test_what_cannot_be_confirmed_is_refused_with_its_field(
    given: Story, found: tuple[str, ...], dropped: tuple[str, ...], version: int, field: str
) -> None:
    read(given, *found)
    (refusal,) = confirm(given, *dropped, version=version).events
    assert refusal.problem.field == field
    assert section_of(given) not in given.document.sections


@pytest.mark.parametrize(("found", "is_stale"), [(("f-1", "f-3"), True), (("f-2", "f-1"), False)])
def test_another_version_of_the_form_makes_its_section_stale_if_it_has_other_fields(
    given: Story, found: tuple[str, ...], is_stale: bool
) -> None:
    read(given, "f-1", "f-2")
    confirm(given)
    given.settle(section_of(given))
    one = form_id(given)
    given.when(asking.replace_input(given.asked(), one, 1, ref("form-2"), is_text=False, staged=False))
    read(given, *found)
    assert (section_of(given) in staleness(given.document)) is is_stale
    confirm(given, version=2).then_types(e.FormFieldsConfirmed)
    plan = given.document.sections[section_of(given)].plan
    assert plan.form is not None
    assert plan.form.version == 2


def test_fields_of_a_form_that_is_still_being_read_are_refused_as_of_no_version(given: Story) -> None:
    confirm(given, version=1).then_refused("input_version_unknown")


def test_fields_are_confirmed_on_the_version_that_counts_and_on_no_older_one(given: Story) -> None:
    read(given, "f-1", "f-2")
    given.when(asking.replace_input(given.asked(), form_id(given), 1, ref("form-2"), is_text=False, staged=False))
    read(given, "f-3")
    confirm(given, version=1).then_refused("version_old")
    assert section_of(given) not in given.document.sections
    (confirmed,) = confirm(given, version=2)
    assert isinstance(confirmed, e.FormFieldsConfirmed)
    assert confirmed.section.form is not None
    assert confirmed.section.form.fields == ref("f-3")


def test_a_form_whose_answers_wait_for_review_does_not_leave(given: Story) -> None:
    read(given, "f-1")
    confirm(given)
    given.reviewable(section_of(given))
    export(given).then_refused("section_awaiting_review")
    assert not given.document.form_exports


@pytest.mark.parametrize(
    ("found", "accepted", "words"),
    [
        (("f-1", "f-3"), "a", "version 2 differs in the fields f-2, f-3"),
        (("f-1", "f-2"), "b", "version 2 accepts other answers"),
        ((), None, "version 2 differs in the fields f-1, f-2"),
    ],
)
def test_answers_for_an_older_version_leave_only_once_somebody_keeps_them(
    given: Story, found: tuple[str, ...], accepted: str | None, words: str
) -> None:
    read(given, "f-1", "f-2", accepted="a" * 64)
    confirm(given)
    given.settle(section_of(given))
    given.when(asking.replace_input(given.asked(), form_id(given), 1, ref("form-2"), is_text=False, staged=False))
    read(given, *found, accepted=accepted and accepted * 64)
    assert section_of(given) in staleness(given.document)
    (refusal,) = export(given).events
    assert words in refusal.problem.message
    assert not given.document.form_exports
    given.when(asking.keep(given.asked(), section_of(given), 1))
    export(given).then_types(e.FormExportRequested)


@pytest.mark.req("S3")
def test_a_decided_event_that_every_reader_would_skip_is_an_exception(given: Story) -> None:
    read(given, "f-1")
    confirm(given)
    given.settle(section_of(given))
    section = given.document.sections[section_of(given)]
    misnamed = replace(section, plan=section.plan.model_copy(update={"section_id": "nowhere"}))
    document = replace(given.document, sections={**given.document.sections, section_of(given): misnamed})
    with pytest.raises(UnfittingEvent, match="FormExportRequested"):
        decide(asking.export_form(given.asked(), form_id(given)), document)


def export(story: Story) -> Any:
    return story.when(asking.export_form(story.asked(), form_id(story)))


def test_answers_of_a_form_leave_in_the_form_and_are_no_section_of_the_document_that_leaves(given: Story) -> None:
    read(given, "f-1")
    confirm(given)
    given.settle(section_of(given))
    given.when(asking.export(given.asked(), ExportFormat.DOCX))
    (job,) = given.jobs(j.ConvertDocument)
    assert {section.section_id for section in job.sections} == {*given.document.sections} - {section_of(given)}


def filling(story: Story) -> j.FillForm:
    (job,) = story.jobs(j.FillForm)
    return job


def test_approved_answers_are_written_into_the_form_that_counts_and_what_came_of_it_is_told(given: Story) -> None:
    read(given, "f-1", "f-2")
    confirm(given)
    given.settle(section_of(given))
    export(given).then_types(e.FormExportRequested)
    job = filling(given)
    assert (job.form, job.name) == (FORM.artifact, FORM.name)
    about = _About(tenant=TENANT, document_id=DOCUMENT)
    given.when(
        Record(o.FormFilled(**about, job_id=job.job_id, artifact=ref("filled"), answered=("f-1",), unanswered=("f-2",)))
    )
    made = given.document.form_exports[job.export_id]
    told = made.view
    assert (told.artifact, told.answered, told.unanswered, made.job_id) == (ref("filled"), ("f-1",), ("f-2",), None)


def test_a_form_that_accepts_no_answer_says_why_and_so_does_a_job_that_was_given_up(given: Story) -> None:
    read(given, "f-1")
    confirm(given)
    given.settle(section_of(given))
    about = _About(tenant=TENANT, document_id=DOCUMENT)
    export(given)
    one = filling(given)
    given.when(Record(o.FormNotFilled(**about, job_id=one.job_id, reasons=("too long", "no date"))))
    assert given.document.form_exports[one.export_id].view.reasons == ("too long", "no date")
    export(given)
    other = filling(given)
    given.when(Record(o.JobDead(**about, job_id=other.job_id, detail="gone")))
    assert given.document.form_exports[other.export_id].view.reasons == ("gone",)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({LONG_ANSWER: 2}, "too long for the form: 2 of the answers"),
        ({UNACCEPTED_ANSWER: 1}, "not accepted by the form: 1 of the answers"),
    ],
)
def test_answers_that_a_form_would_not_accept_are_not_approved(given: Story, rules: dict[str, int], words: str) -> None:
    read(given, "f-1")
    confirm(given)
    given.drafted(section_of(given))
    found = validation(passed=False).model_copy(update={"rules": rules})
    given.outcome(o.DraftValidated, section_of(given), validation=found)
    given.drafted(section_of(given))
    given.outcome(o.DraftValidated, section_of(given), validation=found)
    (event,) = given.approve(section_of(given)).events
    assert isinstance(event, e.DecisionRefused)
    assert event.problem.field == "section_id"
    assert event.problem.message.startswith(words)


def settled(story: Story) -> None:
    story.settle("research", "solution", "budget", "timeline")


def test_nobody_needs_the_answers_to_a_form_that_was_withdrawn_and_the_document_is_at_its_end(given: Story) -> None:
    read(given, "f-1")
    confirm(given)
    settled(given)
    given.reviewable(section_of(given))
    assert (given.document_status(), summarise(given.document, 1).sections[-1].form_withdrawn) == ("running", False)
    given.when(asking.withdraw_input(given.asked(), form_id(given), 1)).then_types(
        e.DocumentInputWithdrawn, e.DocumentCompleted
    )
    section = view_of(given.document).sections[section_of(given)]
    assert (section.form_withdrawn, section.waits, staleness(given.document)) == (True, False, {})
    assert summarise(given.document, 1).sections[-1].form_withdrawn


def test_answers_to_a_form_that_was_withdrawn_are_not_begun(given: Story) -> None:
    read(given, "f-1")
    given.when(asking.pause(given.asked()))
    confirm(given)
    given.when(asking.withdraw_input(given.asked(), form_id(given), 1))
    given.when(asking.resume(given.asked()))
    assert given.status(section_of(given)) == "queued"


def test_a_form_is_not_exported_before_its_fields_are_confirmed_and_its_answers_approved(given: Story) -> None:
    read(given, "f-1")
    (refusal,) = export(given).events
    assert "confirm them" in refusal.problem.message
    confirm(given)
    (refusal,) = export(given).events
    assert refusal.problem.field == "section_id"
    given.settle(section_of(given))
    given.when(asking.withdraw_input(given.asked(), form_id(given), 1))
    (refusal,) = export(given).events
    assert refusal.problem.field == "input_id"
