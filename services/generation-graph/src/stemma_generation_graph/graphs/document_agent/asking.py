"""What a person is asked about, which answers each question understands, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping

from stemma_contracts.v1.needs import SKIP, NeedAnswer, answer_form

from .state import DocumentState

IMAGES, AGENT, STEPS = "images", "agent", "steps"
GO_ON, END_HERE = "go on", "end here"
FORMS: Mapping[str, tuple[str, ...]] = {IMAGES: (SKIP, "skip all"), STEPS: (GO_ON, END_HERE), AGENT: ()}
"""By what a question is about, the only answers in words that it understands; any words if there are none."""


def subject_of(state: DocumentState) -> str:
    """What the pending question is about."""
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
