"""A person is asked before the budget of a document is passed; what is under way goes on; on the pure core."""

from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import domain_asking as asking
import pytest
from domain_story import PROVENANCE, Story, evaluation, ref
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.budgets import Budget, BudgetQuestion, BudgetView
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.section import SectionPlan
from stemma_contracts.v1.usage import MonthUsage, Usage
from stemma_domain.commands import NOT_COMPARED, Command, Compared
from stemma_domain.decide import decide
from stemma_domain.features.budget import Renew
from stemma_domain.state import UNTOLD, Allowance, AllowanceUntold, Section
from stemma_domain.view import summarise, view_of
from stemma_testkit.deciding import Then

pytestmark = pytest.mark.req("L6")
SPENT = Usage(calls=2, input_tokens=10, output_tokens=5, cost=0.5)


def set_budget(story: Story, **bounds: Any) -> Then[Any, Any]:
    return story.ask(partial(asking.ask, r.SetBudget), budget=Budget(**bounds))


def answer(story: Story, how: str, question: str = "") -> Then[Any, Any]:
    view = view_of(story.document).budget
    question = question or (view.question.question if view and view.question else "b0")
    return story.ask(partial(asking.ask, r.AnswerBudget), question=question, answer=how)


def written(story: Story, *names: str) -> list[Any]:
    events: list[Any] = []
    for name in names:
        events += story.drafted(name, f"text {len(story.history)}", usage=SPENT).events
        events += story.validated(name).events
        events += story.approve(name, story.current(name).number).events
    return events


def starts(events: Any) -> list[str]:
    return [name for event in events for name in event.starts]


@pytest.fixture
def solved(begun: Story) -> Story:
    """research <- solution <- budget, timeline: the first two took two calls each, and six are the budget."""
    set_budget(begun, calls=6)
    written(begun, "research")
    begun.drafted("solution", usage=SPENT)
    begun.validated("solution")
    return begun


def test_a_section_that_fits_begins_and_a_question_is_asked_about_the_other(solved: Story) -> None:
    approved, asked = solved.approve("solution")
    assert approved.starts == ("budget",)
    assert isinstance(asked, e.DocumentBudgetReached)
    assert (asked.bound, asked.sections, asked.usage.calls, asked.expected) == ("calls", ("timeline",), 6, SPENT)
    view = view_of(solved.document)
    assert view.budget is not None
    assert view.budget.question == BudgetQuestion.model_validate(dict(asked))
    assert summarise(solved.document, 1).budget == view.budget


def test_what_is_under_way_goes_on_and_the_question_is_asked_once(solved: Story) -> None:
    solved.approve("solution")
    events = written(solved, "budget")
    assert not [event for event in events if isinstance(event, e.DocumentBudgetReached)]
    assert (solved.document.usage.calls, solved.status("budget"), solved.status("timeline")) == (
        6,
        "approved",
        "queued",
    )
    assert solved.document_status() == "running", "it is not at its end"


def test_nobody_is_asked_any_more_about_a_section_that_fits_after_all(solved: Story) -> None:
    solved.approve("solution")
    assert starts(solved.drafted("budget", usage=Usage(input_tokens=1))) == ["timeline"]
    assert view_of(solved.document).budget == BudgetView(budget=Budget(calls=6))


def test_a_raised_budget_begins_what_waited(solved: Story) -> None:
    solved.approve("solution")
    assert starts(set_budget(solved, calls=8)) == ["timeline"]
    written(solved, "budget", "timeline")
    assert (solved.document.usage.calls, solved.document_status()) == (8, "completed")


def test_once_is_for_one_writing_alone(solved: Story) -> None:
    solved.approve("solution")
    assert starts(answer(solved, "once")) == ["timeline"]
    written(solved, "budget", "timeline")
    again = solved.ask(asking.regenerate, "timeline", 1)
    assert [type(event) for event in again] == [e.SectionRegenerationRequested, e.DocumentBudgetReached]


