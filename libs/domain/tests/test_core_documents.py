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
from stemma_contracts.v1.exports import ExportFormat, ExportRemark
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.usage import Usage
from stemma_domain.evolve import evolve
from stemma_domain.features.proposals import ProposalEnd
from stemma_domain.jobs import UnfittingOutcome
from stemma_domain.state import Lifecycle, State
from stemma_domain.view import view_of


@pytest.mark.req("P18")
def test_a_paused_document_records_and_begins_nothing_and_a_cancelled_one_waits_for_nothing(begun: Story) -> None:
    begun.ask(asking.pause)
    assert begun.open_jobs() == {}
    begun.drafted("research")
    begun.ask(asking.resume)
    assert begun.job(j.ValidateDraft)
    begun.validated("research")
    begun.ask(asking.pause)
    begun.approve("research")
    assert begun.status("solution") == SectionStatus.QUEUED
    (resumed,) = begun.ask(asking.resume)
    assert resumed.starts == ("solution",)
    late = begun.job_of("solution")
    begun.ask(asking.cancel)
    assert (begun.open_jobs(), begun.status("solution")) == ({}, SectionStatus.QUEUED)
    (superseded,) = begun.drafted("solution", job_id=late)
    assert isinstance(superseded, e.OutcomeSuperseded)
    assert superseded.usage.calls == 2


@pytest.mark.req("W5")
def test_what_the_converter_remarks_stands_in_the_event(begun: Story) -> None:
    begun.ask(asking.export, ExportFormat.PDF)
    told = {"remarks": (ExportRemark(code="missing_font", detail="Thai: กข"),), "open_list": ref("open.csv")}
    (exported,) = begun.said(begun.job(j.ConvertDocument), o.DocumentConverted, artifact=ref("pdf"), **told)
    [export] = begun.document.exports.values()
    for one in (exported, export.view):
        assert (one.remarks, one.open_list) == (told["remarks"], ref("open.csv"))


@pytest.mark.parametrize(
    ("failure", "told", "params"),
    [
        (o.ConversionFailed, {"code": "conversion_timeout", "params": {"reason": "1 s"}}, {"reason": "1 s"}),
        (o.JobDead, {}, {"reason": "timeout"}),
    ],
)
@pytest.mark.failure("conversion-fails")
def test_a_failed_export_is_an_event_and_can_be_asked_for_again(
    begun: Story, failure: type[o.Outcome], told: dict[str, Any], params: dict[str, str]
) -> None:
    begun.ask(asking.export, ExportFormat.PDF)
    (event,) = begun.said(begun.job(j.ConvertDocument), failure, detail="timeout", **told)
    shown = view_of(begun.document).exports[event.export_id].failure_problem
    assert shown
    assert (shown.code, shown.params) == (told.get("code", "job_dead"), params)
    (again,) = begun.ask(asking.export, ExportFormat.PDF)
    assert again.export_id in begun.document.exports


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
    (free,) = story.drafted("solution", usage=Usage())
    assert free.usage_before is None
    story.validated("solution", passed=False)
    story.drafted("solution", usage=COST)
    story.drafted("research", "late", job_id="doc1.0.generate.research", usage=COST)
    paid = [event for event in story.history if isinstance(event, e.PaidEvent) and event.usage != Usage()]
    assert [type(event) for event in paid] == [e.SectionDrafted, e.SectionDrafted, e.OutcomeSuperseded]
    assert [event.usage_before for event in paid] == [Usage(), COST, COST.plus(COST)]
    assert story.document.usage == COST.plus(COST).plus(COST)


@pytest.mark.req("R8")
def test_each_status_and_decision_has_a_code_of_its_own() -> None:
    codes = {f"section_{one}" for one in SectionStatus} | {f"document_{one}" for one in Lifecycle}
    codes |= {f"proposal_{end}" for end in get_args(ProposalEnd) if end != "voided"}
    assert codes <= set(problems.codes())
