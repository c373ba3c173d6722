"""What the agent is told at each step, before the history: where it is and what is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stemma_contracts.v1.jobs import GenerateSection
from stemma_markdown import Document
from stemma_models.prompting import block

from stemma_generation_graph.session.outline import TOP
from stemma_generation_graph.session.session import Session
from stemma_generation_graph.session.tools import readable_names
from stemma_generation_graph.sources.library import Library
from stemma_generation_graph.writing.drafts import clean_heading
from stemma_generation_graph.writing.material import form

from .checking import open_issues
from .state import DocumentState, job_of

MAX_CHARS = 200


async def title_of(job: GenerateSection, library: Library) -> str:
    if job.document.title is not None:
        return clean_heading(await library.text(job.document, job.document.title))[:MAX_CHARS]
    brief = Document(await library.text(job.document, job.brief))
    first = next((block for block in brief.blocks if block.kind not in ("blank", "front_matter")), None)
    heading = brief.headings[0].text if first is not None and (first.kind, first.level) == ("heading", 1) else ""
    return clean_heading(heading or job.section.title)[:MAX_CHARS]


TASK = "document_agent"
MAX_BRIEF_CHARS = 8_000
MAX_CHAPTERS_SHOWN = 60
MAX_ISSUES_SHOWN = 50


def situation(state: DocumentState, title: str, session: Session, brief: str, guidance: str, written: int) -> str:
    """The step's message: the task, the chapters, what is open. ``written`` is the length of the document in lines."""
    parts = [
        block("task", TASK),
        _section(state, title),
        block("brief", brief[:MAX_BRIEF_CHARS]),
        block("document", _position(state), lines=str(written), checkpoint=state["last_checkpoint_id"]),
        block("outline", list(_chapters(state, _names(session)))),
    ]
    if guidance:
        parts.append(block("guidance", guidance[:MAX_BRIEF_CHARS]))
    if issues := open_issues(state["validation_issues"], state["accepted_issues"])[:MAX_ISSUES_SHOWN]:
        parts.append(block("issues", "\n".join(_issue(issue) for issue in issues)))
    return "\n".join(parts)


def _section(state: DocumentState, title: str) -> str:
    """What the document is for, in what language, and how long at most."""
    job = job_of(state)
    return block("section", job.section.instructions or job.section.purpose, title=title, **form(job))


def _names(session: Session) -> Mapping[str, str]:
    return {name: bare for bare, name in readable_names(session).items()}


def _position(state: DocumentState) -> str:
    chapters, done = state["document_outline"], state["current_chapter"]
    if done >= len(chapters):
        return "All chapters are done: call finish."
    files = len(state["input_files"])
    return f"Chapter {done + 1} of {len(chapters)}, file {state['current_file_index'] + 1} of {files}."


def _chapters(state: DocumentState, names: Mapping[str, str]) -> Iterator[str]:
    done = state["current_chapter"]
    first = max(0, done - MAX_CHAPTERS_SHOWN // 2)
    for number, chapter in enumerate(state["document_outline"][first : first + MAX_CHAPTERS_SHOWN], first):
        status = "done" if number < done else "current" if number == done else "open"
        yield block("entry", chapter["title"], number=str(number + 1), status=status, **_place(chapter, names))


def _place(chapter: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    return {
        "file": names.get(chapter["file"], chapter["file"]),
        "from_line": str(chapter["from_line"]),
        "to_line": str(chapter["to_line"]),
        "level": str(chapter["level"]),
        "depth": str(chapter.get("depth", TOP)),
        **({"heading": chapter["heading"]} if chapter.get("heading") else {}),
    }


def _issue(issue: Mapping[str, Any]) -> str:
    return f"line {issue['line_number']}: {' '.join(str(issue['message']).split())} ({issue['rule']})"
