"""Needs of paused graphs: a service gets a job, its outcome or its failure is the answer, and the graph goes on."""

from typing import Any

import domain_asking as asking
import pytest
from domain_story import DOCUMENT, PROVENANCE, TENANT, Story, evaluation, ref, validation
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.needs import GivenAnswer, MissingReference, Need
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.validation import OPEN_HEADING, ValidationSummary
from stemma_domain.commands import Asked, Record
from stemma_domain.features.needs import drop_threads
from stemma_domain.jobs import UnfittingOutcome
from stemma_domain.view import summarise, view_of

DRAFT = ref("# Draft so far")
SUPPLIED = InputFile(name="media/plan.png", artifact=ref("png", "image/png"))
REPORTED = ValidationSummary(passed=True, issue_count=0, engine="rumdl", engine_version="1", report=ref("clean"))
CHECK = Need(need_id="n1", kind="validation", checkpoint_id="cp1", draft=DRAFT, assets=(SUPPLIED,))
CONVERT = Need(need_id="n1", kind="conversion", checkpoint_id="cp1", draft=DRAFT, format=ExportFormat.JSON)
pytestmark = pytest.mark.req("P2")


def pause(story: Story, need: Need) -> j.Job:
    """The job that is open when a graph has paused for a need."""
    story.outcome(o.GraphPaused, "research", thread_id="thread-1", need=need)
    assert story.status("research") == SectionStatus.GENERATING
    job: j.Job
    (job,) = story.open_jobs().values()
    return job


def settle(story: Story, job: j.Job, kind: type[o.Outcome], **fields: Any) -> e.SectionNeedAnswered:
    outcome = kind(job_id=job.job_id, tenant=TENANT, document_id=DOCUMENT, **fields)
    (answered,) = story.when(Record(outcome))
    assert isinstance(answered, e.SectionNeedAnswered)
    story.when(Record(outcome)).then_nothing_happened()
    return answered


def resumption(story: Story) -> j.ResumeGraph:
    (job,) = story.open_jobs().values()
    assert isinstance(job, j.ResumeGraph)
    return job


@pytest.mark.req("G8")
def test_a_validation_goes_to_the_validator_and_its_report_to_the_graph(begun: Story) -> None:
    job = pause(begun, CHECK)
    assert isinstance(job, j.ValidateDraft)
    assert (job.draft, job.assets, job.always_report, job.excerpt) == (DRAFT, ("media/plan.png",), True, False)
    assert job.session_id == begun.document.sections["research"].phase.thread_id  # type: ignore[union-attr]
    settle(begun, job, o.DraftValidated, validation=REPORTED)
    resume = resumption(begun)
    assert (resume.checkpoint_id, resume.answer, resume.answered_by) == ("cp1", ref("clean"), "validator")
    assert not resume.failed


@pytest.mark.req("T2")
def test_a_part_of_a_draft_is_checked_as_one_and_covers_no_inputs_yet(story: Story) -> None:
    story.create({"research": ()}, covers_inputs=True)
    job = pause(story, CHECK.model_copy(update={"excerpt": True}))
    assert isinstance(job, j.ValidateDraft)
    assert (job.excerpt, job.section.covers_inputs) == (True, False)


@pytest.mark.req("G12", "G13")
@pytest.mark.parametrize("format", [ExportFormat.JSON, ExportFormat.DOCX])
def test_a_conversion_goes_to_the_converter_and_its_file_to_the_graph(begun: Story, format: ExportFormat) -> None:
    job = pause(begun, CONVERT.model_copy(update={"format": format}))
    assert isinstance(job, j.ConvertDocument)
    assert (job.format, [section.draft for section in job.sections]) == (format, [DRAFT])
    settle(begun, job, o.DocumentConverted, artifact=ref("converted"))
    assert (resumption(begun).answer, resumption(begun).answered_by) == (ref("converted"), "converter")


