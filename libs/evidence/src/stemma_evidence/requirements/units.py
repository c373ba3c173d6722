"""A Markdown text as the units that a demand can be: sentences, items and rows, with what announces each of them."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from stemma_languages import Demands
from stemma_markdown import Container, Leaf, Prose, Token, document_of, sentence_ranges

Form = Literal["sentence", "item", "row", "heading"]

MOST_NAMED = 300
"""Characters of the name of a column: they are read again with each row."""
MOST_LEADS = 4
"""How many announcements a unit keeps, the nearest ones: deeper lists are nested for other reasons."""

_NUMBERED = r"\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,3})[.)]"
_SECTION = r"\d{1,3}(?:\.\d{1,3}){1,5}\.?\s"
_SIGN = (
    r"[•●▪◦·∙►▸➢➤➔→✓✗✔❖◆◇■−\ue000-\uf8ff]\s|[・※]"
    r"|[ア-ン][\s．.)）]|[①-⑳]|[（(][0-9０-９一二三四五六七八九十ア-ンあ-ん]{1,3}[)）]"
)
"""What begins an item wherever it begins a line: bullets, also those of symbol fonts, and numbers that are no words."""
_MARK = re.compile(
    rf"\s{{0,3}}(?:[-–—*o]\s|{_SIGN}|[一二三四五六七八九十]{{1,3}}、|{_NUMBERED}\s{{0,3}}(?=\S)|{_SECTION})"
)
"""What begins an item that is written as a paragraph: "a)", "(1)", "5.6.1", a dash or a bullet."""
_BULLET = re.compile(rf"\s{{0,3}}(?:{_SIGN})")
_LINE = re.compile(rf" (?={_SIGN})|(?<=[.;:。；：]) (?={_NUMBERED}\s|{_SECTION})")
"""Before what may begin an item that is written as a line of a paragraph."""
_PAGE = re.compile(
    r"\W*(?:page|seite|página|pagina|ページ|第)\s*\d{1,4}\s*(?:页|頁|(?:/|of|de|di|von|van|sur)\s*\d{1,4})?\W*", re.I
)
"""A heading that only counts the pages of the file that a text was made from."""
_STRUCK = re.compile(r"~~(?:[^~\n]|\n(?!\s*\n))+~~|<(?:del|s|strike)>[^<]{0,4000}</(?:del|s|strike)>")
_COLONS = (":", "：")
_ENDS = (".", ";", *_COLONS)
"""What ends an item; after any other, a line that begins with a small letter is its rest."""
_NUMERALS = (
    (re.compile(r"\d+|[０-９]+|[一二三四五六七八九十]+"), "1"),
    (re.compile("[a-zA-Z]+"), "a"),
    (re.compile("[ア-ン]"), "ア"),
    (re.compile("[①-⑳]"), "①"),
)
"""What counts items, each with the sign that stands for all of its kind."""
_LETTERED = tuple(f"{letter})" for letter in "abcdefghijklmnopqrstuvwxyz")
_FIRST = re.compile(r"\s*(?:1|a|i)[.)]\s")
"""The mark of the first item of a list."""
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
    """A block that holds blocks: what its paragraphs inherit, and what its last one announces.

    ``styles`` are the kinds of marks of the paragraphs that are items now, the outer ones first, each with what
    announces its items. Of a list whose items are numbered, ``below`` is what its last announcing item, of this
    ``number``, announces.
    """

    kind: str
    leads: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    announces_next: bool = False
    styles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    row: list[Prose | None] = field(default_factory=list)
    number: str = ""
    below: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    items: tuple[str, ...] | None = None


class _Reading:
    """Where the reading of a text is."""

    def __init__(self, text: str, language: str) -> None:
        self._text = _STRUCK.sub(_blank, text)
        self._document = document_of(self._text)
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
        if token.kind == "item" and above.kind == "list":
            # A list that begins anew behind an item that announces one is that, whatever its depth.
            if above.items is None or _FIRST.match(self._text, token.start):
                above.items = above.last if above.items is not None and above.announces_next else above.leads
            leads = above.items
        above.announces_next = False
        self._frames.append(_Frame(token.kind, leads))

    def _piece(self, leaf: Leaf) -> Prose | None:
        """The words of a leaf, if it has any."""
        if self._prose and leaf.start <= self._prose[0].start <= leaf.end:
            return self._prose.popleft()
        return None

    def _of_piece(self, piece: Prose) -> Iterator[Unit]:
        frame = self._frames[-1]
        match piece.kind:
            case "heading" if _PAGE.fullmatch(_spaced(piece.text)):
                pass
            case "heading" if not piece.quoted and len(self._frames) == 1:
                yield from self._heading(piece, frame)
            case "cell":
                frame.row.append(piece)
            case "paragraph" | "heading":
                yield from self._paragraph(piece, frame)
            case "code" | "html":
                pass

    def _heading(self, piece: Prose, frame: _Frame) -> Iterator[Unit]:
        self._path = [above for above in self._path if above[0] < piece.level]
        for start, end in _sentences(piece.text, self._language):
            yield self._unit(_spaced(piece.text[start:end]), "heading", (), *piece.source(start, end))
        text = _spaced(piece.text)
        self._path.append((piece.level, text))
        if text.endswith(_COLONS):
            frame.last, frame.announces_next = (text,), True
        elif not frame.announces_next:
            frame.last = ()
        frame.styles = {}

    def _paragraph(self, piece: Prose, frame: _Frame) -> Iterator[Unit]:
        """The units of a paragraph; each of its lines that begins with a mark is one of its own."""
        lines = (mark.end() for mark in _LINE.finditer(piece.text) if self._is_line_end(piece, mark.start()))
        for start, end in pairwise([0, *lines, len(piece.text)]):
            yield from self._part(piece, start, end, frame)

    def _is_line_end(self, piece: Prose, place: int) -> bool:
        start, end = piece.source(place, place + 1)
        return "\n" in self._text[start:end]

    def _part(self, piece: Prose, begin: int, stop: int, frame: _Frame) -> Iterator[Unit]:
        text = piece.text[begin:stop]
        leads = self._leads(text, frame)
        form: Form = "item" if frame.styles or frame.kind == "item" else "sentence"
        ranges = [(begin + start, begin + end) for start, end in _sentences(text, self._language)]
        said = [_spaced(piece.text[start:end]) for start, end in ranges]
        for number, (start, end) in enumerate(ranges):
            unit = self._unit(said[number], form, leads, *piece.source(start, end))
            yield replace(unit, number=number, count=len(ranges))
        if said:
            frame.announces_next = said[-1].endswith(_COLONS)
            frame.last = (*leads, *(said[-1:] if frame.announces_next else said[-2:]))[-MOST_LEADS:]

    def _leads(self, text: str, frame: _Frame) -> tuple[str, ...]:
        """What announces a paragraph; for one that begins with a mark, what stands above the first with such a mark."""
        style = _style_of(text)
        above = self._frames[-2] if frame.kind == "item" else frame
        if above.number and text.startswith((f"{above.number.rstrip('.')}.", *_LETTERED)):
            return above.below
        leads = frame.last if frame.announces_next or _BULLET.match(text) else frame.leads
        if not style and frame.styles and text[:1].islower() and not "".join(frame.last).endswith(_ENDS):
            return [*frame.styles.values()][-1]
        if not style:
            frame.styles = {}
            return frame.last if frame.announces_next else frame.leads
        known = [*frame.styles]
        outer = known[: known.index(style) + 1] if style in known else known
        frame.styles = {one: frame.styles[one] for one in outer}
        return frame.styles.setdefault(style, leads)

    def _row(self, frame: _Frame) -> Iterator[Unit]:
        table = self._frames[-1]
        cells = tuple(_spaced(cell.text) if cell else "" for cell in frame.row)
        if not table.columns:
            table.columns = tuple(cell[:MOST_NAMED] for cell in cells)
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


def _style_of(text: str) -> str:
    """The kind of the mark that a paragraph begins with: "(1)" and "(2)" are one; empty without a mark."""
    mark = _MARK.match(text)
    if mark is None:
        return ""
    style = "".join(mark[0].split())
    for sign, one in _NUMERALS:
        style = sign.sub(one, style)
    return style


def _in_one_line(cells: tuple[str, ...]) -> str:
    return " | ".join(filter(None, cells))


def _blank(struck: re.Match[str]) -> str:
    """What is struck out as spaces, so that all else stays in its place."""
    return "".join(char if char == "\n" else " " for char in struck[0])


def _spaced(text: str) -> str:
    return " ".join(text.split())


MOST_ASKED = 500
"""Characters that are kept of a question."""
_LABEL = re.compile(r"\s*(?:(?:no\.?|nr\.?|n[°º]|#)?\s*[0-9０-９]{1,3})?[\s*_]*[:：]")
_NUMBERED_LABEL = re.compile(r"\s*(?:no\.?|nr\.?|n[°º]|#)?\s*[0-9０-９]", re.IGNORECASE)


class Exchanges:
    """The units of a text in their order; ``question`` is what was asked last below the same heading."""

    def __init__(self, words: Demands) -> None:
        self.question = ""
        self._words = words
        self._path: tuple[str, ...] = ()
        self._asks = False

    def answer(self, unit: Unit) -> Unit | None:
        """A unit without the label of an answer, of a row of questions the answer; None for a question."""
        if unit.path != self._path:
            asks = bool(unit.path) and _is_question(self._words, self._words.folded(unit.path[-1]))
            self.question, self._path, self._asks = "", unit.path, asks
        if unit.form == "row":
            return self._answer_of_row(unit)
        folded = self._words.folded(unit.text)
        if (rest := _labelled(self._words.asked, folded)) is not None:
            self.question, self._asks = "", True
        elif (rest := _labelled(self._words.answered, folded)) is not None:
            self._asks = False
        said = unit if rest is None else replace(unit, text=unit.text[rest:].lstrip(" *_"))
        if not self._asks:
            return said
        self.question = f"{self.question} {said.text}".strip()[:MOST_ASKED]
        return None

    def _answer_of_row(self, unit: Unit) -> Unit | None:
        names = [self._words.folded(name) for name in unit.columns]
        asked = next((at for at, name in enumerate(names) if self._words.asked.fullmatch(name)), -1)
        place = next((at for at, name in enumerate(names) if self._words.answered.fullmatch(name)), -1)
        if asked < 0 or place < 0:
            return unit
        self.question, answer = ("".join(unit.cells[at : at + 1]) for at in (asked, place))
        return replace(unit, text=answer, form="sentence", leads=()) if answer else None


def _labelled(label: re.Pattern[str], text: str) -> int | None:
    """Where a label ends that a text begins with; None if it begins with none."""
    found = label.match(text, len(text) - len(text.lstrip(" *_")))
    end = _LABEL.match(text, found.end()) if found else None
    return end.end() if end else None


def _is_question(words: Demands, title: str) -> bool:
    """Whether a heading is that of a single question: "Question 14"."""
    asked = words.asked.match(title)
    return asked is not None and _NUMBERED_LABEL.match(title, asked.end()) is not None
