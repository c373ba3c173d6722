"""A draft with what people did to it in a word processor, where it is paragraphs without markup.

Each paragraph that comes back says which pieces of prose of the draft it was. What nobody touched stays byte for byte.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, NamedTuple

from . import escaping
from .comparing import differing, in_order
from .document import Document, document_of, folded
from .prose import Prose
from .reading import Container

PieceKind = Literal["block", "item", "header", "row"]
_TOKENS = re.compile(r"\s+|\w+|[^\w\s]")
_DEFINITION = re.compile(r"^(?= {0,3}\[)", re.MULTILINE)
_REFERENCE = re.compile(r"\[((?:\\.|[^\[\]\\])+)\]")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]")
_BULLET = re.compile(r"( *)([-*+]|\d{1,9}[.)])( +)(?:\[[ xX]\] )?")
_PIPE = re.compile(r"(?<!\\)\|")
_FORMULA = re.compile(r"\$[^$]+\$")
_EMPHASIS = "*_~`"
_TASK = re.compile(r"\[[ xX]\] ")
_BOX = re.compile(r"[☐☒☑]\s*")


@dataclass(frozen=True)
class Returned:
    """A paragraph as it came back; ``units`` are the pieces of prose that it was, none for a new one.

    ``intact``: it says what it said when it left. ``level`` is that of a heading, else 0; ``depth`` that of an item,
    else None. In a table ``row`` tells rows apart, and ``cell`` counts from 0.
    """

    text: str
    units: tuple[int, ...] = ()
    intact: bool = False
    level: int = 0
    depth: int | None = None
    table: int | None = None
    row: int | None = None
    cell: int = 0
    in_footnote: bool = False


class Adopted(NamedTuple):
    """The draft with what came back; ``unwritten`` are new words for which there was no place in it."""

    text: str
    unwritten: tuple[str, ...] = ()


@dataclass
class _Piece:
    """A block, an item of a list or a row of a table, or what takes its place; ``number`` is None for a new one."""

    kind: PieceKind
    text: str
    gap: str = "\n\n"
    number: int | None = None
    group: int | None = None
    """The block that it is a part of; for a new row the table that it stands in."""
    start: int = 0
    units: list[int] = field(default_factory=list)


def adopt(draft: str, returned: Sequence[Returned], absent: Iterable[int] = ()) -> Adopted:
    """The draft as people left it; ``absent`` are pieces of prose that no paragraph showed when it left."""
    if all(one.intact for one in returned) and _units(returned) == [*_expected(draft, absent)]:
        return Adopted(draft)
    return _Adopting(draft, returned, frozenset(absent)).adopted()


def _units(returned: Sequence[Returned]) -> list[int]:
    return [unit for one in returned for unit in one.units]


def _expected(draft: str, absent: Iterable[int]) -> Iterator[int]:
    left_out = set(absent)
    return (number for number in range(len(Document(draft).prose)) if number not in left_out)


class _Adopting:
    def __init__(self, draft: str, returned: Sequence[Returned], absent: frozenset[int]) -> None:
        self._document = Document(draft)
        self._prose = self._document.prose
        self._pieces = list(_pieces_of(self._document))
        self._owner = {unit: piece.number for piece in self._pieces for unit in piece.units}
        self._defined = _defined(self._document)
        self._absent = absent
        self._returned = list(_by_cell(returned))
        self._wanted = {one.units[0]: one for one in self._returned if one.units}
        self._merged = {unit: one.units[0] for one in self._returned for unit in one.units[1:]}
        self._rest = set[int]()
        self._split = dict(self._splits())
        self._unwritten = list[str]()
        self._filled = dict[int | None, list[Returned]]()
        self._known = {one.row: self._owner[one.units[0]] for one in reversed(self._returned) if one.units}
        self._shift = next(
            (one.level - self._prose[one.units[0]].level for one in self._returned if one.units and one.level), 0
        )

    def adopted(self) -> Adopted:
        pieces = self._in_order()
        text = "".join(self._joined(pieces))
        return Adopted(self._without_references(text), tuple(self._unwritten))

    def _without_references(self, text: str) -> str:
        """Without those to footnotes that are gone."""
        defined = {mark.label for mark in Document(text).footnotes}
        gone = {mark.label for mark in self._document.footnotes} - defined
        if not gone:
            return text
        noted = Document("\n\n".join([text, *(f"[^{label}]: x" for label in gone)]))
        kept, at = list[str](), 0
        for mark in sorted(noted.footnotes, key=lambda mark: mark.start):
            if mark.label in gone and not mark.is_definition:
                kept.append(text[at : mark.start - 2])
                at = mark.end + 1
        return "".join([*kept, text[at:]])

    # What is where.

    def _in_order(self) -> list[_Piece]:
        """The pieces that are there, those that moved behind what stands before them now, and new ones."""
        rows = list(self._rows())
        stayed = in_order(piece.number for piece in rows if piece.number is not None)
        moved = {piece.number for piece in rows if piece.number not in stayed}
        behind, last = dict[int | None, list[_Piece]](), None
        for piece in rows:
            if piece.number in stayed:
                last = piece.number
            else:
                behind.setdefault(last, []).append(piece)
        order, first = list[_Piece](), behind.pop(None, [])
        for piece in self._pieces:
            if piece.number not in stayed and (piece.number in moved or not self._stays(piece)):
                continue
            if piece.units:
                order += first
                first = []
            order += [piece, *behind.get(piece.number, [])]
        return [self._edited(piece) for piece in [*order, *first]]

    def _stays(self, piece: _Piece) -> bool:
        """Whether a piece stays in its place: nobody saw it where it stands, such as a footnote."""
        noted = all(self._prose[unit].in_footnote for unit in piece.units)
        return all(unit in self._absent or (noted and unit in self._wanted) for unit in piece.units)

    def _rows(self) -> Iterator[_Piece]:
        """The pieces in the order in which they came back, each once, and new ones."""
        seen = set[int]()
        new_row: tuple[int, _Piece] | None = None
        before: _Piece | None = None
        for one in self._returned:
            if one.in_footnote:
                self._unwritten += [] if one.units else [one.text]
                continue
            if one.units:
                number = self._owner[one.units[0]]
                assert number is not None
                if number not in seen:
                    seen.add(number)
                    before = self._pieces[number]
                    yield before
            elif one.row is not None and (known := self._known.get(one.row)) is not None:
                self._filled.setdefault(known, []).append(one)
            elif one.row is not None:
                if new_row is None or new_row[0] != one.row:
                    new_row = one.row, _new_row(before, one)
                    before = new_row[1]
                    yield before
                before = new_row[1]
                self._unwritten += [] if _with_cell(before, one) else [one.text]
            elif not self._is_rest(one):
                before = self._new(one, before)
                yield before

    def _with_filled(self, piece: _Piece, text: str) -> str:
        """A row with the words in cells that were empty, or in further paragraphs of a cell."""
        if not (filled := self._filled.get(piece.number, [])):
            return text
        line, *rest = text.split("\n", 1)
        cells = _cells(line) if piece.kind in ("header", "row") else []
        for one in filled:
            if one.cell < len(cells):
                words = cells[one.cell].strip(), escaping.cell(escaping.inline(one.text))
                cells[one.cell] = f" {'<br>'.join(filter(None, words))} "
            else:
                self._unwritten.append(one.text)
        return "\n".join([f"|{'|'.join(cells)}|", *rest]) if cells else text

    def _new(self, one: Returned, before: _Piece | None) -> _Piece:
        words = escaping.inline(one.text).replace("\n", "\\\n")
        if one.level:
            level = max(1, min(6, one.level - self._shift))
            return _Piece("block", f"{'#' * level} {escaping.inline(one.text).replace(chr(10), ' ')}")
        if one.depth is None:
            return _Piece("block", escaping.line(words))
        if before is not None and before.kind == "item" and (marker := _BULLET.match(before.text)):
            return _Piece("item", f"{marker[1]}{_next(marker[2])}{marker[3]}{words}", "\n", group=before.group)
        return _Piece("item", f"{'  ' * one.depth}- {words}", "\n")

    # What it says.

    def _edited(self, piece: _Piece) -> _Piece:
        if piece.number is None or not piece.units:
            return piece
        text = piece.text
        for unit in reversed(piece.units):
            if unit in self._absent or unit in self._merged:
                continue
            text = self._with_unit(piece, text, unit)
        text = self._with_filled(piece, text)
        return _Piece(piece.kind, text, piece.gap, piece.number, piece.group, piece.start, piece.units)

    def _with_unit(self, piece: _Piece, text: str, unit: int) -> str:
        """The text of a piece in which one piece of prose says what came back; those behind it are done."""
        one = self._wanted.get(unit)
        if one is not None and (one.intact or _same(one.text) == _same(self._prose[unit].text)) and len(one.units) == 1:
            return text
        if unit in self._split and one is not None:
            return self._split[unit]
        prose, words = self._prose[unit], "" if one is None else one.text
        if _FORMULA.search(prose.text):
            # A formula has other letters in a word processor.
            self._unwritten.append(words)
            return text
        if one is not None and len(one.units) > 1:
            merged = self._of_merged(piece, one)
            if merged is not None:
                return merged
        words = _with_box(prose.text, words) if words.strip() else words
        exact = [(start - piece.start, end - piece.start, by) for start, end, by in _word_edits(prose, words)]
        start, end, by = _whole(prose, words)
        whole = [(start - piece.start, end - piece.start, by)]
        line = [(start - piece.start, end - piece.start, escaping.line(by))]
        for edits in (exact, [_widened(text, *edit) for edit in exact], whole, line):
            changed = _applied(text, edits, prose)
            if changed is not None and self._says(piece, text, changed, prose, words):
                return changed
        self._unwritten.append(words)
        return text

    def _of_merged(self, piece: _Piece, one: Returned) -> str | None:
        """Two paragraphs as one, with the markup of both, if their words are as they were."""
        proses = [self._prose[unit] for unit in one.units]
        if _same(" ".join(prose.text for prose in proses)) != _same(one.text) or len(piece.units) > 1:
            return None
        sources = [self._document.text[prose.start : prose.end] for prose in proses[1:]]
        return " ".join([piece.text, *sources])

    def _says(self, piece: _Piece, before: str, after: str, prose: Prose, words: str) -> bool:
        """Whether the draft would say these words in place of those, and all others as before."""
        head, tail = self._around(piece, before + after)
        old = [one.text for one in document_of(head + before + tail).prose]
        new = [one.text for one in document_of(head + after + tail).prose]
        rest = [_same(words)] if _same(words) else []
        wanted = [*map(_same, new)]
        return any(
            wanted == [*map(_same, old[:place]), *rest, *map(_same, old[place + 1 :])]
            for place, found in enumerate(old)
            if found == prose.text
        )

    def _around(self, piece: _Piece, said: str) -> tuple[str, str]:
        """What the meaning of a piece depends on: the two blocks on either side, and what its labels are defined as.

        The whole draft would be parsed again for each paragraph that changed.
        """
        blocks, group = self._document.blocks, piece.group or 0
        first, last = blocks[max(0, group - 2)], blocks[min(len(blocks), group + 3) - 1]
        whole = self._document.text
        head = whole[first.start : piece.start]
        tail = whole[piece.start + len(piece.text) : last.end]
        labels = {folded(found[1]) for found in _REFERENCE.finditer(head + said + tail)}
        defined = sorted(self._defined[label] for label in labels & self._defined.keys())
        before = "".join(f"{text}\n\n" for start, text in defined if start < first.start)
        after = "".join(f"\n\n{text}" for start, text in defined if start >= last.end)
        # Only at the beginning of a text is a rule the beginning of front matter.
        return ("\n" if first.start else "") + before + head, tail + after

    # Splits.

    def _splits(self) -> Iterator[tuple[int, str]]:
        """Paragraphs that became several, as they are written then; the paragraphs behind the first are theirs."""
        for number, one in enumerate(self._returned):
            if len(one.units) != 1 or one.intact or one.row is not None or one.in_footnote:
                continue
            rest = self._rest_of(number)
            written = self._in_parts(one.units[0], [one.text, *(other.text for other in rest)]) if rest else None
            if written is not None:
                self._rest.update(map(id, rest))
                yield one.units[0], written

    def _rest_of(self, number: int) -> list[Returned]:
        """The new paragraphs behind one that together with it say what it said."""
        first = self._returned[number]
        wanted, at, rest = _same(self._prose[first.units[0]].text), len(_same(first.text)), list[Returned]()
        if not at or not wanted.startswith(_same(first.text)):
            return []
        for other in self._returned[number + 1 :]:
            words = _same(other.text)
            words = f" {words}" if words else ""
            if other.units or other.row is not None or other.level or not wanted.startswith(words, at):
                break
            rest.append(other)
            at += len(words)
            if at == len(wanted):
                return rest
        return []

    def _is_rest(self, one: Returned) -> bool:
        return id(one) in self._rest

    def _in_parts(self, unit: int, texts: Sequence[str]) -> str | None:
        number = self._owner[unit]
        assert number is not None
        piece, prose = self._pieces[number], self._prose[unit]
        if len(piece.units) > 1:
            return None
        marker = _BULLET.match(piece.text) if piece.kind == "item" else None
        between = f"\n{marker[0]}" if marker else "\n\n"
        parts, at, last = list[str](), 0, 0
        for text in texts[:-1]:
            at = _after(prose.text, at, text)
            cut = prose.source(at - 1, at)[1] - piece.start
            parts.append(piece.text[last:cut].strip(" ") if last else piece.text[:cut].rstrip(" "))
            last = cut
        return between.join([*parts, piece.text[last:].lstrip()])

    # Between them.

    def _joined(self, pieces: Sequence[_Piece]) -> Iterator[str]:
        for one, after in zip(pieces, [*pieces[1:], None], strict=True):
            yield one.text
            yield self._gap(one, after)

    def _gap(self, one: _Piece, after: _Piece | None) -> str:
        if after is None:
            return self._pieces[-1].gap if self._pieces else ""
        if one.number is not None and after.number == one.number + 1:
            return one.gap
        if one.kind == after.kind == "item" or {one.kind, after.kind} <= {"header", "row"}:
            return one.gap if one.group == after.group and one.gap.count("\n") == 1 else "\n"
        return one.gap if one.gap.count("\n") > 1 else "\n\n"


def _defined(document: Document) -> dict[str, tuple[int, str]]:
    """By their labels the definitions of links and footnotes, and where they stand; of two with a label the first."""
    found = dict[str, tuple[int, str]]()
    for block in document.blocks:
        at = block.start
        for text in _DEFINITION.split(block.text) if block.kind in ("definition", "footnote") else ():
            if label := _REFERENCE.match(text.lstrip()):
                found.setdefault(folded(label[1]), (at, text))
            at += len(text)
    return found


def _pieces_of(document: Document) -> Iterator[_Piece]:
    starts = list(_starts(document))
    ends = [start for start, _, _ in starts[1:]] + [len(document.text)]
    pieces = list[_Piece]()
    for number, ((start, kind, group), end) in enumerate(zip(starts, ends, strict=True)):
        whole = document.text[start:end]
        content = whole.rstrip("\r\n")
        pieces.append(_Piece(kind, content, whole[len(content) :], number, group, start))
    places = [piece.start for piece in pieces]
    for unit, prose in enumerate(document.prose):
        pieces[bisect_right(places, prose.start) - 1].units.append(unit)
    yield from pieces


def _starts(document: Document) -> Iterator[tuple[int, PieceKind, int]]:
    containers = [token for token in document.tokens if isinstance(token, Container)]
    for group, block in enumerate(document.blocks):
        wanted = {"list": "item", "table": "row"}.get(block.kind)
        inside = {
            document.line_start(token.start)
            for token in containers
            if token.kind == wanted and block.start <= token.start < block.end
        }
        if block.kind == "list":
            yield from ((start, "item", group) for start in sorted({*inside, block.start}))
        elif block.kind == "table":
            yield block.start, "header", group
            yield from ((start, "row", group) for start in sorted(inside - {block.start}))
        else:
            yield block.start, "block", group


def _by_cell(returned: Sequence[Returned]) -> Iterator[Returned]:
    """The paragraphs of a cell as one."""
    for key, group in groupby(returned, key=lambda one: (one.row, one.cell)):
        found = list(group)
        if key[0] is None or len(found) == 1:
            yield from found
            continue
        units = tuple(unit for one in found for unit in one.units)
        text = "\n".join(one.text for one in found if one.text.strip())
        yield Returned(text, units, all(one.intact for one in found), table=found[0].table, row=key[0], cell=key[1])


def _same(text: str) -> str:
    return " ".join(text.split())


def _after(text: str, at: int, words: str) -> int:
    """Where some words end in a text, from a place on; spaces count for nothing."""
    for letter in words:
        if letter.isspace():
            continue
        while text[at].isspace():
            at += 1
        at += 1
    return at


_Edit = tuple[int, int, str]


def _word_edits(prose: Prose, words: str) -> list[_Edit]:
    """What differs word by word, in places of the draft; marks of footnotes stay."""
    old, new = _TOKENS.findall(prose.text.replace("\n", " ")), _TOKENS.findall(words)
    starts = [0]
    for token in old:
        starts.append(starts[-1] + len(token))
    edits = []
    for (first, last), (begin, end) in differing([*map(_space, old)], [*map(_space, new)]):
        text = "".join(new[begin:end])
        if first == last:
            place = _insertion(prose, starts[first], text)
            edits.append((place, place, _written(prose, text)))
        else:
            place, after = prose.source(starts[first], starts[last])
            edits.append((place, after, _written(prose, text)))
    return edits


def _widened(text: str, start: int, end: int, by: str) -> _Edit:
    """An edit together with the marks of emphasis around it, as where all emphasised words are gone."""
    if start == end:
        return start, end, by
    while start and text[start - 1] in _EMPHASIS:
        start -= 1
    while end < len(text) and text[end] in _EMPHASIS:
        end += 1
    return start, end, by


def _space(token: str) -> str:
    return " " if token.isspace() else token


def _insertion(prose: Prose, at: int, text: str) -> int:
    if at and (text[:1].isspace() or at == len(prose.text)):
        return prose.source(at - 1, at)[1]
    return prose.source(at, at)[0]


def _whole(prose: Prose, words: str) -> _Edit:
    return prose.start, prose.end, _written(prose, words)


def _written(prose: Prose, words: str) -> str:
    if prose.kind in ("code", "html"):
        return words
    if prose.kind == "cell":
        return escaping.cell(escaping.inline(words)) if words.strip() else words
    return escaping.inline(words).replace("\n", "\\\n" if prose.kind == "paragraph" else " ")


def _applied(text: str, edits: Sequence[_Edit], prose: Prose) -> str | None:
    for start, end, by in reversed(edits):
        if not 0 <= start <= end <= len(text):
            return None
        marks = "" if prose.in_footnote else "".join(_FOOTNOTE.findall(text[start:end]))
        text = text[:start] + by + marks + text[end:]
    return text


def _with_box(before: str, words: str) -> str:
    """The words of a task with the box that it has in Markdown, which a word processor may show as a sign."""
    task, box = _TASK.match(before), _BOX.match(words)
    if task is None:
        return words
    if box is None:
        return task[0] + words
    return ("[ ] " if words[0] == "\u2610" else "[x] ") + words[box.end() :]


def _next(marker: str) -> str:
    return f"{int(marker[:-1]) + 1}{marker[-1]}" if marker[:-1].isdecimal() else marker


def _cells(line: str) -> list[str]:
    return _PIPE.split(line.strip().removeprefix("|").removesuffix("|"))


def _new_row(before: _Piece | None, one: Returned) -> _Piece:
    """A row in the table before it; where there is none, the header of a new one."""
    if (
        before is not None
        and before.kind in ("header", "row")
        and (before.number is not None or before.group == one.table)
    ):
        width = len(_cells(before.text.split("\n")[0]))
        return _Piece("row", "|" + "  |" * width, "\n", group=before.group)
    return _Piece("header", "", "\n", group=one.table)


def _with_cell(row: _Piece, one: Returned) -> bool:
    """Write a cell of a new row; False where the table has no such column."""
    cells = _cells(row.text.split("\n")[0]) if row.text else []
    if row.kind == "header":
        cells += [" "] * (one.cell + 1 - len(cells))
    if one.cell >= len(cells):
        return False
    cells[one.cell] = f" {escaping.cell(escaping.inline(one.text))} "
    row.text = f"|{'|'.join(cells)}|"
    if row.kind == "header":
        row.text += "\n|" + " --- |" * len(cells)
    return True