@pytest.mark.req("G14")
@pytest.mark.failure("need-fails")
@pytest.mark.parametrize(
    ("need", "kind", "fields"),
    [
        (CONVERT, o.ConversionFailed, {"detail": "timed_out"}),
        (CONVERT, o.JobDead, {"detail": "timed_out"}),
        (CHECK, o.JobDead, {"detail": "timed_out"}),
    ],
)
def test_a_service_that_fails_answers_the_need_as_failed(
    begun: Story, need: Need, kind: type[o.Outcome], fields: dict[str, str]
) -> None:
    answered = settle(begun, pause(begun, need), kind, **fields)
    assert (answered.failed, answered.detail) == (True, "timed_out")
    resume = resumption(begun)
    assert (resume.failed, resume.detail, resume.answer) == (True, "timed_out", DRAFT)


def test_a_report_that_is_not_there_is_a_failure(begun: Story) -> None:
    job = pause(begun, CHECK)
    assert settle(begun, job, o.DraftValidated, validation=validation(passed=True)).failed


def test_an_outcome_of_another_kind_of_job_leaves_the_need_open(begun: Story) -> None:
    job = pause(begun, CHECK)
    wrong = o.DocumentConverted(job_id=job.job_id, tenant=TENANT, document_id=DOCUMENT, artifact=DRAFT)
    with pytest.raises(UnfittingOutcome):
        begun.when(Record(wrong))
    assert [type(job) for job in begun.open_jobs().values()] == [j.ValidateDraft]


def test_a_person_cannot_answer_what_a_service_is_to_meet(begun: Story) -> None:
    pause(begun, CHECK)
    begun.when(asking.answer(begun.asked(), "research", "n1", ref("yes"))).then_refused("question_closed")


def test_a_need_without_a_text_waits_for_a_person_and_breaks_nothing(begun: Story) -> None:
    need = Need(need_id="n1", kind="validation", checkpoint_id="cp1")
    begun.outcome(o.GraphPaused, "research", thread_id="thread-1", need=need)
    assert begun.open_jobs() == {}


def test_a_retry_asks_for_the_same_under_another_job_and_cancel_for_nothing(begun: Story) -> None:
    first = pause(begun, CHECK)
    begun.when(asking.retry(begun.asked(), "research"))
    (second,) = begun.open_jobs().values()
    assert isinstance(second, j.ValidateDraft)
    assert second.job_id != first.job_id
    late = o.DraftValidated(job_id=first.job_id, tenant=TENANT, document_id=DOCUMENT, validation=REPORTED)
    assert [type(event) for event in begun.when(Record(late))] == [e.OutcomeSuperseded]
    begun.when(asking.cancel(begun.asked()))
    assert begun.open_jobs() == {}


@pytest.mark.req("G10")
def test_images_that_came_with_a_draft_are_there_for_its_validation_and_its_export(begun: Story) -> None:
    begun.outcome(
        o.SectionGenerated, "research", draft=DRAFT, evaluation=evaluation(), provenance=PROVENANCE, assets=(SUPPLIED,)
    )
    (job,) = begun.open_jobs().values()
    assert isinstance(job, j.ValidateDraft)
    assert job.assets == ("media/plan.png",)
    begun.when(asking.export(begun.asked(), ExportFormat.DOCX))
    export = begun.jobs(j.ConvertDocument)[0]
    assert export.assets == (SUPPLIED,)


def test_an_image_that_comes_with_a_need_takes_the_place_of_an_earlier_one_of_its_name(begun: Story) -> None:
    made = {"evaluation": evaluation(), "provenance": PROVENANCE, "assets": (SUPPLIED,)}
    begun.outcome(o.SectionGenerated, "research", draft=DRAFT, **made)
    begun.validated("research")
    begun.when(asking.regenerate(begun.asked(), "research", 1, None, replace_edited=False))
    newer = SUPPLIED.model_copy(update={"artifact": ref("a newer png", "image/png")})
    job = pause(begun, CONVERT.model_copy(update={"assets": (newer,)}))
    assert isinstance(job, j.ConvertDocument)
    assert job.assets == (newer,)


