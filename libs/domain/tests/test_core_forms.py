"""The buyer's forms: fields are confirmed, and a section of its own answers them."""

from dataclasses import replace
from typing import Any

import domain_asking as asking
import pytest
from domain_story import Story, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.forms import AnsweredForm, FoundFields
from stemma_contracts.v1.inputs import InputReading
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.validation import LONG_ANSWER, UNACCEPTED_ANSWER
from stemma_domain.decide import UnfittingEvent, decide
from stemma_domain.staleness import staleness
from stemma_domain.view import summarise, view_of

pytestmark = pytest.mark.req("L7")
FORM = InputFile(name="form.xlsx", artifact=ref("form", name="form.xlsx"), role="request", form=True)
FORM_ID, SECTION = "input-1", "form-input-1"


def read(story: Story, *field_ids: str, accepted: str | None = None) -> None:
    """The form was read, and these fields were found in it."""
    job = story.job(j.ReadInput)
    assert job.form
    about = {"fields": ref("-".join(field_ids)), "field_ids": field_ids, "accepted_digest": accepted}
    form = FoundFields.model_validate(about) if field_ids else None
    story.said(job, o.InputRead, reading=InputReading(text=ref(f"text-{job.version}"), form=form))


@pytest.fixture
def given(begun: Story) -> Story:
    begun.ask(asking.add_input, FORM, to_read=True, staged=False)
    return begun


@pytest.fixture
def settled(given: Story) -> Story:
    """The answers to a form with two fields are approved."""
    read(given, "f-1", "f-2", accepted="a" * 64)
    confirm(given)
    given.settle(SECTION)
    return given


def confirm(story: Story, *dropped: str, version: int = 1) -> Any:
    return story.ask(asking.confirm_form, FORM_ID, version, dropped)


def replaced(story: Story) -> None:
    story.ask(asking.replace_input, FORM_ID, 1, ref("form-2"), is_text=False, staged=False)


def plan(story: Story) -> AnsweredForm:
    form = story.document.sections[SECTION].plan.form
    assert form is not None
    return form


def export(story: Story) -> Any:
    return story.ask(asking.export_form, FORM_ID)


def test_confirmed_fields_are_a_section_that_starts_and_whose_job_has_them_and_not_the_form(given: Story) -> None:
    read(given, "f-1", "f-2")
    confirm(given, "f-2").then_types(e.FormFieldsConfirmed)
    jobs = {job.section.section_id: job for job in given.jobs(j.GenerateSection)}
    assert jobs[SECTION].section.form == plan(given)
    assert (plan(given).fields, plan(given).dropped) == (ref("f-1-f-2"), ("f-2",))
    assert all(FORM.name not in [file.name for file in job.inputs] for job in jobs.values())


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
    confirm(given).then_refused("input_version_unknown")
    read(given, *found)
    (refusal,) = confirm(given, *dropped, version=version).events
    assert refusal.problem.field == field
    assert SECTION not in given.document.sections


def test_fields_are_confirmed_on_the_version_that_counts_and_on_no_older_one(given: Story) -> None:
    read(given, "f-1", "f-2")
    replaced(given)
    read(given, "f-3")
    confirm(given, version=1).then_refused("version_old")
    assert SECTION not in given.document.sections
    confirm(given, version=2).then_types(e.FormFieldsConfirmed)
    assert (plan(given).fields, plan(given).version) == (ref("f-3"), 2)


@pytest.mark.parametrize(
    ("found", "accepted", "words"),
    [
        (("f-1", "f-3"), "a", "version 2 differs in the fields f-2, f-3"),
        (("f-1", "f-2"), "b", "version 2 accepts other answers"),
        ((), None, "version 2 differs in the fields f-1, f-2"),
        (("f-2", "f-1"), "a", ""),
    ],
)
def test_answers_for_a_version_with_other_fields_leave_only_once_somebody_keeps_them(
    settled: Story, found: tuple[str, ...], accepted: str | None, words: str
) -> None:
    replaced(settled)
    read(settled, *found, accepted=accepted and accepted * 64)
    assert (SECTION in staleness(settled.document)) == bool(words)
    if words:
        (refusal,) = export(settled).events
        assert words in refusal.problem.message
        assert not settled.document.form_exports
        settled.ask(asking.keep, SECTION, 1)
    export(settled).then_types(e.FormExportRequested)


@pytest.mark.req("S3")
def test_a_decided_event_that_every_reader_would_skip_is_an_exception(settled: Story) -> None:
    section = settled.document.sections[SECTION]
    misnamed = replace(section, plan=section.plan.model_copy(update={"section_id": "nowhere"}))
    document = replace(settled.document, sections={**settled.document.sections, SECTION: misnamed})
    with pytest.raises(UnfittingEvent, match="FormExportRequested"):
        decide(asking.export_form(settled.asked(), FORM_ID), document)


