"""Rows of the ledger that are read, decided about, and looked for in texts."""

from typing import Any

import domain_asking as asking
from domain_story import DOCUMENT, TENANT, Story, ref, validation
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.ledger import AnswersFound, LedgerSummary, RequirementAnswer, RequirementDecision
from stemma_domain.commands import Record

BLOCK = "b" * 10
ROWS, OTHER_ROWS = ref("rows"), ref("other rows")
OLD_ANSWERS = AnswersFound(
    rows_digest=ROWS.digest, sought=("R1",), found=(RequirementAnswer(requirement_id="R1", block_id=BLOCK),)
)


def outcome(story: Story, cls: Any, job_id: str, **fields: Any) -> None:
    story.when(Record(cls(job_id=job_id, tenant=TENANT, document_id=DOCUMENT, **fields)))


def read(story: Story, *mandatory: str, rows: Any = ROWS, **changes: Any) -> None:
    story.when(asking.read_ledger(story.asked(), ()))
    (job,) = story.jobs(j.ExtractRequirements)
    about = {"rows": rows, "difference": ref("difference"), "summary": LedgerSummary(mandatory=mandatory, **changes)}
    outcome(story, o.RequirementsExtracted, job.job_id, **about)


def decide(story: Story, **fields: Any) -> None:
    story.when(asking.decide_ledger(story.asked(), (RequirementDecision.model_validate(fields),)))


def looks(story: Story) -> list[j.ValidateDraft]:
    return story.jobs(j.ValidateDraft)


def looked(story: Story, *found: str, sure: bool = True) -> None:
    """The validator's answer to the open job that looks for rows."""
    (job,) = looks(story)
    assert job.ledger is not None
    answered = tuple(RequirementAnswer(requirement_id=name, block_id=BLOCK, sure=sure) for name in found)
    answers = AnswersFound(rows_digest=job.ledger.digest, sought=job.requirements, found=answered)
    outcome(story, o.DraftValidated, job.job_id, validation=validation().model_copy(update={"answers": answers}))


def edit(story: Story, text: str) -> None:
    """A person writes another text, of which everything but the rows is looked at."""
    version = story.document.sections["research"].current_number
    story.when(asking.write(story.asked(), "research", version, ref(text)))
    for job in story.jobs(j.EvaluateDraft):
        outcome(story, o.JobDead, job.job_id, detail="not looked at")
