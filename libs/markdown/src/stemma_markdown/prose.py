"""What a reader reads: the text of a source without its markup, and where each word of it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, cast

from .lines import Lines
from .places import Piece, Places, aligned
from .tokens import Inline, Leaf

ProseKind = Literal["heading", "paragraph", "cell", "code", "html"]

_TAG = re.compile(r"<!--|<[^<>]*>")
_BREAK = re.compile(r"<br\b", re.IGNORECASE)
_MARKS = re.compile(r"`+|\$+")


@dataclass(frozen=True)
class Prose:
    """The plain text of one paragraph, heading, table cell, code block or HTML block.

    Images show their descriptions, links their words; line ends inside a paragraph are spaces. ``line`` counts
    from 1; ``start`` and ``end`` are the range in the source; ``level`` is that of a heading, else 0.
    """

    kind: ProseKind
    level: int
    line: int
    quoted: bool
    in_footnote: bool
    places: Places = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """The plain text."""
        return self.places.text

    @cached_property
    def start(self) -> int:
        """Where the text begins in the source."""
        return self.places.source(0, len(self.text))[0]

    @cached_property
    def end(self) -> int:
        """Where the text ends in the source."""
        return self.places.source(0, len(self.text))[1]

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The range of the source that a range of ``text`` stands for; raises `IndexError` outside of it."""
        return self.places.source(start, end)


def prose_of(leaves: Iterable[Leaf], lines: Lines) -> Iterator[Prose]:
    """The prose of leaves that have any."""
    for leaf in leaves:
        places = plain_places(leaf, lines.source)
        if places.text.strip():
            kind = cast("ProseKind", leaf.kind)
            yield Prose(kind, leaf.level, lines.number(leaf.start), leaf.quoted, leaf.in_footnote, places)


def plain_places(leaf: Leaf, source: str) -> Places:
    """The plain text of a leaf with its places."""
    match leaf.kind:
        case "code":
            content = contents(leaf)
            return Places(content.cut(0, len(content.text.rstrip("\n"))))
        case "html":
            return Places(_without_tags(contents(leaf)))
        case _:
            return Places(inline_pieces(leaf.inlines, source))


def contents(leaf: Leaf) -> Places:
    """The text of code or HTML, with its places."""
    return Places(Piece(inline.text, inline.start, inline.end) for inline in leaf.inlines)


def inline_pieces(inlines: Iterable[Inline], source: str) -> Iterator[Piece]:
    """The plain text of inline tokens."""
    for inline in inlines:
        match inline.kind:
            case "text":
                yield Piece(inline.text, inline.start, inline.end)
            case "softbreak":
                yield Piece(" ", inline.start, inline.end)
            case "hardbreak":
                yield Piece("\n", inline.start, inline.end)
            case "html" if _BREAK.match(inline.text):
                yield Piece("\n", inline.start, inline.end)
            case "code" | "math":
                yield from _code(inline, source)


def _code(inline: Inline, source: str) -> Iterable[Piece]:
    """Code stands between marks, and maybe a space on either side."""
    found = _MARKS.match(source, inline.start)
    width = len(found[0]) if found else 0
    start, end = inline.start + width, inline.end - width
    if end - start == len(inline.text) + 2 and source[start] in " \r\n":
        start, end = start + 1, end - 1
    return aligned(inline.text, source, start, end)


def _without_tags(content: Places) -> Iterator[Piece]:
    at = 0
    while found := _TAG.search(content.text, at):
        yield from content.cut(at, found.start())
        at = found.end()
        if found[0] == "<!--":
            end = content.text.find("-->", at)
            at = end + 3 if end >= 0 else len(content.text)
    yield from content.cut(at, len(content.text))
