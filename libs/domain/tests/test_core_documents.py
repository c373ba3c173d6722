"""Pause, resume, cancel, export, needs; and what holds of every history."""

import tracemalloc
from typing import Any, get_args

import domain_asking as asking
import pytest
from domain_story import Story, ref
from stemma_contracts import problems
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.exports import ExportFormat, ExportRemark
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.usage import Usage
from stemma_domain.commands import Record
from stemma_domain.evolve import evolve
from stemma_domain.features.proposals import ProposalEnd
from stemma_domain.jobs import UnfittingOutcome
from stemma_domain.state import Lifecycle, State
from stemma_domain.view import view_of


def test_a_paused_document_starts_nothing_but_still_records(begun: Story) -> None:
    begun.when(asking.pause(begun.asked()))
    assert begun.open_jobs() == {}
    begun.drafted("research")
    begun.validated("research")
    begun.approve("research")
    assert begun.status("solution") == SectionStatus.QUEUED
    (resumed,) = begun.when(asking.resume(begun.asked()))
    assert resumed.starts == ("solution",)
    assert len(begun.open_jobs()) == 1


def test_resume_publishes_the_job_that_opened_during_the_pause(begun: Story) -> None:
    begun.when(asking.pause(begun.asked()))
    begun.drafted("research")
    begun.when(asking.resume(begun.asked()))
    (job,) = begun.open_jobs().values()
    assert isinstance(job, j.ValidateDraft)


def test_cancel_closes_the_open_jobs_and_a_late_outcome_is_superseded_but_paid(begun: Story) -> None:
    late = begun.job_of("research")
    begun.when(asking.cancel(begun.asked()))
    assert begun.status("research") == SectionStatus.QUEUED
    (superseded,) = begun.drafted("research", job_id=late)
    assert isinstance(superseded, e.OutcomeSuperseded)
    assert superseded.usage.calls == 2
    assert begun.open_jobs() == {}


@pytest.mark.parametrize(("command", "status"), [(asking.resume, "running"), (asking.pause, "paused")])
def test_steering_that_the_status_does_not_allow_is_refused(begun: Story, command: Any, status: str) -> None:
    if command is asking.pause:
        begun.when(asking.pause(begun.asked()))
    begun.when(command(begun.asked())).then_refused(f"document_{status}")


def test_an_export_is_possible_at_any_time_and_shows_what_is_not_there(begun: Story) -> None:
    (requested,) = begun.when(asking.export(begun.asked(), ExportFormat.DOCX))
    job = begun.jobs(j.ConvertDocument)[0]
    assert [section.draft for section in job.sections] == [None] * 4
    (exported,) = begun.when(
        Record(o.DocumentConverted(job_id=job.job_id, tenant="default", document_id="doc1", artifact=ref("docx")))
    )
    assert exported.export_id == requested.export_id
    assert not begun.jobs(j.ConvertDocument)


@pytest.mark.req("W5")
def test_what_the_converter_remarks_stands_in_the_event(begun: Story) -> None:
    begun.when(asking.export(begun.asked(), ExportFormat.PDF))
    job = begun.jobs(j.ConvertDocument)[0]
    remark = ExportRemark(code="missing_font", detail="Thai: กข")
    about: dict[str, Any] = {"job_id": job.job_id, "tenant": "default", "document_id": "doc1"}
    told: dict[str, Any] = {"remarks": (remark,), "open_list": ref("open.csv")}
    (exported,) = begun.when(Record(o.DocumentConverted(**about, artifact=ref("pdf"), **told)))
    assert (exported.remarks, exported.open_list) == ((remark,), ref("open.csv"))
    [view] = [export.view for export in begun.document.exports.values()]
    assert (view.remarks, view.open_list) == ((remark,), ref("open.csv"))


@pytest.mark.parametrize(
    ("failure", "problem"),
    [
        (o.ConversionFailed, Problem.of("conversion_timeout", reason="1 s")),
        (o.JobDead, Problem.of("job_dead", reason="timeout")),
    ],
)
@pytest.mark.failure("conversion-fails")
def test_a_failed_export_is_an_event_and_can_be_asked_for_again(
    begun: Story, failure: type[o.Outcome], problem: Problem
) -> None:
    begun.when(asking.export(begun.asked(), ExportFormat.PDF))
    job = begun.jobs(j.ConvertDocument)[0]
    failed = failure(job_id=job.job_id, tenant="default", document_id="doc1", detail="timeout")
    if isinstance(failed, o.ConversionFailed):
        failed = failed.model_copy(update={"code": problem.code, "params": problem.params})
    (event,) = begun.when(Record(failed))
    shown = view_of(begun.document).exports[event.export_id].failure_problem
    assert shown
    assert (shown.code, shown.params) == (problem.code, problem.params)
    (again,) = begun.when(asking.export(begun.asked(), ExportFormat.PDF))
    assert again.export_id in begun.document.exports


