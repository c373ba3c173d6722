"""What of the inputs the document holds: computed at every try to finish, told to the agent in words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stemma_contracts.media import READ, SHOWN
from stemma_contracts.v1.coverage import BlockCoverage, LeftOut, WhyMissing
from stemma_evidence import InputText, coverage

from stemma_generation_graph.session.session import DRAFT, INPUTS, Session
from stemma_generation_graph.session.tools import readable_names
from stemma_generation_graph.sources.reading import UnreadableInputs

from .state import DocumentState

MAX_TOLD = 20
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
        more = [f"- and {len(lines) - MAX_TOLD} more"] if len(lines) > MAX_TOLD else []
        ask = "Write what is missing, or name it with `leave_out` and the reason."
        return "\n".join(["The document is not complete. It lacks:", "", *lines[:MAX_TOLD], *more, "", ask])

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
    sources = [await _source(session, name) for name in session.names(INPUTS) if not _is_image(session, name)]
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


def _is_image(session: Session, name: str) -> bool:
    ref = session.ref(INPUTS + name)
    return ref is not None and ref.media_type in SHOWN


async def _source(session: Session, name: str) -> InputText:
    ref = session.ref(INPUTS + name)
    readable = ref is not None and ref.media_type in READ
    media_type = ref.media_type if ref is not None else ""
    return InputText(name, await session.text(INPUTS + name) if readable else None, media_type)
