"""Needs of paused graphs: a service gets a job, its outcome or its failure is the answer, and the graph goes on."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, evaluation, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.needs import GivenAnswer, MissingReference, Need
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.validation import OPEN_HEADING, ValidationSummary
from stemma_domain.commands import Asked
from stemma_domain.features.needs import drop_threads
from stemma_domain.jobs import UnfittingOutcome
from stemma_domain.view import summarise, view_of

DRAFT = ref("# Draft so far")
SUPPLIED = InputFile(name="media/plan.png", artifact=ref("png", "image/png"))
REPORTED = ValidationSummary(passed=True, issue_count=0, engine="rumdl", engine_version="1", report=ref("clean"))
CHECK = Need(need_id="n1", kind="validation", checkpoint_id="cp1", draft=DRAFT, assets=(SUPPLIED,))
CONVERT = Need(need_id="n1", kind="conversion", checkpoint_id="cp1", draft=DRAFT, format=ExportFormat.JSON)
BOUND = Need(need_id="n1", kind="question", checkpoint_id="cp1", question=ref("Go on?"), forms=("go on", "end here"))
PICTURES = Need(
    need_id="n1",
    kind="question",
    checkpoint_id="cp1",
    question=ref("Which image?"),
    forms=("skip",),
    references=(MissingReference(reference="media/plan.png", file="site.md"),),
)
pytestmark = pytest.mark.req("P2")


def raised(story: Story, need: Need) -> Story:
    story.outcome(o.GraphPaused, "research", thread_id="thread-1", need=need)
    return story


def pause(story: Story, need: Need) -> Any:
    """The job that is open when a graph has paused for a need."""
    (job,) = raised(story, need).open_jobs().values()
    return job


def settle(story: Story, job: j.Job, kind: type[o.Outcome], **fields: Any) -> e.SectionNeedAnswered:
    (answered,) = story.said(job, kind, **fields)
    assert isinstance(answered, e.SectionNeedAnswered)
    story.said(job, kind, **fields).then_nothing_happened()
    return answered


def resumption(story: Story) -> j.ResumeGraph:
    return story.job(j.ResumeGraph)


def writing(story: Story) -> j.GenerateSection:
    return story.job(j.GenerateSection)


def answer(story: Story, words: str) -> None:
    story.ask(asking.answer, "research", "n1", ref(words), words)


def tried_again(story: Story, failure: type[o.Outcome]) -> None:
    story.outcome(failure, "research", detail="gone")
    assert story.status("research") == SectionStatus.FAILED
    story.ask(asking.retry, "research")


def test_a_paused_graph_waits_for_its_answer_and_goes_on_at_its_checkpoint(begun: Story) -> None:
    raised(begun, BOUND.model_copy(update={"forms": ()}))
    assert (begun.open_jobs(), begun.status("research")) == ({}, SectionStatus.GENERATING)
    answer(begun, "yes")
    job = resumption(begun)
    assert (job.thread_id, job.checkpoint_id, job.answer) == ("thread-1", "cp1", ref("yes"))
    begun.drafted("research")
    assert begun.current().number == 1


@pytest.mark.req("G8")
def test_a_validation_goes_to_the_validator_and_its_report_to_the_graph(begun: Story) -> None:
    job = pause(begun, CHECK)
    assert (job.draft, job.assets, job.always_report, job.excerpt) == (DRAFT, ("media/plan.png",), True, False)
    assert (type(job), job.session_id) == (j.ValidateDraft, "thread-1")
    begun.ask(asking.answer, "research", "n1", ref("yes")).then_refused("question_closed")
    with pytest.raises(UnfittingOutcome):
        begun.said(job, o.DocumentConverted, artifact=DRAFT)
    settle(begun, job, o.DraftValidated, validation=REPORTED)
    resume = resumption(begun)
    assert (resume.checkpoint_id, resume.answer, resume.answered_by) == ("cp1", ref("clean"), "validator")
    assert not resume.failed


@pytest.mark.req("T2")
def test_a_part_of_a_draft_is_checked_as_one_and_covers_no_inputs_yet(story: Story) -> None:
    story.create({"research": ()}, covers_inputs=True)
    job = pause(story, CHECK.model_copy(update={"excerpt": True}))
    assert (job.excerpt, job.section.covers_inputs) == (True, False)


@pytest.mark.req("G12", "G13")
@pytest.mark.parametrize("format", [ExportFormat.JSON, ExportFormat.DOCX])
def test_a_conversion_goes_to_the_converter_and_its_file_to_the_graph(begun: Story, format: ExportFormat) -> None:
    job = pause(begun, CONVERT.model_copy(update={"format": format}))
    assert (type(job), job.format, [one.draft for one in job.sections]) == (j.ConvertDocument, format, [DRAFT])
    settle(begun, job, o.DocumentConverted, artifact=ref("converted"))
    assert (resumption(begun).answer, resumption(begun).answered_by) == (ref("converted"), "converter")


@pytest.mark.req("G14")
@pytest.mark.failure("need-fails")
@pytest.mark.parametrize(("need", "kind"), [(CONVERT, o.ConversionFailed), (CONVERT, o.JobDead), (CHECK, o.JobDead)])
def test_a_service_that_fails_answers_the_need_as_failed(begun: Story, need: Need, kind: type[o.Outcome]) -> None:
    answered = settle(begun, pause(begun, need), kind, detail="timed_out")
    assert (answered.failed, answered.detail) == (True, "timed_out")
    resume = resumption(begun)
    assert (resume.failed, resume.detail, resume.answer) == (True, "timed_out", DRAFT)


def test_a_report_that_is_not_there_is_a_failure(begun: Story) -> None:
    assert settle(begun, pause(begun, CHECK), o.DraftValidated, validation=validation()).failed


def test_a_need_without_a_text_waits_for_a_person_and_breaks_nothing(begun: Story) -> None:
    assert raised(begun, CHECK.model_copy(update={"draft": None})).open_jobs() == {}


def test_a_retry_asks_for_the_same_under_another_job_and_cancel_for_nothing(begun: Story) -> None:
    first = pause(begun, CHECK)
    begun.ask(asking.retry, "research")
    assert begun.job(j.ValidateDraft).job_id != first.job_id
    begun.said(first, o.DraftValidated, validation=REPORTED).then_types(e.OutcomeSuperseded)
    begun.ask(asking.cancel)
    assert begun.open_jobs() == {}


@pytest.mark.req("G10")
def test_images_that_came_with_a_draft_stay_with_it_its_changes_and_its_exports(begun: Story) -> None:
    made = {"evaluation": evaluation(), "provenance": PROVENANCE}
    begun.outcome(o.SectionGenerated, "research", draft=DRAFT, assets=(SUPPLIED,), **made)
    assert begun.job(j.ValidateDraft).assets == ("media/plan.png",)
    begun.validated("research")
    for number, build in enumerate((asking.revise, asking.edit), 1):
        begun.ask(build, "research", number, ref("shorter"))
        revised = {"draft": ref(f"short {number}"), "summary": ref("cut"), "provenance": PROVENANCE}
        begun.said(begun.job(j.ReviseDraft), o.DraftRevised, **revised)
    begun.ask(asking.write, "research", 3, ref("mine"))
    assert [version.images for version in begun.document.sections["research"].versions] == [(SUPPLIED,)] * 4
    begun.ask(asking.export, ExportFormat.DOCX)
    assert begun.job(j.ConvertDocument).assets == (SUPPLIED,)


def test_a_newer_image_takes_the_place_of_one_of_its_name_and_a_comparison_has_those_that_are_gone(
    begun: Story,
) -> None:
    made = {"evaluation": evaluation(), "provenance": PROVENANCE}
    begun.outcome(o.SectionGenerated, "research", draft=DRAFT, assets=(SUPPLIED,), **made)
    begun.validated("research")
    begun.ask(asking.regenerate, "research", 1, None, replace_edited=False)
    newer = SUPPLIED.model_copy(update={"artifact": ref("a newer png", "image/png")})
    job = pause(begun, CONVERT.model_copy(update={"assets": (newer,)}))
    assert job.assets == (newer,)
    settle(begun, job, o.DocumentConverted, artifact=ref("converted"))
    begun.outcome(o.SectionGenerated, "research", draft=ref("without images"), **made)
    pair = VersionPair(section_id="research", from_version=1, to_version=2)
    begun.ask(asking.export, ExportFormat.DOCX, (pair,))
    assert begun.job(j.ConvertDocument).assets == (SUPPLIED,)


def test_a_failed_resumption_keeps_the_thread_and_its_answer_for_one_retry_of_a_dead_one(begun: Story) -> None:
    settle(begun, pause(begun, CHECK), o.DraftValidated, validation=REPORTED)
    first = resumption(begun)
    for failure in (o.JobDead, o.ModelUnavailable):
        tried_again(begun, failure)
        again, tried = resumption(begun), {"recorded_as", "recorded_before"}
        assert again.job_id != first.job_id
        assert again.model_dump(exclude=tried) == {**first.model_dump(exclude=tried), "job_id": again.job_id}
    tried_again(begun, o.JobDead)
    assert writing(begun), "a thread whose resumption is dead twice is begun anew"


UNDERSTOOD: list[tuple[Need, str, dict[str, str], bool]] = [
    (BOUND, "yes", {}, False),
    (BOUND, "go on and on", {}, False),
    (BOUND, "go on", {"media/plan.png": "skip"}, False),
    (PICTURES, "what?", {}, False),
    (PICTURES, "", {"media/plan.png": "etc/passwd"}, False),
    (PICTURES, "", {"../x.png": "skip"}, False),
    (BOUND, "go on", {}, True),
    (PICTURES, "skip", {}, True),
    (PICTURES, "the second one is lost", {"media/plan.png": ""}, True),
    (BOUND.model_copy(update={"forms": ()}), "any words", {}, True),
]


@pytest.mark.req("T2", "G10")
@pytest.mark.parametrize(("need", "form", "decisions", "understood"), UNDERSTOOD)
def test_an_answer_that_is_not_understood_is_refused_with_the_forms_that_are(
    begun: Story, need: Need, form: str, decisions: dict[str, str], understood: bool
) -> None:
    raised(begun, need)
    (event,) = begun.ask(asking.answer, "research", "n1", ref("answer"), form, decisions)
    if understood:
        assert isinstance(event, e.SectionNeedAnswered)
        return
    assert set(event.problem.params) == ({"forms", "references"} if need.references else {"forms"})
    assert "`" in event.problem.message
    assert (begun.status("research"), begun.open_jobs()) == (SectionStatus.GENERATING, {})


@pytest.mark.req("F6")
@pytest.mark.failure("thread-lost")
def test_a_lost_thread_is_begun_anew_with_its_calls_and_the_answers_of_people_however_often(begun: Story) -> None:
    first = writing(begun)
    answer(raised(begun, BOUND), "go on")
    settle(begun, pause(begun, CHECK), o.DraftValidated, validation=REPORTED)
    (failed, *_) = begun.outcome(o.ThreadLost, "research", detail="the thread is unknown")
    assert (type(failed), begun.status("research")) == (e.SectionThreadLost, SectionStatus.FAILED)
    begun.ask(asking.retry, "research")
    assert writing(begun).thread_id != first.thread_id
    assert writing(begun).recorded_before == ("thread-1",)
    given = GivenAnswer(question=ref("Go on?").digest, answer=ref("go on"))
    assert writing(begun).answered_before == (given,), "those of services are made anew"
    for _ in range(2):
        answer(raised(begun, BOUND), "end here")
        assert resumption(begun).answered_before[0].answer == ref("go on")
        tried_again(begun, o.ThreadLost)
    assert [one.answer for one in writing(begun).answered_before] == [ref("go on"), *[ref("end here")] * 2]


@pytest.mark.req("F6")
def test_a_retried_resumption_records_under_its_own_name_and_knows_what_the_thread_recorded(begun: Story) -> None:
    answer(raised(begun, BOUND), "go on")
    assert (resumption(begun).recorded_as, resumption(begun).recorded_before) == ("", ())
    tried_again(begun, o.AnswerMalformed)
    again = resumption(begun)
    assert (again.recorded_as, again.recorded_before) == (again.job_id, ("thread-1",))
    answer(raised(begun, BOUND), "go on")
    assert resumption(begun).recorded_as == again.job_id
    tried_again(begun, o.ThreadLost)
    assert writing(begun).recorded_before == (again.job_id, "thread-1")


@pytest.mark.req("F6")
def test_a_retried_writing_or_revision_knows_what_the_one_before_recorded_and_a_regeneration_does_not(
    begun: Story,
) -> None:
    first = writing(begun)
    tried_again(begun, o.ModelUnavailable)
    second = writing(begun)
    assert second.recorded_before == (first.job_id,)
    begun.ask(asking.retry, "research")
    assert writing(begun).recorded_before == (second.job_id, first.job_id)
    begun.reviewable("research")
    begun.ask(asking.regenerate, "research", 1, None, replace_edited=False)
    assert writing(begun).recorded_before == ()
    begun.drafted("research", "anew")
    begun.validated("research")
    begun.ask(asking.revise, "research", 2, ref("shorter"))
    hanging = begun.job(j.ReviseDraft)
    begun.ask(asking.retry, "research")
    assert begun.job(j.ReviseDraft).recorded_before == (hanging.job_id,)


@pytest.mark.req("F4")
def test_threads_that_wait_or_can_be_retried_are_kept_and_all_others_dropped(begun: Story) -> None:
    def dropped(*held: str) -> tuple[str, ...]:
        job = drop_threads(begun.document, held)
        return job.threads if job else ()

    held = ("thread-1", writing(begun).thread_id, "doc1.0.generate.old")
    assert dropped(*held) == ("doc1.0.generate.old", "thread-1")
    raised(begun, BOUND)
    unneeded = tuple(sorted({*held} - {"thread-1"}))
    assert dropped(*held) == unneeded
    answer(begun, "go on")
    assert dropped(*held) == unneeded
    begun.outcome(o.ModelUnavailable, "research")
    assert dropped(*held) == unneeded
    begun.ask(asking.retry, "research")
    begun.drafted("research")
    assert dropped(*held) == tuple(sorted(held))
    assert drop_threads(begun.document, ()) is None
    begun.validated("research")
    begun.ask(asking.regenerate, "research", 1)
    raised(begun, BOUND)
    begun.ask(asking.cancel)
    assert dropped("thread-1") == ("thread-1",), "a cancelled document needs no thread"


def with_open_heading(story: Story) -> None:
    story.drafted("research")
    found = validation(passed=False).model_copy(update={"rules": {OPEN_HEADING: 1}})
    story.outcome(o.DraftValidated, "research", validation=found)


def fill(story: Story) -> Any:
    about = {"section_id": "research", "need_id": "open_heading", "answer": "x", "heading": "References"}
    answer = {"answer": ref("# References\n\nNorden.\n")}
    return story.when(Asked(asking.request(r.AnswerNeed, **about), story.asked(), asking.NOW, answer))


@pytest.mark.req("P12")
def test_an_answer_to_an_open_heading_is_evidence_and_the_section_is_written_from_it(begun: Story) -> None:
    with_open_heading(begun)
    fill(begun).then_types(e.DocumentInputAdded, e.SectionRegenerationRequested)
    given = [(one.artifact, one.used_as) for one in writing(begun).inputs]
    assert given == [(ref("# References\n\nNorden.\n"), "evidence")]
    begun.reviewable("research")
    fill(begun).then_refused("question_closed")


@pytest.mark.req("P12")
def test_an_open_heading_is_a_question_to_the_owner_unless_the_section_is_assigned(begun: Story) -> None:
    assert view_of(begun.document).sections["research"].assignment is None
    with_open_heading(begun)
    summary = summarise(begun.document, 9).sections[0]
    assert (summary.assignee, summary.waits_for) == ("ada", ("review",))
    begun.ask(asking.assign, "research", "mika", None, asking.NOW)
    assigned = view_of(begun.document).sections["research"].assignment
    assert assigned is not None
    assert assigned.assignee == "mika"
