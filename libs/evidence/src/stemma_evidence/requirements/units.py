"""A Markdown text as the units that a demand can be: sentences, items and rows, with what announces each of them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from stemma_markdown import Container, Leaf, Prose, Token, document_of, sentence_ranges

Form = Literal["sentence", "item", "row"]

MOST_LEADS = 4
"""How many announcements a unit keeps, the nearest ones: deeper lists are nested for other reasons."""

_MARK = re.compile(
    r"\s{0,3}(?:[-–—•●▪◦*✓o]\s|[ア-ン][\s．.)）]|[①-⑳]|[（(][0-9０-９一二三四五六七八九十]{1,3}[)）]|[一二三四五六七八九十]{1,3}、|\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,3})[.)]\s{0,3}(?=\S)|\d{1,3}(?:\.\d{1,3}){1,5}\.?\s)"
)
"""What begins an item that is written as a paragraph: "a)", "(1)", "5.6.1", a dash or a bullet."""
_STRUCK = re.compile(r"~~(?:[^~\n]|\n(?!\s*\n))+~~|<(?:del|s|strike)>[^<]{0,4000}</(?:del|s|strike)>")
_LETTERED = tuple(f"{letter})" for letter in "abcdefghijklmnopqrstuvwxyz")
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,5}\.?(?=\s)")
_MARK_ALONE = re.compile(r"\s{0,3}\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,3}(?:\.\d{1,3}){0,5})[.)]?")


@dataclass(frozen=True)
class Unit:
    """A sentence, an item or a row of a text.

    ``text`` is plain, its words one space apart, cells with `` | `` between; ``start`` and ``end`` are its range in the
    source in characters; ``line`` counts from 1; ``path`` are the headings above it, the nearest last; ``leads`` are
    the sentences that stand before its list, of a row the names of its columns too, the nearest last. It is sentence
    ``number`` (from 0) of the ``count`` of its paragraph. A row has ``cells`` and ``columns``, the empty ones too.
    """

    text: str
    form: Form
    path: tuple[str, ...]
    leads: tuple[str, ...]
    line: int
    start: int
    end: int
    number: int = 0
    count: int = 1
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """A text that demands are read from, in Markdown; ``language`` is a BCP 47 tag.

    ``version`` and ``file`` are those of the input, 0 and empty if they are not known.
    """

    name: str
    text: str
    language: str
    version: int = 0
    file: str = ""


@dataclass
class _Frame:
    """A block that holds blocks: what its paragraphs inherit, what its last one announces, and to which items.

    Of a list whose items are numbered, ``below`` is what its last announcing item, of this ``number``, announces.
    """

    kind: str
    leads: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    announces_next: bool = False
    to_marked: tuple[str, ...] = ()
    row: list[Prose | None] = field(default_factory=list)
    number: str = ""
    below: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


class _Reading:
    """Where the reading of a text is."""

    def __init__(self, text: str, language: str) -> None:
        self._document = document_of(_STRUCK.sub(_blank, text))
        self._language = language
        self._prose = deque(self._document.prose)
        self._path: list[tuple[int, str]] = []
        self._frames = [_Frame("document")]

    def units(self) -> Iterator[Unit]:
        for token in self._document.tokens:
            yield from self._closed(token)
            if isinstance(token, Container):
                self._open(token)
            elif (piece := self._piece(token)) is not None:
                yield from self._of_piece(piece)
            elif token.kind == "cell":
                self._frames[-1].row.append(None)
        yield from self._closed(None)

    def _closed(self, token: Token | None) -> Iterator[Unit]:
        """Leave the blocks that end before a token; a row is a unit when it ends."""
        depth = token.depth if token is not None else 0
        while len(self._frames) > depth + 1:
            frame = self._frames.pop()
            if frame.kind == "row" and any(frame.row):
                yield from self._row(frame)
            if frame.announces_next:
                above = self._frames[-1]
                above.last, above.announces_next = frame.last, True
                number = _NUMBER.match(frame.last[-1]) if frame.kind == "item" else None
                above.number, above.below = (number[0], frame.last) if number else ("", ())

    def _open(self, token: Container) -> None:
        above = self._frames[-1]
        leads = above.leads if token.kind in ("item", "row") else above.last
        above.announces_next = False
        self._frames.append(_Frame(token.kind, leads, to_marked=leads))

    def _piece(self, leaf: Leaf) -> Prose | None:
        """The words of a leaf, if it has any."""
        if self._prose and leaf.start <= self._prose[0].start <= leaf.end:
            return self._prose.popleft()
        return None

    def _of_piece(self, piece: Prose) -> Iterator[Unit]:
        frame = self._frames[-1]
        match piece.kind:
            case "heading" if not piece.quoted and len(self._frames) == 1:
                self._path = [above for above in self._path if above[0] < piece.level]
                self._path.append((piece.level, _spaced(piece.text)))
                if not frame.announces_next:
                    frame.last, frame.to_marked = (), ()
            case "cell":
                frame.row.append(piece)
            case "paragraph" | "heading":
                yield from self._paragraph(piece, frame)
            case "code" | "html":
                pass

    def _paragraph(self, piece: Prose, frame: _Frame) -> Iterator[Unit]:
        marked = _MARK.match(piece.text) is not None
        if frame.announces_next:
            frame.to_marked = frame.last
        elif not marked:
            frame.to_marked = frame.leads
        above = self._frames[-2] if frame.kind == "item" else frame
        is_below = above.number and piece.text.startswith((f"{above.number.rstrip('.')}.", *_LETTERED))
        leads = above.below if is_below else frame.to_marked
        form: Form = "item" if marked or frame.kind == "item" else "sentence"
        last = ""
        ranges = list(_sentences(piece.text, self._language))
        for number, (start, end) in enumerate(ranges):
            last = _spaced(piece.text[start:end])
            yield replace(self._unit(last, form, leads, *piece.source(start, end)), number=number, count=len(ranges))
        frame.announces_next = last.endswith((":", "："))
        frame.last = (*leads, last)[-MOST_LEADS:]

    def _row(self, frame: _Frame) -> Iterator[Unit]:
        table = self._frames[-1]
        cells = tuple(_spaced(cell.text) if cell else "" for cell in frame.row)
        if not table.columns:
            table.columns = cells
            return
        leads = (*frame.leads, _in_one_line(table.columns))[-MOST_LEADS:]
        filled = [cell for cell in frame.row if cell]
        row = self._unit(_in_one_line(cells), "row", leads, filled[0].start, filled[-1].end)
        yield replace(row, cells=cells, columns=table.columns)

    def _unit(self, text: str, form: Form, leads: tuple[str, ...], start: int, end: int) -> Unit:
        path = tuple(title for _, title in self._path)
        return Unit(text, form, path, leads, self._document.line(start), start, end)


def units(text: str, language: str) -> Iterator[Unit]:
    """The units of a text in their order; ``language`` is a BCP 47 tag, by which the ends of sentences are found."""
    return _Reading(text, language).units()


def _sentences(text: str, language: str) -> Iterator[tuple[int, int]]:
    """The ranges of sentences; the mark of an item is none of its own."""
    before: int | None = None
    for start, end in sentence_ranges(text, language):
        begin = start if before is None else before
        if _MARK_ALONE.fullmatch(text[begin:end]) and end < len(text.rstrip()):
            before = begin
        else:
            before = None
            yield begin, end


def _in_one_line(cells: tuple[str, ...]) -> str:
    return " | ".join(filter(None, cells))


def _blank(struck: re.Match[str]) -> str:
    """What is struck out as spaces, so that all else stays in its place."""
    return "".join(char if char == "\n" else " " for char in struck[0])


def _spaced(text: str) -> str:
    return " ".join(text.split())
