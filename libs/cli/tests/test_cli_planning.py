"""What something would take is told before it is done, and what a document may take is asked."""

import json
from typing import Any

import pytest
from stemma_contracts.v1 import events
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.budgets import Budget, BudgetQuestion, BudgetView
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.plans import Plan, PlannedWork
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.usage import Usage
from stemma_testkit.document_events import CREATED_AT

pytestmark = pytest.mark.req("L6")
USAGE = Usage(calls=3, input_tokens=900, output_tokens=100, cost=0.25)
WORK = (
    PlannedWork(section_id="research", kind="write", usage=USAGE, seconds=40),
    PlannedWork(section_id="solution", kind="write"),
)
PLAN = Plan(sequence=3, work=WORK, stale=("budget",), reviews=("research",), usage=USAGE, unknown=1)


@pytest.fixture
async def written(backstage: Any, document_id: str, requested: Any, drafted: Any) -> str:
    draft = await backstage.text(document_id, "# Research\n\nIt takes 12 weeks.\n")
    approved = events.SectionApproved(section_id="research", version=1)
    await backstage.append(document_id, requested, drafted("research", draft), approved)
    backstage.accepted = {"plan": PLAN}
    return document_id


async def test_it_tells_what_is_written_and_stale_what_that_takes_and_who_reads_it(
    cli: Any, backstage: Any, written: str
) -> None:
    done = await cli("plan", "regenerate", written, "research", "--version", "1", "-m", "Shorter.")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "research\tis written\t3\t1000\t0.25 dollars\t40 s",
        "solution\tis written\tnot known\t\t\t",
        "in all about 3 model calls, 1000 tokens, 0.25 dollars; of 1 nobody knows",
        "may be stale then: budget",
        "to be read again: research",
    ]
    [(_, asked)] = backstage.received
    assert isinstance(asked, r.PlanChange)
    assert (asked.change, asked.body) == (
        "regenerate-section",
        {"section_id": "research", "version": 1, "guidance": "Shorter."},
    )


async def test_json_is_the_plan_alone(cli: Any, written: str) -> None:
    done = await cli("plan", "edit", written, "research", "-m", "Shorter.", "--json")
    assert Plan.model_validate(json.loads(done.stdout)) == PLAN


async def test_what_would_be_refused_is_refused(cli: Any, backstage: Any, written: str) -> None:
    backstage.problems = (Problem.of("section_approved", "body.section_id"),)
    done = await cli("plan", "approve", written, "research", "--version", "1")
    assert done.exit_code == 3
    assert "section_id" in done.stderr


async def test_the_question_of_a_budget_stands_in_the_inbox_with_what_it_holds_up(
    cli: Any, backstage: Any, document_id: str, requested: Any
) -> None:
    asked = BudgetQuestion(question="q1", bound="cost", sections=("research",), usage=USAGE)
    reached = events.DocumentBudgetReached(**dict(asked), budget=Budget(cost=0.2))
    await backstage.append(document_id, requested, reached)
    about: dict[str, Any] = {"kind": "proposal", "status": DocumentStatus.RUNNING, "created_at": CREATED_AT}
    view = BudgetView(budget=Budget(cost=0.2), question=asked)
    summary = DocumentSummary(document_id=document_id, last_sequence=2, budget=view, **about)
    await backstage.summarise(summary)
    [entry] = [one for one in json.loads((await cli("inbox", "--json")).stdout) if one["document_id"] == document_id]
    assert (entry["section"], entry["about"], entry["unblocks"]) == (None, "", ["research", "solution"])
    assert "these would pass it (cost): research" in entry["waits_for"]
    assert f"`stemma budget {document_id[:8]}` with --once or --stop" in entry["waits_for"]
    await backstage.summarise(summary.model_copy(update={"status": DocumentStatus.CANCELLED}))
    assert document_id not in (await cli("inbox")).stdout, "nobody can answer it any more"


async def test_a_document_is_asked_for_with_a_budget_and_what_is_none_is_refused(cli: Any, backstage: Any) -> None:
    new = ("new", "proposal", "--brief", "-", "--json")
    done = await cli(*new, "--budget", "cost=2.5", "--budget", "calls=40", stdin="Write.")
    assert (done.exit_code, backstage.received[-1][1].budget) == (0, Budget(cost=2.5, calls=40)), done.stderr
    for wrong in ("cost", "cost=much", "calls=2.5", "time=3", "cost=inf", "tokens=-1", "calls=²"):
        assert (await cli(*new, "--budget", wrong, stdin="Write.")).exit_code == 2, wrong
    assert len(backstage.received) == 1
