"""What a worker says of any job, where steps are drawn: mostly that it is done."""

from typing import Any

from domain_story import PROVENANCE, evaluation, ref, validation
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.forms import FoundFields
from stemma_contracts.v1.inputs import InputReading, Unreadable
from stemma_contracts.v1.ledger import LedgerSummary
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.references import InputFile

LOCKED = Unreadable(reason="password", detail="It is locked.")


def outcome_of(
    job: j.Job, choice: int, *, good: bool = True, asks: bool = False, text: str = "", **written: Any
) -> o.Outcome:
    """``choice`` is of ten, the last of which is a job that died; ``written`` is told of a text that a graph wrote."""
    said, draft = job.echo(), ref(text or f"text {choice}")
    if choice == 9:
        return o.JobDead(**said)
    match job:
        case j.ReadInput() if choice == 8:
            return o.InputUnreadable(**said, unreadable=LOCKED)
        case j.ReadInput():
            form = FoundFields(fields=ref("fields"), field_ids=("f1", "f2")) if job.form else None
            children = tuple(
                InputFile(name=f"{job.name} {n}", artifact=ref(f"{n} {choice}")) for n in range(choice % 3)
            )
            return o.InputRead(**said, reading=InputReading(text=ref(f"read {choice}"), form=form), children=children)
        case j.GenerateSection() | j.ResumeGraph() if asks and choice > 6:
            need = Need(need_id="n1", kind="question", checkpoint_id="cp1")
            return o.GraphPaused(**said, thread_id=job.job_id, need=need)
        case j.GenerateSection() | j.ResumeGraph():
            made = {"draft": draft, "evaluation": evaluation(passed=good), "provenance": PROVENANCE}
            return o.SectionGenerated(**said, **{**made, **written})
        case j.ReviseDraft():
            return o.DraftRevised(**said, draft=draft, summary=ref("cut"), provenance=PROVENANCE)
        case j.ValidateDraft():
            return o.DraftValidated(**said, validation=validation(good))
        case j.EvaluateDraft():
            return o.DraftEvaluated(**said, evaluation=evaluation(passed=good), provenance=PROVENANCE)
        case _:
            return _of_the_rest(job, said, choice)


def _of_the_rest(job: j.Job, said: dict[str, Any], choice: int) -> o.Outcome:
    """Of a job about the document, not about one of its sections."""
    match job:
        case j.ExtractRequirements():
            summary = LedgerSummary(mandatory=("R1",), others=("R2",)[: choice % 2])
            return o.RequirementsExtracted(**said, rows=ref("rows"), difference=ref("{}"), summary=summary)
        case j.CompareReturn():
            return o.ReturnCompared(**said, found=ref("found"))
        case j.FillForm():
            return o.FormFilled(**said, artifact=ref("form"))
        case j.ConvertDocument():
            return o.DocumentConverted(**said, artifact=ref("document"))
        case _:
            return o.ThreadsErased(**said) if isinstance(job, j.EraseThreads) else o.JobDead(**said)
