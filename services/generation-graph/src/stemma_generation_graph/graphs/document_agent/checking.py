"""What of a draft is checked and what it lacks; what the graph pauses for, and how the answer is read."""

import hashlib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langgraph.types import interrupt
from pydantic import ValidationError
from stemma_contracts.media import READ, SHOWN
from stemma_contracts.v1.coverage import BlockCoverage, LeftOut, WhyMissing
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.jobs import GenerateSection
from stemma_contracts.v1.needs import SKIP, MissingReference, NeedAnswer, answer_form
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import NOT_CHECKED, ValidationIssue, ValidationReport
from stemma_evidence import InputText, coverage

from stemma_generation_graph.sources import Library, UnreadableInputs

from .images import supplied_assets
from .session import CHECKPOINTS, DRAFT, INPUTS, Session, headings_above
from .state import AgentFailure, DocumentState
from .tools import readable_names


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


def question_at_bound(steps: int) -> str:
    return f"The agent has taken {steps} steps, which is its bound"


def question_without_progress(steps: int) -> str:
    return f"The agent makes no progress: its last {steps} steps repeated what it had done"


def question_whether_to_go_on(why: str, more: int, done: int, chapters: int) -> str:
    """The question whether to go on when the agent has taken the steps that it may, or goes in circles."""
    return "\n".join(
        [
            f"{why}; {done} of {chapters} chapters are done.",
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


MAX_LINES_TOLD = 20
WHY: Mapping[WhyMissing, str] = {
    "absent": "nothing of it is there",
    "words": "too little of it is there",
    "facts": "amounts, dates or names are missing",
    "unreadable": "no program here can read it: leave it out, with the reason, or ask the person",
}


@dataclass(frozen=True)
class Written:
    """Where each block of the inputs stands, and the chapters that are not saved yet (``open_from`` is the first)."""

    blocks: Sequence[BlockCoverage]
    outline: Sequence[Mapping[str, Any]]
    open_from: int
    names: Mapping[str, str]

    @cached_property
    def missing(self) -> list[BlockCoverage]:
        return [block for block in self.blocks if block.standing == "missing"]

    @cached_property
    def open_chapters(self) -> list[Mapping[str, Any]]:
        """The chapters that are not saved and hold something that is missing, or of which code cannot tell."""
        unsure = _lines_of(block for block in self.blocks if block.standing in ("missing", "not_comparable"))
        return [chapter for chapter in self.outline[self.open_from :] if _has_one_in(chapter, unsure)]

    def open_words(self) -> str:
        """What the document lacks, in words for the agent; nothing if it is complete as far as an agent can read."""
        lines = [*self._missing_lines(), *self._chapter_lines()]
        if not lines:
            return ""
        more = [f"- and {len(lines) - MAX_LINES_TOLD} more"] if len(lines) > MAX_LINES_TOLD else []
        ask = "Write what is missing, or name it with `leave_out` and the reason."
        return "\n".join(["The document is not complete. It lacks:", "", *lines[:MAX_LINES_TOLD], *more, "", ask])

    def _missing_lines(self) -> list[str]:
        first: dict[tuple[str, str], list[BlockCoverage]] = {}
        for block in (block for block in self.missing if block.why != "unreadable"):
            first.setdefault((block.file, block.chapter), []).append(block)
        return [
            f"- `{self._shown(file)}`, {_quoted(chapter)}, line {blocks[0].line}: {_why(blocks)}"
            for (file, chapter), blocks in first.items()
        ]

    def _chapter_lines(self) -> list[str]:
        missing = _lines_of(self.missing)
        return [
            f"- `{self._shown(c['file'])}`, {_quoted(c['title'])}, lines {c['from_line']} to {c['to_line']}: not saved"
            for c in self.open_chapters
            if not _has_one_in(c, missing)
        ]

    def _shown(self, file: str) -> str:
        return self.names.get(file, file)


def _lines_of(blocks: Iterable[BlockCoverage]) -> dict[str, list[int]]:
    lines: dict[str, list[int]] = defaultdict(list)
    for block in blocks:
        lines[block.file].append(block.line)
    return {file: sorted(found) for file, found in lines.items()}


def _has_one_in(chapter: Mapping[str, Any], lines: Mapping[str, Sequence[int]]) -> bool:
    found = lines.get(chapter["file"], ())
    return bisect_left(found, chapter["from_line"]) < bisect_right(found, chapter["to_line"])


def _quoted(title: str) -> str:
    return f'"{title}"' if title else "before the first heading"


def _why(blocks: Sequence[BlockCoverage]) -> str:
    facts = list(dict.fromkeys(fact for block in blocks for fact in block.missing_facts))[:5]
    named = f" ({', '.join(facts)})" if facts and blocks[0].why == "facts" else ""
    times = f"; {len(blocks)} blocks in all" if len(blocks) > 1 else ""
    return WHY[blocks[0].why or "absent"] + named + times


async def document_coverage(
    state: DocumentState, session: Session, left_out: Iterable[Mapping[str, str]] | None = None
) -> Written:
    """What the document holds as it is now; ``left_out`` is what the writer named, by default what the state says."""
    named = [LeftOut.model_validate(entry) for entry in (state["left_out"] if left_out is None else left_out)]
    kinds = {name: session.media_type(INPUTS + name) for name in session.names(INPUTS)}
    sources = [await _source(session, name, kind) for name, kind in kinds.items() if kind not in SHOWN]
    text = await session.text(DRAFT)
    blocks = await _coverage(session, sources, text, named)
    names = {name: bare for bare, name in readable_names(session).items()}
    return Written(blocks, state["document_outline"], state["current_chapter"], names)


async def _coverage(
    session: Session, sources: Sequence[InputText], text: str, left_out: Sequence[LeftOut]
) -> Sequence[BlockCoverage]:
    """Where each block of the inputs stands; beyond the limits each input is a block that cannot be compared."""
    try:
        return await session.compute(coverage, sources, text, left_out)
    except UnreadableInputs:
        return [BlockCoverage(file=one.name, chapter="", line=1, standing="not_comparable") for one in sources]


async def _source(session: Session, name: str, media_type: str) -> InputText:
    return InputText(name, await session.text(INPUTS + name) if media_type in READ else None, media_type)