@pytest.mark.req("P2")
def test_a_paused_graph_waits_for_its_answer_and_goes_on_at_its_checkpoint(begun: Story) -> None:
    need = Need(need_id="n1", kind="question", checkpoint_id="cp1")
    begun.outcome(o.GraphPaused, "research", thread_id="thread-1", need=need)
    assert begun.open_jobs() == {}
    assert begun.status("research") == SectionStatus.GENERATING
    begun.when(asking.answer(begun.asked(), "research", "n2", ref("no"))).then_refused("question_closed")
    begun.when(asking.answer(begun.asked(), "research", "n1", ref("yes")))
    (job,) = begun.open_jobs().values()
    assert isinstance(job, j.ResumeGraph)
    assert (job.thread_id, job.checkpoint_id, job.answer) == ("thread-1", "cp1", ref("yes"))
    begun.drafted("research")
    assert begun.document.sections["research"].current_number == 1


def test_an_outcome_of_another_kind_of_job_is_a_bug_and_leaves_the_job_open(begun: Story) -> None:
    job_id = begun.job_of("research")
    with pytest.raises(UnfittingOutcome, match=r"draft\.validated"):
        begun.validated("research")
    assert begun.job_of("research") == job_id


def memory_of_one_more_event(document: State, number: int) -> int:
    """The bytes that a state has of its own, beside what it shares with the state before."""
    asked: Any = {"request_id": f"more-{number}", "request_digest": "0" * 64}
    events = (
        e.SectionAssigned(**asked, section_id="research", assignee="ana"),
        e.OutcomeSuperseded(job_id="j", outcome="o"),
    )
    tracemalloc.start()
    try:
        after = document
        for event in events:
            after = evolve(after, event)
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


@pytest.mark.req("P1")
def test_an_event_costs_no_more_after_a_long_history(begun: Story) -> None:
    document: State = begun.document
    first = memory_of_one_more_event(document, 0)
    for number in range(1, 1000):
        asked: Any = {"request_id": f"r{number}", "request_digest": "0" * 64}
        document = evolve(document, e.SectionAssigned(**asked, section_id="research", assignee=f"p{number}"))
        document = evolve(document, e.OutcomeSuperseded(job_id=f"d.{number}.generate.a", outcome="o"))
    assert memory_of_one_more_event(document, 1000) < 2 * first


COST = Usage(calls=2, input_tokens=30, output_tokens=5, cost=0.1)


@pytest.mark.req("H7", "T9")
def test_every_event_that_costs_something_says_what_the_document_cost_before(story: Story) -> None:
    story.create()
    story.drafted("research", usage=COST)
    story.validated("research")
    story.approve("research")
    story.drafted("solution", usage=COST)
    story.drafted("research", "late", job_id="doc1.0.generate.research", usage=COST)
    paid = [event for event in story.history if isinstance(event, e.PaidEvent) and event.usage != Usage()]
    assert [type(event) for event in paid] == [e.SectionDrafted, e.SectionDrafted, e.OutcomeSuperseded]
    assert [event.usage_before for event in paid] == [Usage(), COST, COST.plus(COST)]
    assert story.document.usage == COST.plus(COST).plus(COST)


@pytest.mark.req("H7")
def test_an_event_that_costs_nothing_says_nothing_of_it(story: Story) -> None:
    story.create()
    (drafted,) = story.drafted("research", usage=Usage())
    assert drafted.usage_before is None


@pytest.mark.req("R8")
def test_each_status_and_decision_has_a_code_of_its_own() -> None:
    codes = {f"section_{one}" for one in SectionStatus} | {f"document_{one}" for one in Lifecycle}
    codes |= {f"proposal_{end}" for end in get_args(ProposalEnd) if end != "voided"}
    assert codes <= set(problems.codes())