def test_answers_of_a_form_are_no_section_of_the_document_that_leaves_but_held_against_it(settled: Story) -> None:
    settled.ask(asking.export, ExportFormat.DOCX)
    job = settled.job(j.ConvertDocument)
    assert {section.section_id for section in job.sections} == {*settled.document.sections} - {SECTION}
    assert [(form.section_id, form.draft) for form in job.forms] == [
        (SECTION, settled.document.sections[SECTION].versions[-1].draft)
    ]


def test_approved_answers_are_written_into_the_form_that_counts_and_what_came_of_it_is_told(settled: Story) -> None:
    export(settled).then_types(e.FormExportRequested)
    job = settled.job(j.FillForm)
    assert (job.form, job.name) == (FORM.artifact, FORM.name)
    settled.said(job, o.FormFilled, artifact=ref("filled"), answered=("f-1",), unanswered=("f-2",))
    made = settled.document.form_exports[job.export_id]
    told = made.view
    assert (told.artifact, told.answered, told.unanswered, made.job_id) == (ref("filled"), ("f-1",), ("f-2",), None)


@pytest.mark.parametrize(
    ("outcome", "said", "reasons"),
    [
        (o.FormNotFilled, {"reasons": ("too long", "no date")}, ("too long", "no date")),
        (o.JobDead, {"detail": "gone"}, ("gone",)),
    ],
)
def test_a_form_that_accepts_no_answer_says_why_and_so_does_a_job_that_was_given_up(
    settled: Story, outcome: type[o.Outcome], said: dict[str, Any], reasons: tuple[str, ...]
) -> None:
    export(settled)
    job = settled.job(j.FillForm)
    settled.said(job, outcome, **said)
    assert settled.document.form_exports[job.export_id].view.reasons == reasons


@pytest.mark.parametrize(
    ("rule", "code"), [(LONG_ANSWER, "answers_too_long"), (UNACCEPTED_ANSWER, "answers_not_accepted")]
)
def test_answers_that_a_form_would_not_accept_are_not_approved(given: Story, rule: str, code: str) -> None:
    read(given, "f-1")
    confirm(given)
    found = validation(passed=False).model_copy(update={"rules": {rule: 2}})
    for _ in range(2):
        given.drafted(SECTION)
        given.outcome(o.DraftValidated, SECTION, validation=found)
    (event,) = given.approve(SECTION).events
    assert (event.problem.code, event.problem.field, event.problem.params) == (code, "section_id", {"answers": 2})


def test_nobody_needs_the_answers_to_a_form_that_was_withdrawn_and_the_document_is_at_its_end(given: Story) -> None:
    read(given, "f-1")
    confirm(given)
    given.settle("research", "solution", "budget", "timeline")
    given.reviewable(SECTION)
    assert (given.document_status(), summarise(given.document, 1).sections[-1].form_withdrawn) == ("running", False)
    given.ask(asking.withdraw_input, FORM_ID, 1).then_types(e.DocumentInputWithdrawn, e.DocumentCompleted)
    section = view_of(given.document).sections[SECTION]
    assert (section.form_withdrawn, section.waits, staleness(given.document)) == (True, False, {})
    assert summarise(given.document, 1).sections[-1].form_withdrawn


def test_answers_to_a_form_that_was_withdrawn_are_not_begun(given: Story) -> None:
    read(given, "f-1")
    given.ask(asking.pause)
    confirm(given)
    given.ask(asking.withdraw_input, FORM_ID, 1)
    given.ask(asking.resume)
    assert given.status(SECTION) == "queued"


@pytest.mark.parametrize("mode", [ReviewMode.NONE, ReviewMode.AUTO])
def test_somebody_approves_the_answers_to_a_form_though_nobody_reviews_the_sections(
    story: Story, mode: ReviewMode
) -> None:
    story.create(review=ReviewPolicy(mode=mode, min_score=0), review_edits="none")
    story.ask(asking.add_input, FORM, to_read=True, staged=False)
    read(story, "f-1")
    confirm(story)
    story.reviewable(SECTION)
    export(story).then_refused("section_awaiting_review")
    story.approve(SECTION)
    export(story).then_types(e.FormExportRequested)
    assert story.document.sections[SECTION].plan.review_edits == "human", "an edit by a model is approved, too"


def test_a_form_is_not_exported_before_its_fields_are_confirmed_and_its_answers_approved(given: Story) -> None:
    read(given, "f-1")
    assert "confirm them" in export(given).events[0].problem.message
    confirm(given)
    assert export(given).events[0].problem.field == "section_id"
    given.reviewable(SECTION)
    export(given).then_refused("section_awaiting_review")
    given.approve(SECTION)
    given.ask(asking.withdraw_input, FORM_ID, 1)
    assert export(given).events[0].problem.field == "input_id"