def test_images_that_came_with_a_draft_stay_with_its_revision_its_edit_and_a_comparison(begun: Story) -> None:
    made = {"evaluation": evaluation(), "provenance": PROVENANCE, "assets": (SUPPLIED,)}
    revised = {"summary": ref("cut"), "provenance": PROVENANCE}
    begun.outcome(o.SectionGenerated, "research", draft=DRAFT, **made)
    begun.validated("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("shorter")))
    begun.outcome(o.DraftRevised, "research", draft=ref("short"), **revised)
    begun.when(asking.edit(begun.asked(), "research", 2, ref("shorter")))
    begun.outcome(o.DraftRevised, "research", draft=ref("shortest"), **revised)
    begun.when(asking.write(begun.asked(), "research", 3, ref("mine")))
    assert [version.images for version in begun.document.sections["research"].versions] == [(SUPPLIED,)] * 4


def test_a_comparison_has_the_images_of_a_version_that_is_gone(begun: Story) -> None:
    made = {"evaluation": evaluation(), "provenance": PROVENANCE}
    begun.outcome(o.SectionGenerated, "research", draft=DRAFT, assets=(SUPPLIED,), **made)
    begun.validated("research")
    begun.when(asking.regenerate(begun.asked(), "research", 1, None, replace_edited=False))
    begun.outcome(o.SectionGenerated, "research", draft=ref("without images"), **made)
    pair = VersionPair(section_id="research", from_version=1, to_version=2)
    begun.when(asking.export(begun.asked(), ExportFormat.DOCX, (pair,)))
    export = begun.jobs(j.ConvertDocument)[0]
    assert export.assets == (SUPPLIED,)


def test_a_failed_resumption_keeps_the_thread_and_its_answer_for_the_retry(begun: Story) -> None:
    settle(begun, pause(begun, CHECK), o.DraftValidated, validation=REPORTED)
    first = resumption(begun)
    for failure in (o.JobDead, o.ModelUnavailable):
        begun.outcome(failure, "research")
        assert begun.status("research") == SectionStatus.FAILED
        begun.when(asking.retry(begun.asked(), "research"))
        again = resumption(begun)
        assert again.job_id != first.job_id
        tried = {"recorded_as", "recorded_before"}
        assert again.model_dump(exclude=tried) == {**first.model_dump(exclude=tried), "job_id": again.job_id}


def test_a_thread_whose_resumption_is_dead_twice_is_begun_anew(begun: Story) -> None:
    settle(begun, pause(begun, CHECK), o.DraftValidated, validation=REPORTED)
    for _ in range(2):
        begun.outcome(o.JobDead, "research")
        begun.when(asking.retry(begun.asked(), "research"))
    (job,) = begun.open_jobs().values()
    assert isinstance(job, j.GenerateSection)


BOUND = Need(need_id="n1", kind="question", checkpoint_id="cp1", question=ref("Go on?"), forms=("go on", "end here"))
PICTURES = Need(
    need_id="n1",
    kind="question",
    checkpoint_id="cp1",
    question=ref("Which image?"),
    forms=("skip",),
    references=(MissingReference(reference="media/plan.png", file="site.md"),),
)


def raised(story: Story, need: Need) -> Story:
    story.outcome(o.GraphPaused, "research", thread_id="thread-1", need=need)
    return story


@pytest.mark.req("T2", "G10")
@pytest.mark.parametrize(
    ("need", "form", "decisions"),
    [
        (BOUND, "yes", {}),
        (BOUND, "go on and on", {}),
        (BOUND, "go on", {"media/plan.png": "skip"}),
        (PICTURES, "what?", {}),
        (PICTURES, "", {"media/plan.png": "etc/passwd"}),
        (PICTURES, "", {"../x.png": "skip"}),
    ],
)
def test_an_answer_that_is_not_understood_is_refused_with_the_forms_that_are(
    begun: Story, need: Need, form: str, decisions: dict[str, str]
) -> None:
    story = raised(begun, need)
    before = story.status("research"), story.open_jobs()
    (refused,) = story.when(asking.answer(story.asked(), "research", "n1", ref("answer"), form, decisions))
    assert set(refused.problem.params) == ({"forms", "references"} if need.references else {"forms"})
    assert (story.status("research"), story.open_jobs()) == before
    assert "`" in refused.problem.message


@pytest.mark.req("T2", "G10")
@pytest.mark.parametrize(
    ("need", "form", "decisions"),
    [
        (BOUND, "go on", {}),
        (PICTURES, "skip", {}),
        (PICTURES, "the second one is lost", {"media/plan.png": ""}),
        (BOUND.model_copy(update={"forms": ()}), "any words", {}),
    ],
)
def test_an_answer_that_is_understood_goes_on(begun: Story, need: Need, form: str, decisions: dict[str, str]) -> None:
    story = raised(begun, need)
    story.when(asking.answer(story.asked(), "research", "n1", ref("answer"), form, decisions)).then_types(
        e.SectionNeedAnswered
    )


def generation_job(story: Story) -> j.GenerateSection:
    (job,) = story.open_jobs().values()
    assert isinstance(job, j.GenerateSection)
    return job


def answer(story: Story, words: str) -> None:
    story.when(asking.answer(story.asked(), "research", "n1", ref(words), words))


@pytest.mark.req("F6")
@pytest.mark.failure("thread-lost")
def test_a_lost_thread_is_never_resumed_again_and_begun_anew_with_calls_and_answers(begun: Story) -> None:
    first = generation_job(begun)
    answer(raised(begun, BOUND), "go on")
    (failed, *_) = begun.outcome(o.ThreadLost, "research", detail="the thread is unknown")
    assert isinstance(failed, e.SectionThreadLost)
    assert begun.status("research") == SectionStatus.FAILED
    begun.when(asking.retry(begun.asked(), "research"))
    anew = generation_job(begun)
    assert anew.thread_id != first.thread_id
    assert anew.recorded_before == ("thread-1",)
    assert anew.answered_before == (GivenAnswer(question=ref("Go on?").digest, answer=ref("go on")),)


@pytest.mark.req("F6")
def test_answers_of_people_outlive_any_number_of_lost_threads_and_those_of_services_are_made_anew(begun: Story) -> None:
    answer(raised(begun, BOUND), "go on")
    settle(begun, pause(begun, CHECK), o.DraftValidated, validation=REPORTED)
    for _ in range(2):
        begun.outcome(o.ThreadLost, "research")
        begun.when(asking.retry(begun.asked(), "research"))
        answer(raised(begun, BOUND), "end here")
        assert resumption(begun).answered_before[0].answer == ref("go on")
    begun.outcome(o.ThreadLost, "research")
    begun.when(asking.retry(begun.asked(), "research"))
    assert [given.answer for given in generation_job(begun).answered_before] == [ref("go on"), *[ref("end here")] * 2]


@pytest.mark.req("F6")
def test_a_retried_resumption_records_under_its_own_name_and_knows_what_the_thread_recorded(begun: Story) -> None:
    answer(raised(begun, BOUND), "go on")
    assert (resumption(begun).recorded_as, resumption(begun).recorded_before) == ("", ())
    begun.outcome(o.AnswerMalformed, "research")
    begun.when(asking.retry(begun.asked(), "research"))
    again = resumption(begun)
    assert (again.recorded_as, again.recorded_before) == (again.job_id, ("thread-1",))
    answer(raised(begun, BOUND), "go on")
    assert resumption(begun).recorded_as == again.job_id
    begun.outcome(o.ThreadLost, "research")
    begun.when(asking.retry(begun.asked(), "research"))
    assert generation_job(begun).recorded_before == (again.job_id, "thread-1")


@pytest.mark.req("F6")
def test_a_retried_generation_knows_what_the_failed_one_recorded_and_a_regeneration_does_not(begun: Story) -> None:
    first = generation_job(begun)
    begun.outcome(o.ModelUnavailable, "research")
    begun.when(asking.retry(begun.asked(), "research"))
    second = generation_job(begun)
    assert second.recorded_before == (first.job_id,)
    begun.when(asking.retry(begun.asked(), "research"))
    assert generation_job(begun).recorded_before == (second.job_id, first.job_id)
    begun.reviewable("research")
    begun.when(asking.regenerate(begun.asked(), "research", 1, None, replace_edited=False))
    assert generation_job(begun).recorded_before == ()


@pytest.mark.req("F6")
def test_a_retried_revision_knows_what_the_hanging_one_recorded(begun: Story) -> None:
    begun.reviewable("research")
    begun.when(asking.revise(begun.asked(), "research", 1, ref("shorter")))
    (first,) = begun.jobs(j.ReviseDraft)
    begun.when(asking.retry(begun.asked(), "research"))
    (second,) = begun.jobs(j.ReviseDraft)
    assert second.recorded_before == (first.job_id,)


@pytest.mark.req("F4")
def test_threads_that_wait_or_can_be_retried_are_kept_and_all_others_dropped(begun: Story) -> None:
    held = ("thread-1", generation_job(begun).thread_id, "doc1.0.generate.old")
    assert dropped(begun, held) == ("doc1.0.generate.old", "thread-1")
    raised(begun, BOUND)
    needed = set(held) - {"thread-1"}
    assert dropped(begun, held) == tuple(sorted(needed))
    answer(begun, "go on")
    assert dropped(begun, held) == tuple(sorted(needed))
    begun.outcome(o.ModelUnavailable, "research")
    assert dropped(begun, held) == tuple(sorted(needed))
    begun.when(asking.retry(begun.asked(), "research"))
    begun.drafted("research")
    assert dropped(begun, held) == tuple(sorted(held))
    assert drop_threads(begun.document, ()) is None


@pytest.mark.req("F4")
def test_a_cancelled_document_needs_no_thread(begun: Story) -> None:
    raised(begun, BOUND)
    begun.when(asking.cancel(begun.asked()))
    assert dropped(begun, ("thread-1",)) == ("thread-1",)


def dropped(story: Story, held: tuple[str, ...]) -> tuple[str, ...]:
    job = drop_threads(story.document, held)
    return job.threads if job else ()


def with_open_heading(story: Story) -> None:
    story.drafted("research")
    found = validation(passed=False).model_copy(update={"rules": {OPEN_HEADING: 1}})
    story.outcome(o.DraftValidated, "research", validation=found)


def fill(story: Story, section_id: str, heading: str) -> Any:
    request = asking.request(r.AnswerNeed, section_id=section_id, need_id="open_heading", answer="x", heading=heading)
    return story.when(Asked(request, story.asked(), asking.NOW, {"answer": ref("# References\n\nNorden.\n")}))


@pytest.mark.req("P12")
def test_an_answer_to_an_open_heading_is_evidence_and_the_section_is_written_from_it(begun: Story) -> None:
    with_open_heading(begun)
    fill(begun, "research", "References").then_types(e.DocumentInputAdded, e.SectionRegenerationRequested)
    [job] = begun.jobs(j.GenerateSection)
    assert [(one.artifact, one.used_as) for one in job.inputs] == [(ref("# References\n\nNorden.\n"), "evidence")]


@pytest.mark.req("P12")
def test_no_answer_is_taken_for_a_heading_where_none_is_open(begun: Story) -> None:
    begun.reviewable("research")
    fill(begun, "research", "References").then_refused("question_closed")


@pytest.mark.req("P12")
def test_an_open_heading_is_a_question_to_the_owner_unless_the_section_is_assigned(begun: Story) -> None:
    assert view_of(begun.document).sections["research"].assignment is None
    with_open_heading(begun)
    [summary] = [one for one in summarise(begun.document, 9).sections if one.section_id == "research"]
    assert (summary.assignee, summary.waits_for) == ("ada", ("review",))
    begun.when(asking.assign(begun.asked(), "research", "mika", None, asking.NOW))
    assigned = view_of(begun.document).sections["research"].assignment
    assert assigned is not None
    assert assigned.assignee == "mika"
