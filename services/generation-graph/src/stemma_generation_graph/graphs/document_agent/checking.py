"""What of the draft is checked: the chapter that is new, and the whole once nothing is to be written any more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stemma_contracts.v1.values import ValidationIssue, ValidationReport

from stemma_generation_graph.session.session import CHECKPOINTS, DRAFT, Session

from .state import DocumentState

UNTITLED = "# Document"
TITLE_LINES = 2
"""How many lines an excerpt has before its part: the title of the whole and a blank one."""


@dataclass(frozen=True)
class Checked:
    """A text for the validator: the draft from ``start`` on, under its title unless that is where it begins."""

    draft: str
    start: int
    excerpt: bool

    @property
    def text(self) -> str:
        """The text to be checked."""
        return self._head + self.draft[self.start :].lstrip("\n")

    def put_back(self, mended: str) -> str:
        """The draft in which a mended text takes the place of the one that was checked."""
        if not self.start:
            return mended
        part = self.draft[self.start :]
        blank = part[: len(part) - len(part.lstrip("\n"))]
        if not mended.startswith(self._head):
            return self.draft
        return self.draft[: self.start] + blank + mended.removeprefix(self._head)

    def in_draft(self, report: ValidationReport) -> ValidationReport:
        """The report with the lines of the draft."""
        if not self.start:
            return report
        part = self.draft[self.start :]
        before = self.draft.count("\n", 0, self.start) + len(part) - len(part.lstrip("\n")) - TITLE_LINES
        moved = tuple(_moved(issue, before) for issue in report.issues)
        return report.model_copy(update={"issues": moved})

    @property
    def _head(self) -> str:
        title = self.draft.partition("\n")[0]
        return f"{title if title.startswith('# ') else UNTITLED}\n\n" if self.start else ""


def _moved(issue: ValidationIssue, lines: int) -> ValidationIssue:
    if issue.line_number == 0:
        return issue
    return issue.model_copy(update={"line_number": issue.line_number + lines if issue.line_number > TITLE_LINES else 1})


async def what_to_check(state: DocumentState, session: Session) -> Checked:
    """The chapter behind what was settled before; the whole if that was changed, if it is asked for, and at the end.

    While chapters are open, nothing is held against the text that only the whole can tell, such as where links lead.
    """
    draft = await session.text(DRAFT)
    if _is_whole(state):
        return Checked(draft, 0, excerpt=False)
    settled = await session.text(CHECKPOINTS + state["settled_checkpoint"])
    goes_on = bool(settled) and draft.startswith(settled) and settled.endswith("\n") and bool(draft[len(settled) :])
    return Checked(draft, len(settled) if goes_on else 0, excerpt=True)


def _is_whole(state: DocumentState) -> bool:
    return not state["checkpoint_created"] or state["current_chapter"] + 1 >= len(state["document_outline"])


def mark_of(state: DocumentState, session: Session) -> dict[str, Any]:
    """What a check was of, to know the same text again."""
    return {"digest": session.manifest[DRAFT]["digest"], "whole": _is_whole(state)}


def is_known(state: DocumentState, session: Session) -> bool:
    """Whether the last check was of this very text, and of as much of it."""
    return state["last_check"] == mark_of(state, session)