def test_what_is_left_waits_without_a_question_until_there_is_another_budget(solved: Story) -> None:
    solved.approve("solution")
    assert starts(answer(solved, "stop")) == []
    written(solved, "budget")
    assert view_of(solved.document).budget == BudgetView(budget=Budget(calls=6), left=("timeline",))
    assert starts(set_budget(solved, cost=9.0)) == ["timeline"]


def test_a_question_that_is_closed_and_the_same_budget_are_refused(solved: Story) -> None:
    refusals = [answer(solved, "once", "b1"), set_budget(solved, calls=6)]
    codes = [event.problem.code for events in refusals for event in events if isinstance(event, e.DecisionRefused)]
    assert codes == ["budget_question_closed", "budget_same"]


def test_nobody_is_asked_about_the_budget_of_a_document_that_is_cancelled(solved: Story) -> None:
    solved.approve("solution")
    solved.ask(asking.cancel)
    assert view_of(solved.document).budget == BudgetView(budget=Budget(calls=6))


def budgeted(sections: dict[str, tuple[str, ...]]) -> Story:
    """A document that is begun with a budget of nine calls."""
    plain, story = Story(), Story()
    (requested, *_) = plain.create(sections)
    story.when(asking.create(story.asked("create"), sections=requested.sections, budget=Budget(calls=9)))
    return story


def test_while_nobody_knows_what_a_section_takes_one_is_written_at_a_time_and_a_paused_one_tells_nothing() -> None:
    story = budgeted({"a": (), "b": (), "c": ("a",)})
    assert starts(story.history) == ["a"]
    assert starts(story.drafted("a", usage=SPENT)) == ["b"]
    paused, need = budgeted({"a": (), "b": ()}), Need(need_id="n1", kind="question", checkpoint_id="cp1")
    events = paused.outcome(o.GraphPaused, "a", thread_id="thread-1", need=need, usage=Usage(calls=1)).events
    assert ([type(event) for event in events], starts(events)) == ([e.SectionNeedRaised], [])


def test_an_edit_by_instruction_that_would_pass_it_is_refused_and_a_text_of_a_person_never(solved: Story) -> None:
    solved.approve("solution")
    written(solved, "budget")
    (refusal,) = solved.ask(asking.edit, "budget", 1, ref("shorter")).then_refused("budget_passed")
    assert refusal.problem.params == {"bound": "calls"}
    solved.ask(asking.write, "budget", 1, ref("a person's"))
    assert (solved.status("budget"), solved.jobs(j.EvaluateDraft)) == ("edited", []), "a look waits for a budget"
    set_budget(solved)
    assert len(solved.jobs(j.EvaluateDraft)) == 1


def test_an_edit_that_is_under_way_is_counted_before_another_is_begun(begun: Story) -> None:
    begun.settle("research", "solution", "budget", "timeline")
    set_budget(begun, calls=12)
    for name, events in (("budget", [e.SectionEditRequested]), ("timeline", [e.DecisionRefused])):
        assert [type(one) for one in begun.ask(asking.edit, name, 1, ref("shorter"))] == events
        if name == "budget":
            made = {"draft": ref("short"), "summary": ref("cut"), "provenance": PROVENANCE, "usage": SPENT}
            begun.said(begun.job(j.ReviseDraft), o.DraftRevised, **made)
            begun.ask(asking.edit, "research", 1, ref("shorter")).then_types(e.SectionEditRequested)


def test_an_outcome_that_comes_twice_and_a_late_one_are_each_counted_once(solved: Story) -> None:
    solved.approve("solution")
    late = {"job_id": f"{asking.DOCUMENT}.1.generate.budget", "draft": ref("late"), "provenance": PROVENANCE}
    for _ in range(2):
        solved.outcome(o.SectionGenerated, "budget", **late, evaluation=evaluation(), usage=SPENT)
    assert solved.document.usage.calls == 6


def test_without_a_budget_all_is_as_it_was(begun: Story) -> None:
    begun.settle("research")
    begun.reviewable("solution")
    assert starts(begun.approve("solution")) == ["budget", "timeline"]
    assert view_of(begun.document).budget is None


LATER = datetime(2026, 4, 1, tzinfo=UTC)


