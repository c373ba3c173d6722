"""Pauses of the agent: what the graph asks for, and how the answer is read when it goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.types import interrupt
from pydantic import ValidationError
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.needs import SKIP, MissingReference, NeedAnswer, answer_form
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import NOT_CHECKED, ValidationIssue, ValidationReport

from stemma_generation_graph.session.references import supplied_assets
from stemma_generation_graph.session.session import DRAFT, Session
from stemma_generation_graph.sources.library import Library

from .checking import Checked
from .failures import AgentFailure
from .state import DocumentState

IMAGES, AGENT, STEPS = "images", "agent", "steps"
GO_ON, END_HERE = "go on", "end here"
FORMS: Mapping[str, tuple[str, ...]] = {IMAGES: (SKIP, "skip all"), STEPS: (GO_ON, END_HERE), AGENT: ()}
"""By what a question is about, the only answers in words that it understands; any words if there are none."""


def subject_of(state: DocumentState) -> str:
    return state["question_about"] or (IMAGES if state["missing_references"] else AGENT)


def is_understood(about: str, answer: NeedAnswer) -> bool:
    """Whether an answer says something that the question asks for; decisions are looked at one by one."""
    if about == IMAGES and answer.decisions:
        return True
    forms = FORMS[about]
    return answer_form(answer.text) in forms if forms else bool(answer.text.strip())


def question_at_bound(steps: int, more: int, done: int, chapters: int) -> str:
    """The question whether to go on when the agent has taken the steps that it may."""
    return "\n".join(
        [
            f"The agent has taken {steps} steps, which is its bound; {done} of {chapters} chapters are done.",
            "",
            f"- `{GO_ON}`: it may take {more} more",
            f"- `{END_HERE}`: the document is what is written so far",
        ]
    )


JSON = "application/json"


async def ask_person(
    question: str,
    forms: Sequence[str],
    missing: Sequence[MissingReference],
    job: GenerateSection,
    library: Library,
) -> NeedAnswer:
    """The answer of a person, in words, by decisions, or both; an empty one if what came cannot be read."""
    references = [entry.model_dump(mode="json") for entry in missing]
    asked = {"kind": "question", "question": question, "references": references, "forms": list(forms)}
    ref = _answer(asked, "question")
    text = await library.text(job.document, ref)
    try:
        return NeedAnswer.model_validate_json(text) if ref.media_type == JSON else NeedAnswer(text=text)
    except ValidationError:
        return NeedAnswer()


async def ask_validator(checked: Checked, session: Session, job: GenerateSection, library: Library) -> ValidationReport:
    """What the validator finds, with the lines of the draft; ``fixed`` is the text that was checked, mended.

    A check that could not be made is an issue: the agent cannot mend it, so no step of its is spent on it.
    """
    asked = {"kind": "validation", **_draft_of(session), "excerpt": checked.excerpt}
    if checked.start:
        name = f"{job.section.section_id}.part.md"
        part = await library.store(job.document, checked.text.encode(), "text/markdown", name)
        asked["draft"] = part.model_dump(mode="json")
    try:
        ref = _answer(asked, "validation")
    except AgentFailure as failure:
        return _not_checked(failure.detail)
    return checked.in_draft(ValidationReport.model_validate_json(await library.text(job.document, ref)))


def _not_checked(why: str) -> ValidationReport:
    words = "The draft could not be checked"
    issue = ValidationIssue(
        line_number=0, rule=NOT_CHECKED, rule_description=words, message=f"{words}: {why}; leave it as it is"
    )
    return ValidationReport(validation_passed=False, issues=(issue,), engine="", engine_version="")


def ask_converter(session: Session, to: ExportFormat) -> ArtifactRef:
    return _answer({"kind": "conversion", "format": to.value, **_draft_of(session)}, "conversion")


def _draft_of(session: Session) -> dict[str, Any]:
    assets = [asset.model_dump(mode="json") for asset in supplied_assets(session)]
    return {"draft": session.manifest[DRAFT], "assets": assets}


def _answer(asked: dict[str, Any], what: str) -> ArtifactRef:
    """What a need was answered with; raises `AgentFailure` if it could not be met: no step of the model mends that."""
    answer = interrupt(asked)
    if answer["failed"]:
        raise AgentFailure(what, str(answer["detail"]), retryable=False)
    return ArtifactRef.model_validate(answer["artifact"])
