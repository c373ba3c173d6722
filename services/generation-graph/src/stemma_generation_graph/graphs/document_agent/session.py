"""A session: the files of one run by name, with content in the artifact store by digest; the chapters of its inputs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from operator import attrgetter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

import yaml
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_markdown import Block, Document, Heading, split

if TYPE_CHECKING:
    from stemma_generation_graph.sources import Library

LABEL_CHARS = 40

_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9_]+")


def clean_label(label: str) -> str:
    """A label reduced to letters, digits and ``_``; empty if nothing is left."""
    return _NOT_IN_LABEL.sub("_", label).strip("_")[:LABEL_CHARS]


def new_checkpoint_id(label: str, at: datetime, taken: Collection[str]) -> str:
    """An id that is not taken; two of one second and label differ by a number."""
    stem = f"{at:%Y%m%d_%H%M%S}_{clean_label(label) or 'checkpoint'}"
    number, found = 1, f"{stem}.md"
    while found in taken:
        number += 1
        found = f"{stem}_{number}.md"
    return found


INPUTS = "inputs/"
ASSETS = "assets/"
CHECKPOINTS = "checkpoints/"
DRAFT = "temp_output.md"
STRUCTURE = "structure.json"
DOCX = "output.docx"

Manifest = dict[str, dict[str, Any]]
T = TypeVar("T")


def new_manifest(inputs: tuple[InputFile, ...]) -> Manifest:
    return {INPUTS + file.name: file.artifact.model_dump(mode="json") for file in inputs}


class Session:
    """A working copy of a manifest. What it does is kept only if its manifest is written to the graph's state.

    Names are keys of the manifest and never paths of a host, so that nothing outside can be reached by one.
    """

    def __init__(self, session_id: str, document: DocumentHead, manifest: Mapping[str, Any], library: Library) -> None:
        self.session_id = session_id
        self.manifest: Manifest = dict(manifest)
        self._document = document
        self._library = library

    def names(self, folder: str) -> list[str]:
        """The names in a folder, without it, in the order in which they came."""
        return [name.removeprefix(folder) for name in self.manifest if name.startswith(folder)]

    def ref(self, name: str) -> ArtifactRef | None:
        entry = self.manifest.get(name)
        return ArtifactRef.model_validate(entry) if entry is not None else None

    def media_type(self, name: str) -> str:
        """Of a file; empty if there is none of that name."""
        return str(self.manifest.get(name, {}).get("media_type", ""))

    def put(self, name: str, ref: ArtifactRef) -> None:
        self.manifest[name] = ref.model_dump(mode="json")

    async def text(self, name: str) -> str:
        """The text of a file; empty if there is none of that name."""
        ref = self.ref(name)
        return await self._library.text(self._document, ref) if ref else ""

    async def compute(self, function: Callable[..., T], *given: Any) -> T:
        return await self._library.compute(function, *given)

    async def write(self, name: str, text: str, media_type: str = "text/markdown") -> ArtifactRef:
        ref = await self._library.store(self._document, text.encode(errors="replace"), media_type, name)
        self.put(name, ref)
        return ref

    async def snapshot(self, label: str, at: datetime) -> str:
        """Keep the draft as it is now, to the byte; the id of the checkpoint."""
        if self.ref(DRAFT) is None:
            await self.write(DRAFT, "")
        checkpoint_id = new_checkpoint_id(label, at, self.names(CHECKPOINTS))
        self.manifest[CHECKPOINTS + checkpoint_id] = self.manifest[DRAFT]
        return checkpoint_id

    def restore_from_checkpoint(self, session_id: str, checkpoint_id: str) -> bool:
        """Make the draft what a checkpoint of this session kept; False for anything else, never an exception."""
        kept = self.manifest.get(f"{CHECKPOINTS}{checkpoint_id}")
        if kept is None or session_id != self.session_id:
            return False
        self.manifest[DRAFT] = kept
        return True

    def prune_checkpoints(self, keep: int) -> None:
        """Forget the oldest checkpoints beyond a number; the last is always kept."""
        for checkpoint_id in self.names(CHECKPOINTS)[: -max(1, keep)]:
            del self.manifest[CHECKPOINTS + checkpoint_id]


CHAPTER_CHARS = 6000
TOP = 2
"""The level of the highest headings in the document, below its title."""
MAX_TITLE_CHARS = 200
MAX_FRONT_MATTER_CHARS = 16_384
"""Of front matter is read to find a title in it."""


@dataclass(frozen=True)
class Chapter:
    """Lines of a file, counted from 1; ``level`` is that of the file's highest heading, ``depth`` in the document.

    ``heading`` is to stand above the chapter if it opens a file that has no heading of its own above all others.
    """

    file: str
    title: str
    level: int
    from_line: int
    to_line: int
    depth: int = TOP
    heading: str = ""


def headings_of(text: str) -> list[str]:
    """The headings of a file, each on one line, in their order."""
    return [heading.text for heading in Document(text).headings if heading.text]


def outline_of(files: Mapping[str, str]) -> list[Chapter]:
    """The chapters of all files. Of several files each stands under one heading: its only highest one, or its title."""
    return [chapter for name, text in files.items() for chapter in _under_one(name, text, among=len(files))]


def _under_one(name: str, text: str, among: int) -> list[Chapter]:
    chapters = chapters_of(name, text)
    if among < 2 or not chapters or _has_one_heading(text):
        return chapters
    first, *rest = (replace(chapter, depth=TOP + 1) for chapter in chapters)
    return [replace(first, heading=title_of_file(name, text)), *rest]


def _has_one_heading(text: str) -> bool:
    """Whether a file begins with a heading, and has no other of that level or above."""
    document = Document(text)
    first = next((block for block in document.blocks if block.kind not in ("front_matter", "blank")), None)
    levels = [heading.level for heading in document.headings]
    return first is not None and first.kind == "heading" and levels.count(levels[0]) == 1 and min(levels) == levels[0]


def title_of_file(name: str, text: str) -> str:
    """The title that front matter gives, else the name of the file in words."""
    block = next(iter(Document(text).blocks), None)
    title = _title_in(block.text) if block is not None and block.kind == "front_matter" else ""
    words = re.sub(r"[-_\s]+", " ", PurePosixPath(name).stem).strip()
    return title or words[:1].upper() + words[1:] or name


def _title_in(front_matter: str) -> str:
    """The title among the fields: their nodes are read and no value made of them, for one that merges others twice
    again and again would grow without bound."""
    start = front_matter[:MAX_FRONT_MATTER_CHARS].rpartition("\n")[0]
    try:
        fields = next(yaml.compose_all(start, yaml.SafeLoader), None)
    except (yaml.YAMLError, ValueError, RecursionError):
        return ""
    named = fields.value if isinstance(fields, yaml.MappingNode) else []
    titles = (value for name, value in named if name.value == "title")
    title = next(titles, None)
    if not isinstance(title, yaml.ScalarNode) or title.tag != "tag:yaml.org,2002:str":
        return ""
    return " ".join(title.value.split())[:MAX_TITLE_CHARS]


def chapters_of(file: str, text: str) -> list[Chapter]:
    """The chapters of a file in their order: what its highest headings divide it into.

    One highest heading is the file's title: the chapters are then those below it, and its own text, if it has any. A
    long chapter is divided by its next lower headings. Front matter is in no chapter, and a file without text has none.
    """
    document = Document(text)
    first = next((block.line for block in document.blocks if block.kind not in ("front_matter", "blank")), 0)
    if not first:
        return []
    headings = [heading for heading in document.headings if heading.text]
    level = min((heading.level for heading in headings), default=1)
    region = _Region(text.rstrip("\n").split("\n"), headings)
    return [
        Chapter(file, region.title(start, end) or file, level, start, end - 1)
        for start, end in _divided(region, first, len(region.lines) + 1, whole_file=True)
    ]


_line_of = attrgetter("line")


@dataclass(frozen=True)
class _Region:
    lines: Sequence[str]
    headings: Sequence[Heading]

    def within(self, start: int, end: int) -> list[Heading]:
        first = bisect_left(self.headings, start, key=_line_of)
        return list(self.headings[first : bisect_left(self.headings, end, key=_line_of)])

    def title(self, start: int, end: int) -> str:
        at = bisect_left(self.headings, start, key=_line_of)
        return self.headings[at].text if at < len(self.headings) and self.headings[at].line < end else ""

    def size(self, start: int, end: int) -> int:
        return sum(len(line) + 1 for line in self.lines[start - 1 : end - 1])

    def has_own_text(self, start: int, end: int) -> bool:
        titles = {heading.line for heading in self.within(start, end)}
        return any(
            line.strip(" \t=-") for number, line in enumerate(self.lines[start - 1 : end - 1], start)
            if number not in titles
        )  # fmt: skip


def _divided(region: _Region, start: int, end: int, *, whole_file: bool = False) -> Iterator[tuple[int, int]]:
    """The lines of the chapters from one line to another, the last not included."""
    headings = region.within(start, end)
    top = min((heading.level for heading in headings), default=0)
    highest = [heading for heading in headings if heading.level == top]
    is_titled = len(highest) == 1 and not region.has_own_text(start, highest[0].line)
    if is_titled:
        next_level = min((heading.level for heading in headings if heading.level > top), default=0)
        highest = [heading for heading in headings if heading.level == next_level]
    if len(highest) < 2 and not (is_titled and highest and region.size(start, end) > CHAPTER_CHARS):
        yield start, end
        return
    if not whole_file and region.size(start, end) <= CHAPTER_CHARS:
        yield start, end
        return
    starts = [heading.line for heading in highest]
    has_text = is_titled and region.has_own_text(start, starts[0])
    for part, after in pairwise([start, *(starts if has_text else starts[1:]), end]):
        if (part, after) == (start, end):
            yield part, after
        else:
            yield from _divided(region, part, after)


UNTITLED = "# Document\n\n"


def headings_above(settled: str) -> str:
    """The headings that what follows on a text stands under, so that levels can be checked, and no other text."""
    path: list[Block] = []
    for block in split(settled):
        if block.kind == "heading":
            path = [*(above for above in path if above.level < block.level), block]
    shown = "".join(f"{block.content.strip()}\n\n" for block in path)
    return shown if path and path[0].level == 1 else UNTITLED + shown
