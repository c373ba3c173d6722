"""What a reader reads: the text of a source without its markup, and where each word of it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from markdown_it.token import Token

from .leaves import Leaf, ProseKind
from .places import Piece, Places

_TAG = re.compile(r"<!--|<[^<>]*>")
_BREAK = re.compile(r"<br\b", re.IGNORECASE)


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


def prose_of(leaves: Iterable[Leaf]) -> Iterator[Prose]:
    """The prose of leaves that have any."""
    for leaf in leaves:
        places = plain_places(leaf)
        if places.text.strip():
            yield Prose(leaf.kind, leaf.level, leaf.line, leaf.quoted, leaf.in_footnote, places)


def plain_places(leaf: Leaf) -> Places:
    """The plain text of a leaf with its places."""
    return Places(_pieces(leaf.token, leaf.content))


def _pieces(token: Token, content: Places) -> Iterator[Piece]:
    match token.type:
        case "inline":
            yield from inline_pieces(token.children or [], content, 0)
        case "html_block":
            yield from _without_tags(content)
        case _:
            yield from content.cut(0, len(content.text.rstrip("\n")))


def inline_pieces(children: list[Token], content: Places, base: int) -> Iterator[Piece]:
    """The plain text of inline tokens whose spans count from ``base`` in the content."""
    for child in children:
        start, end = (base + place for place in child.meta["span"])
        match child.type:
            case "text":
                yield from content.cut(start, end)
            case "text_special":
                yield Piece(child.content, *content.source(start, end))
            case "softbreak":
                yield Piece(" ", *content.source(start, end))
            case "hardbreak":
                yield Piece("\n", *content.source(start, end))
            case "html_inline" if _BREAK.match(child.content):
                yield Piece("\n", *content.source(start, end))
            case "code_inline" | "math_inline" | "math_inline_double":
                yield from _code(child, content, start, end)
            case "image":
                yield from inline_pieces(child.children or [], content, start + 2)


def _code(child: Token, content: Places, start: int, end: int) -> Iterator[Piece]:
    around = (end - start - len(child.content)) // 2
    yield from content.cut(start + around, end - around)


def _without_tags(content: Places) -> Iterator[Piece]:
    at = 0
    while found := _TAG.search(content.text, at):
        yield from content.cut(at, found.start())
        at = found.end()
        if found[0] == "<!--":
            end = content.text.find("-->", at)
            at = end + 3 if end >= 0 else len(content.text)
    yield from content.cut(at, len(content.text))
