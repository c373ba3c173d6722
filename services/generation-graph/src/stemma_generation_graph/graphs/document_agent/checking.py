"""What of the draft is checked: the chapter that is new, and the whole once nothing is to be written any more."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from stemma_contracts.v1.validation import ValidationIssue, ValidationReport
from stemma_markdown import Block, split

from stemma_generation_graph.session.session import CHECKPOINTS, DRAFT, Session

from .state import DocumentState

UNTITLED = "# Document\n\n"


@dataclass(frozen=True)
class Checked:
    """A text for the validator: the draft from ``start`` on, under the headings above it unless it begins there."""

    draft: str
    start: int
    above: str
    excerpt: bool

    @property
    def text(self) -> str:
        return self.above + self.draft[self.start :]

    def put_back(self, mended: str) -> str:
        """The draft in which a mended text takes the place of the one that was checked."""
        if not mended.startswith(self.above):
            return self.draft
        return self.draft[: self.start] + mended.removeprefix(self.above)

    def in_draft(self, report: ValidationReport) -> ValidationReport:
        """The report with the lines of the draft, and without what is found in the headings above."""
        added, before = self.above.count("\n"), self.draft.count("\n", 0, self.start)
        moved = tuple(
            issue.model_copy(update={"line_number": issue.line_number and issue.line_number - added + before})
            for issue in report.issues
            if issue.line_number == 0 or issue.line_number > added
        )
        passed = report.validation_passed or (bool(report.issues) and not moved)
        return report.model_copy(update={"issues": moved, "validation_passed": passed})


@lru_cache(maxsize=4)
def headings_above(settled: str) -> str:
    """The headings that what follows on a text stands under, so that levels can be checked, and no other text."""
    path: list[Block] = []
    for block in split(settled):
        if block.kind == "heading":
            path = [*(above for above in path if above.level < block.level), block]
    shown = "".join(f"{block.content.strip()}\n\n" for block in path)
    return shown if path and path[0].level == 1 else UNTITLED + shown


async def text_to_check(state: DocumentState, session: Session) -> Checked:
    """The chapter behind what was settled before; the whole if that was changed, if it is asked for, and at the end.

    While chapters are open, nothing is held against the text that only the whole can tell, such as where links lead.
    """
    draft = await session.text(DRAFT)
    if _is_whole(state):
        return Checked(draft, 0, "", excerpt=False)
    settled = await session.text(CHECKPOINTS + state["settled_checkpoint"])
    part = draft.removeprefix(settled)
    if not settled.endswith("\n") or not part.strip() or not draft.startswith(settled):
        return Checked(draft, 0, "", excerpt=True)
    start = len(draft) - len(part.lstrip("\n"))
    return Checked(draft, start, await session.compute(headings_above, settled), excerpt=True)


def _is_whole(state: DocumentState) -> bool:
    return not state["checkpoint_created"] or state["current_chapter"] + 1 >= len(state["document_outline"])


def mark_of(state: DocumentState, session: Session) -> dict[str, Any]:
    return {"digest": session.manifest[DRAFT]["digest"], "whole": _is_whole(state)}


def is_known(state: DocumentState, session: Session) -> bool:
    """Whether the last check was of this very text, and of as much of it."""
    return state["last_check"] == mark_of(state, session)


MAX_ISSUES = 200
MAX_TOLD = 50


def with_keys(report: ValidationReport, text: str) -> list[dict[str, Any]]:
    """The issues of a text, each with a key that stays when lines are added before it."""
    lines = text.split("\n")
    return [{**issue.model_dump(mode="json"), "key": _key(issue, lines)} for issue in report.issues]


def _key(issue: ValidationIssue, lines: Sequence[str]) -> str:
    place = lines[issue.line_number - 1] if 0 < issue.line_number <= len(lines) else issue.message
    return hashlib.sha256(f"{issue.rule}\n{place.strip()}".encode(errors="replace")).hexdigest()[:16]


def open_issues(issues: Iterable[dict[str, Any]], accepted: Collection[str]) -> list[dict[str, Any]]:
    """The issues that no earlier chapter was allowed to keep."""
    return [issue for issue in issues if issue.get("key") not in accepted]


def describe_issues(issues: Sequence[Mapping[str, Any]]) -> str:
    """The issues in words, for the agent."""
    lines = [f"line {i['line_number']}: {i['message']} ({i['rule']})" for i in issues[:MAX_TOLD]]
    return "\n".join(lines) or "No issues were found."


def rules_of(issues: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({str(issue["rule"]) for issue in issues}))
