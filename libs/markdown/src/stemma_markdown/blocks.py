"""A source as top-level blocks that concatenate back to exactly the same text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from .lines import BLANK, Lines, events

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
    "Heading": "heading",
    "Paragraph": "paragraph",
    "List": "list",
    "BlockQuote": "quote",
    "CodeBlock": "code",
    "Table": "table",
    "Rule": "rule",
    "HtmlBlock": "html",
    "FootnoteDefinition": "footnote",
}

_MARKS = re.compile(r" {0,3}#{1,6}(?=[ \t]|$)")


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

    def as_heading(self, level: int) -> str:
        """The text of a heading at another level; one that is underlined becomes one with marks before it."""
        marks = _MARKS.match(self.content)
        if marks:
            return f"{'#' * level}{self.text[marks.end() :]}"
        words = " ".join(line.strip() for line in self.content.split("\n")[:-1])
        return f"{'#' * level} {words}{self.gap}"


class _Start(NamedTuple):
    line: int
    kind: BlockKind
    level: int = 0


def split(text: str) -> tuple[Block, ...]:
    """Cut a text into its top-level blocks: ``"".join(block.text for block in split(text)) == text``."""
    lines = Lines(text)
    starts = list(_starts(lines))
    bounds = [lines.starts[start.line] for start in starts] + [len(text)]
    blocks = [
        Block(start.kind, start.level, text[begin:end], start.line + 1, begin, end)
        for start, begin, end in zip(starts, bounds, bounds[1:], strict=False)
    ]
    before = text[: bounds[0]]
    return (Block("blank", 0, before, 1, 0, len(before)), *blocks) if before else tuple(blocks)


def _starts(lines: Lines) -> Iterator[_Start]:
    """Where blocks begin; lines in no block hold link definitions."""
    covered = lines.front_matter
    if covered:
        yield _Start(0, "front_matter")
    for tag, start, end in _top_level(lines):
        first = lines.number(start) - 1
        yield from _islands(lines, covered, first)
        if first >= covered:  # a footnote may begin on the line of another one
            yield _start(tag, first)
        covered = max(covered, lines.number(end - 1))
    yield from _islands(lines, covered, len(lines.texts))


def _top_level(lines: Lines) -> Iterator[tuple[str | dict[str, Any], int, int]]:
    """The tags of the blocks that stand in no other, and their ranges.

    Where link definitions come after a list, the parser takes one into its range: its last item tells where it ends.
    """
    depth, tag, begin, after = 0, cast("str | dict[str, Any]", ""), 0, 0
    for event, start, end in events(lines):
        if isinstance(event, str):
            if depth == 0:
                yield event, start, end
        elif "Start" in event:
            if depth == 0:
                tag, begin, after = event["Start"], start, end
            elif depth == 1 and event["Start"] == "Item":
                after = end
            depth += 1
        elif "End" in event:
            depth -= 1
            if depth == 0:
                yield tag, begin, after


def _start(tag: str | dict[str, Any], line: int) -> _Start:
    if isinstance(tag, str):
        return _Start(line, _KINDS[tag])
    ((name, value),) = tag.items()
    return _Start(line, _KINDS[name], int(value["level"][1]) if name == "Heading" else 0)


def _islands(lines: Lines, first: int, end: int) -> Iterator[_Start]:
    after_blank = True
    for number in range(first, end):
        blank = lines.is_blank(number)
        if after_blank and not blank:
            yield _Start(number, "definition")
        after_blank = blank