def lent(story: Story, command: Command, calls: int, others: int = 0, month: str = "") -> Then[Any, Any]:
    """A command decided while the tenant may make so many calls, and its other documents made others."""
    allowance = Allowance(Budget(calls=calls), Usage(calls=others), month)
    return story.when(Compared(command, NOT_COMPARED, allowance))


def test_what_would_pass_the_budget_of_the_tenant_waits_for_a_person_or_for_room_in_it(begun: Story) -> None:
    written(begun, "research")
    begun.drafted("solution", usage=SPENT)
    begun.validated("solution")
    approved, asked = lent(begun, asking.approve(begun.asked(), "solution", 1), 10, others=4)
    assert approved.starts == ("budget",)
    assert isinstance(asked, e.DocumentBudgetReached)
    assert (asked.whose, asked.bound, asked.sections, asked.usage.calls) == ("tenant", "calls", ("timeline",), 10)
    assert lent(begun, Renew(), 10, others=4).events == (), "it is asked once, and has no room yet"
    lent(begun, asking.edit(begun.asked(), "research", 1, ref("shorter")), 10, 4).then_refused("tenant_budget_passed")
    (renewed,) = lent(begun, Renew(), 12, others=4)
    assert (type(renewed), renewed.starts) == (e.DocumentBudgetRenewed, ("timeline",))
    assert view_of(begun.document).budget == BudgetView()


def test_what_a_person_leaves_waits_until_the_same_budget_is_set_again(
    begun: Story,
) -> None:
    written(begun, "research")
    _, asked = lent(begun, asking.regenerate(begun.asked(), "research", 1), 2)
    assert isinstance(asked, e.DocumentBudgetReached)
    left = asking.ask(r.AnswerBudget, begun.asked(), question=asked.question, answer="stop")
    assert starts(lent(begun, left, 2)) == []
    assert starts(set_budget(begun)) == ["research"]


def test_of_a_month_only_what_that_month_cost_counts(begun: Story) -> None:
    written(begun, "research")
    begun.now = LATER
    begun.drafted("solution", usage=SPENT)
    assert begun.document.month == MonthUsage(month="2026-04", usage=SPENT)
    assert summarise(begun.document, 1).month == begun.document.month
    begun.validated("solution")
    command = asking.approve(begun.asked(), "solution", 1)
    decided = [lent(deepcopy(begun), command, 4, month=month) for month in ("", "2026-04", "2026-05")]
    assert [then.events[0].starts for then in decided] == [
        (), ("budget",), ("budget", "timeline"),
    ]  # fmt: skip


def test_what_begins_no_work_is_decided_whatever_the_tenant_may_spend(begun: Story) -> None:
    written(begun, "research")
    begun.drafted("solution", usage=SPENT)
    begun.validated("solution")
    for costs in (asking.approve(begun.asked(), "solution", 1), asking.edit(begun.asked(), "research", 1, ref("less"))):
        with pytest.raises(AllowanceUntold):
            begun.when(Compared(costs, NOT_COMPARED, UNTOLD))
    lent(begun, asking.approve(begun.asked(), "solution", 1), 10, others=4)
    (paused,) = begun.when(Compared(asking.ask(r.PauseDocument, begun.asked()), NOT_COMPARED, UNTOLD))
    assert (type(paused), begun.document.allowance) == (e.DocumentPaused, None)


def test_a_question_about_sections_that_are_gone_gives_way_to_one_about_those_that_there_are() -> None:
    story = Story()
    asked = asking.create(story.asked("create"), sections=(section_plan("research"),))
    lent(story, asked, 0)
    chapters = replace(story.document, sections={"chapter": Section(section_plan("chapter"))})
    allowance = Allowance(Budget(calls=0), Usage())
    renewed, reached = decide(Compared(Renew(), NOT_COMPARED, allowance), chapters)
    assert isinstance(renewed, e.DocumentBudgetRenewed)
    assert isinstance(reached, e.DocumentBudgetReached)
    assert reached.sections == ("chapter",)


def section_plan(name: str) -> SectionPlan:
    return SectionPlan(section_id=name, title=name, kind=name, graph="section")
