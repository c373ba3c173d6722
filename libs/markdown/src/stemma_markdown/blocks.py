"""A source as top-level blocks that concatenate back to exactly the same text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from markdown_it.token import Token

from .lines import BLANK, Lines
from .parser import parse_blocks

BlockKind = Literal[
    "heading",
    "paragraph",
    "list",
    "quote",
    "code",
    "table",
    "rule",
    "html",
    "footnote",
    "definition",
    "front_matter",
    "blank",
]

_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
    "hr": "rule",
    "html_block": "html",
    "footnote_reference_open": "footnote",
}


@dataclass(frozen=True)
class Block:
    """A top-level block with the blank lines after it.

    ``level`` is that of a heading, else 0; ``line`` counts from 1; ``start`` and ``end`` are places in the source,
    in characters. A ``definition`` holds link definitions. What lies before the first block, such as a byte order
    mark, is ``blank``.
    """

    kind: BlockKind
    level: int
    text: str
    line: int
    start: int
    end: int

    @property
    def content(self) -> str:
        """The block without the line end of its last line and the blank lines after it.

        Spaces at the end of the last line belong to it, for they can be a line break.
        """
        end = len(self.text.rstrip(BLANK))
        return self.text[: end + len(self.text[end:]) - len(self.text[end:].lstrip(" \t"))]

    @property
    def gap(self) -> str:
        """What lies between ``content`` and the next block."""
        return self.text[len(self.content) :]


@dataclass(frozen=True)
class _Start:
    line: int
    kind: BlockKind
    level: int = 0


def split(text: str) -> tuple[Block, ...]:
    """Cut a text into its top-level blocks: ``"".join(block.text for block in split(text)) == text``."""
    lines = Lines(text)
    return blocks_of(lines, parse_blocks(lines.parsed))


def blocks_of(lines: Lines, tokens: Iterable[Token]) -> tuple[Block, ...]:
    """The blocks that tokens stand for."""
    text = lines.source
    starts = list(_starts(lines, tokens))
    bounds = [lines.starts[start.line] for start in starts] + [len(text)]
    blocks = [
        Block(start.kind, start.level, text[begin:end], start.line + 1, begin, end)
        for start, begin, end in zip(starts, bounds, bounds[1:], strict=False)
    ]
    before = text[: bounds[0]]
    return (Block("blank", 0, before, 1, 0, len(before)), *blocks) if before else tuple(blocks)


def _starts(lines: Lines, tokens: Iterable[Token]) -> Iterator[_Start]:
    """Where blocks begin; lines in no token hold link definitions."""
    covered = lines.front_matter
    if covered:
        yield _Start(0, "front_matter")
    for token in tokens:
        if token.level == 0 and token.nesting >= 0 and token.map:
            yield from _islands(lines, covered, token.map[0])
            if token.map[0] < len(lines.texts):
                yield _Start(token.map[0], _KINDS.get(token.type, "paragraph"), _level(token))
            covered = max(covered, token.map[1])
    yield from _islands(lines, covered, len(lines.texts))


def _islands(lines: Lines, first: int, end: int) -> Iterator[_Start]:
    after_blank = True
    for number in range(first, end):
        blank = lines.is_blank(number)
        if after_blank and not blank:
            yield _Start(number, "definition")
        after_blank = blank


def _level(token: Token) -> int:
    return int(token.tag[1]) if token.type == "heading_open" else 0
