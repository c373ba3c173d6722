"""What a prompt asks for: the blocks of its messages, read into one value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from langchain_core.messages import BaseMessage, ToolMessage

from stemma_models.prompting import Block, parse_blocks

from .allocation import Entry, Outline
from .gathering import Material, gather
from .material import Unit, read_units
from .plain import plain, without_addresses, without_markup_blocks
from .terms import Lexicon, lexicon

_IMAGE_LINE = re.compile(r"^\s*[-*]\s+(.+?)(?::(?:\s+(.*))?)?$")
_ISSUE_LINE = re.compile(r"^\s*(?:[-*]\s+)?line (\d+):\s*(.*)$", re.I)
_CRITERION_LINE = re.compile(r"^\s*[-*]\s+([\w.-]+):\s+(.*)$")
SEARCH_RESULTS = "search results"


@dataclass(frozen=True)
class Upstream:
    """A finished section that the new one rests on."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Image:
    """An image that a draft may show, by the name that it must use."""

    name: str
    alt: str


@dataclass(frozen=True)
class Request:
    """The material and the task of one call."""

    task: str
    section: Entry
    outline: Outline
    brief: str = ""
    inputs: tuple[tuple[str, str], ...] = ()
    upstream: tuple[Upstream, ...] = ()
    guidance: str = ""
    revision_feedback: str = ""
    previous: str = ""
    issues: str = ""
    criteria: tuple[tuple[str, str], ...] = ()
    draft: str = ""
    images: tuple[Image, ...] = ()
    headings: tuple[str, ...] = ()
    instruction: str = ""
    blocks: tuple[tuple[str, str], ...] = field(default=())

    @property
    def position(self) -> int:
        """The place of the section in the outline, from 0."""
        return next((place for place, entry in enumerate(self.outline) if entry.id == self.section.id), 0)

    @cached_property
    def brief_units(self) -> tuple[Unit, ...]:
        return read_units("", self.brief)

    @cached_property
    def material(self) -> Material:
        return gather(self.inputs)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of the inputs, file by file."""
        return self.material.units

    @cached_property
    def previous_lines(self) -> tuple[str, ...]:
        return tuple(self.previous.replace("\r\n", "\n").split("\n"))

    @cached_property
    def faults(self) -> tuple[tuple[int, str], ...]:
        """The faults that a checker found in the last draft: index of the line and message."""
        found = [(int(number) - 1, message) for number, message in _matches(_ISSUE_LINE, self.issues)]
        return tuple((index, message) for index, message in found if 0 <= index < len(self.previous_lines))

    @cached_property
    def faulty_lines(self) -> tuple[str, ...]:
        """The lines that hold the faults, without their markup; none of them is to be written again."""
        return tuple(words for index, _ in self.faults if (words := plain(self.previous_lines[index])))

    def is_faulty(self, image: Image) -> bool:
        """Whether a checker found fault with the line that shows an image."""
        return any(f"({image.name})" in self.previous_lines[index] for index, _ in self.faults)

    @cached_property
    def lexicon(self) -> Lexicon:
        return lexicon((self.brief, *(text for _, text in self.inputs)))


def read_request(messages: Sequence[BaseMessage]) -> Request:
    """The request that a conversation holds. Without any block, its last words count as the brief."""
    blocks = [block for message in messages for block in parse_blocks(_text(message))]
    found = _Blocks(blocks)
    section = _entry(found.first("section"))
    outline = tuple(map(_entry, _inner(found.first("outline"), "entry"))) or (section,)
    return Request(
        task=found.text("task").strip() or _task(found),
        section=section,
        outline=outline if section.id in {entry.id for entry in outline} else (*outline, section),
        brief=found.text("brief") or ("" if blocks else _last_words(messages)),
        inputs=(*found.inputs(), *_search_results(messages)),
        upstream=tuple(_upstream(block) for block in found.all("upstream")),
        guidance="\n".join(block.text for block in found.all("guidance")).strip(),
        revision_feedback=found.text("revision_feedback").strip(),
        previous=found.text("previous"),
        issues=found.text("issues"),
        criteria=tuple(_matches(_CRITERION_LINE, found.text("criteria"))),
        draft=found.text("draft"),
        images=tuple(
            Image(name, without_addresses(plain(alt))) for name, alt in _matches(_IMAGE_LINE, found.text("images"))
        ),
        headings=tuple(_lines(found.text("headings"))),
        instruction=found.text("instruction").strip(),
        blocks=tuple((block.attributes.get("id", ""), block.text) for block in _inner(found.first("blocks"), "block")),
    )


@dataclass(frozen=True)
class _Blocks:
    blocks: list[Block]

    def all(self, tag: str) -> list[Block]:
        return [block for block in self.blocks if block.tag == tag]

    def first(self, tag: str) -> Block:
        return next(iter(self.all(tag)), Block(tag, ""))

    def text(self, tag: str) -> str:
        return self.first(tag).text

    def inputs(self) -> tuple[tuple[str, str], ...]:
        return tuple((block.attributes.get("name", ""), block.text) for block in self.all("input"))


def _text(message: BaseMessage) -> str:
    return message.text if isinstance(message.text, str) else str(message.content)


def _last_words(messages: Sequence[BaseMessage]) -> str:
    return _text(messages[-1]) if messages else ""


def _search_results(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    answers = [_text(message) for message in messages if isinstance(message, ToolMessage)]
    return [(SEARCH_RESULTS, text) for text in answers if not parse_blocks(text)]


def _task(found: _Blocks) -> str:
    return "revision" if found.all("instruction") else "evaluation" if found.all("criteria") else "section"


def _entry(block: Block) -> Entry:
    given = block.attributes
    title = without_addresses(plain(given.get("title", ""))) or "Summary"
    return Entry(given.get("id") or "text", title, given.get("kind", ""), plain(block.text))


def _inner(block: Block, tag: str) -> list[Block]:
    return [child for child in block.children if child.tag == tag]


def _upstream(block: Block) -> Upstream:
    given = block.attributes
    text = without_markup_blocks(block.text)
    return Upstream(given.get("id", ""), plain(given.get("title", "")) or given.get("id", ""), text)


def _matches(pattern: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    found = (pattern.match(line) for line in text.splitlines())
    return [(match.group(1), match.group(2) or "") for match in found if match]


def _lines(text: str) -> list[str]:
    return [words for line in text.splitlines() if (words := plain(re.sub(r"^\s*[-*]\s+", "", line)))]
