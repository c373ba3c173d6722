"""Rows of the ledger that are read, decided about, and looked for in texts."""

from typing import Any

import domain_asking as asking
from domain_story import Story, ref, validation
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.ledger import AnswersFound, LedgerSummary, RequirementAnswer, RequirementDecision, RowParts
from stemma_domain.features.ledger.state import Ledger
from stemma_domain.state import State
from stemma_testkit.deciding import Then

BLOCK = "b" * 10
ROWS, OTHER_ROWS = ref("rows"), ref("other rows")


def found_in(rows: Any, *sought: str, found: tuple[str, ...] = (), sure: bool = True, **more: Any) -> dict[str, Any]:
    """A validation that looked for rows."""
    answers = tuple(RequirementAnswer(requirement_id=name, block_id=BLOCK, sure=sure) for name in found)
    answered = AnswersFound(rows_digest=rows.digest, sought=sought, found=answers)
    return {"validation": validation().model_copy(update={"answers": answered, **more})}


def read(story: Story, *mandatory: str, rows: Any = ROWS, job: Any = None, **changes: Any) -> Then[State, Any]:
    """A reading that is asked for, or one that was asked before, gives these rows."""
    if job is None:
        story.ask(asking.read_ledger, ())
    found = {"rows": rows, "difference": ref("difference"), "summary": LedgerSummary(mandatory=mandatory, **changes)}
    return story.said(job or story.job(j.ExtractRequirements), o.RequirementsExtracted, **found)


def decide(story: Story, *names: str, **fields: Any) -> Then[State, Any]:
    made = (RequirementDecision.model_validate({"requirement_id": name, **fields}) for name in names)
    return story.ask(asking.decide_ledger, tuple(made))


def split(story: Story, name: str, *parts: str, digest: str = ROWS.digest) -> Then[State, Any]:
    cut = (RowParts(requirement_id=name, parts=parts),)
    return story.ask(asking.cut_ledger, digest, OTHER_ROWS, cut)


def ledger(story: Story) -> Ledger:
    assert story.document.ledger is not None
    return story.document.ledger


def looks(story: Story) -> list[j.ValidateDraft]:
    return story.jobs(j.ValidateDraft)


def looked(story: Story, *found: str, sure: bool = True) -> None:
    """The validator's answer to the open job that looks for rows."""
    job = story.job(j.ValidateDraft)
    assert job.ledger is not None
    story.said(job, o.DraftValidated, **found_in(job.ledger, *job.requirements, found=found, sure=sure))


def edit(story: Story, text: str) -> None:
    """A person writes another text, of which everything but the rows is looked at."""
    story.ask(asking.write, "research", story.current().number, ref(text))
    for job in story.jobs(j.EvaluateDraft):
        story.said(job, o.JobDead, detail="not looked at")
