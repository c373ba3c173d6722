"""What a reader reads: the text of a source without its markup, and where each word of it stands."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple, cast

from .lines import Lines
from .reading import Inline, Leaf


class Piece(NamedTuple):
    """Plain text, and the range of the source that it stands for; as long as the range if it stands there as it is."""

    text: str
    start: int
    end: int

    def at(self, offset: int) -> int:
        """The place in the source of a character of the piece."""
        return self.start + offset if self.end - self.start == len(self.text) else self.start

    def after(self, offset: int) -> int:
        """The place in the source after a character of the piece."""
        return self.start + offset + 1 if self.end - self.start == len(self.text) else self.end


class Places:
    """Leads from a text that was put together from pieces back to their source."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces = [piece for piece in pieces if piece.text]
        self.text = "".join([piece.text for piece in self.pieces])

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate([len(piece.text) for piece in self.pieces[:-1]], initial=0))

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The range of the source that a range of the text stands for; raises `IndexError` outside of the text."""
        if not 0 <= start <= end <= len(self.text) or not self.pieces:
            raise IndexError(f"{start}:{end} of {len(self.text)} characters")
        if start == end:
            place = self._at(start) if start < len(self.text) else self.pieces[-1].end
            return place, place
        last = bisect_right(self._starts, end - 1) - 1
        return self._at(start), self.pieces[last].after(end - 1 - self._starts[last])

    def cut(self, start: int, end: int) -> list[Piece]:
        """The pieces of a range of the text."""
        result = []
        for index in range(max(0, bisect_right(self._starts, start) - 1), len(self.pieces)):
            begin, piece = self._starts[index], self.pieces[index]
            if begin >= end:
                break
            first, last = max(start - begin, 0), min(end - begin, len(piece.text))
            if first < last:
                result.append(Piece(piece.text[first:last], piece.at(first), piece.after(last - 1)))
        return result

    def _at(self, offset: int) -> int:
        index = bisect_right(self._starts, offset) - 1
        return self.pieces[index].at(offset - self._starts[index])


def aligned(text: str, source: str, start: int, end: int) -> Iterator[Piece]:
    """The pieces of a text that stands in a range of the source, among marks of quotes or cells that are not its own.

    A space may stand for a line end. What comes after a letter that is not there is one piece without exact places.
    """
    if len(text) == end - start:
        yield Piece(text, start, end)
        return
    for number, letter in enumerate(text):
        place = start
        while place < end and not _is(letter, source[place]):
            place += 1
        if place == end:
            yield Piece(text[number:], start, end)
            return
        yield Piece(letter, place, place + 1)
        start = place + 1


def _is(letter: str, sign: str) -> bool:
    return letter == sign or (letter in " \n" and sign in "\r\n")


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
