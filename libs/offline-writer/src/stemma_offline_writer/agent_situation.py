"""Where an agent is, read from the blocks that each step begins with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage
from stemma_models.prompting import Block, parse_blocks

TOP = 2
"""The level of the highest headings, below the title."""
_ISSUE = re.compile(r"line (\d+): .*\(([\w/-]+)\)$")


@dataclass(frozen=True)
class Chapter:
    """The chapter to be written: its lines in its file, the level of that file's highest heading, here and there.

    ``heading`` stands above the chapter if it opens a file without such a heading.
    """

    number: int
    file: str
    level: int
    depth: int
    heading: str
    from_line: int
    to_line: int


@dataclass(frozen=True)
class Issue:
    """What a checker found; line 0 is the whole text."""

    line: int
    rule: str


@dataclass(frozen=True)
class Situation:
    """The document's title and length, the chapter that is current, and what is to be put right."""

    title: str
    lines: int
    current: Chapter | None
    issues: tuple[Issue, ...]


def read_situation(messages: Sequence[BaseMessage]) -> Situation:
    """The situation that the first message of a person holds."""
    first = next((str(message.text) for message in messages if isinstance(message, HumanMessage)), "")
    blocks = {block.tag: block for block in parse_blocks(first)}
    nothing = Block("", "")
    found = (_ISSUE.match(line) for line in blocks.get("issues", nothing).text.splitlines())
    return Situation(
        title=blocks.get("section", nothing).attributes.get("title", "") or "Document",
        lines=_number(blocks.get("document", nothing), "lines"),
        current=_current(blocks.get("outline", nothing)),
        issues=tuple(Issue(int(match.group(1)), match.group(2)) for match in found if match),
    )


def _current(outline: Block) -> Chapter | None:
    for entry in outline.children:
        if entry.attributes.get("status") == "current":
            number, file = _number(entry, "number"), entry.attributes.get("file", "")
            lines = _number(entry, "from_line"), _number(entry, "to_line")
            depth, heading = _number(entry, "depth") or TOP, entry.attributes.get("heading", "")
            return Chapter(number, file, _number(entry, "level"), depth, heading, *lines)
    return None


def _number(block: Block, name: str) -> int:
    value = block.attributes.get(name, "")
    return int(value) if value.isdigit() else 0
