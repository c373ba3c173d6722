"""The fields of a workbook: cells that wait for an answer, in tables of questions and beside labels."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile

from stemma_ooxml import Package

from stemma_forms.field import MOST_BESIDE, Field, Found, Kind, Limit, Unit, line, stated_limit
from stemma_forms.words import BOXES, boxes, crossed, is_label, is_name, is_placeholder, is_sum, mentions, opens, rank

from .workbook import Place, Sheet, Validation, Workbook

_SURE, _NAMED, _UNNAMED, _LABEL, _FRAMED_LABEL, _BOX = 0.95, 0.9, 0.7, 0.65, 0.85, 0.6
_CHOICES = re.compile(r"\(([^()/]{1,20}(?:/[^()/]{1,20}){1,5})\)|\b(yes/no|ja/nein|oui/non|y/n)\b", re.IGNORECASE)
_NUMBERS = {"whole", "decimal"}
_WORD = re.compile(r"[^\W\d_]{3}")
_LONGEST_HEADER = 80
# Rows without anything between two rows of one table.
_GAP = 20
_LOOKED_AT = 30
_LONGEST_NUMBER = 12
_LEAST_NUMBERED = 2
# Of a column of prices, the share that the form may state itself.
_MOST_FILLED = 0.5


@dataclass(frozen=True)
class CellSpot:
    """A cell of a sheet; or, by what stands above them, the cells of a row of which one is crossed."""

    sheet: Sheet
    place: Place
    crosses: tuple[tuple[str, Place], ...] = ()


@dataclass(frozen=True)
class _Asked:
    question: str
    group: str
    confidence: float
    header: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    crosses: tuple[tuple[str, Place], ...] = ()


def find_cells(workbook: Workbook) -> Iterator[Found[CellSpot]]:
    """The fields of the sheets that people see, in the order of their rows; sheets that hold lists have none, nor have
    those in which the buyer judges."""
    lists = workbook.sheets_of_lists
    for sheet in workbook.sheets:
        if sheet.name not in lists and (mentions(sheet.name, "answer") or not mentions(sheet.name, "not_answer")):
            yield from _Finder(workbook, sheet).found()


def drawn_controls(package: Package, workbook: Workbook) -> Iterator[tuple[str, str]]:
    """The sheets with controls drawn onto them, which hold no cell."""
    for sheet in workbook.sheets:
        drawn = sum(kind in ("ctrlProp", "control") for kind, _ in package.related(sheet.part).values())
        if drawn:
            yield sheet.name, f"boxes, lists or buttons that are drawn onto the sheet: {drawn}"


@dataclass(frozen=True)
class _Header:
    """A row above questions: their columns and those of answers, and what stands above each column; ``named`` says
    whether it calls one a question. ``crosses`` are columns of which a row has one crossed: an answer has the first."""

    row: int
    questions: tuple[int, ...]
    answers: Mapping[int, str]
    named: bool
    heads: Mapping[int, str]
    crosses: Mapping[int, str]


@dataclass(frozen=True)
class _Table:
    """``usual`` are the styles that most questions and most answers have: a row of another look is a heading."""

    sheet: Sheet
    header: _Header
    last: int
    usual: Mapping[int, int]

    def question(self, row: int) -> str:
        asked = [text for column in self.header.questions if (text := self._text(row, column))]
        return " ".join([self._number(row), ": ".join(dict.fromkeys(asked))]).strip() if asked else ""

    def is_heading(self, row: int) -> bool:
        """Whether a row divides the table: what would be answered is hidden by a merge, or nothing looks as usual."""
        places = [Place(row, column) for column in (self.header.questions[0], *self.header.answers)]
        if all(place in self.sheet.covered for place in places[1:]):
            return True
        between = range(max(self.header.questions) + 1, min(self.header.answers))
        if any(self._text(row, column) for column in between):
            return False
        return all(self.sheet.style(place) != self.usual.get(place.column, 0) for place in places)

    def _number(self, row: int) -> str:
        """The number of a question, such as 1.2, if its row begins with one."""
        left = min(self.header.questions)
        first = next((column for column in range(max(1, left - 3), left) if self._text(row, column)), left)
        text = self._text(row, first)
        return text if first < left and len(text) <= _LONGEST_NUMBER and any(c.isdigit() for c in text) else ""

    def _text(self, row: int, column: int) -> str:
        return self.sheet.text(Place(row, column)).strip()


class _Tables:
    """Tables of questions: a header with words such as Requirement and Response, and rows below it."""

    def __init__(self, sheet: Sheet, rows: Mapping[int, Sequence[Place]]) -> None:
        self._sheet = sheet
        self._rows = rows

    def found(self) -> Iterator[_Table]:
        """The tables from above, none of which overlap."""
        headers: list[_Header] = []
        for row, places in self._rows.items():
            header = self._header(row, places)
            if header and not (headers and self._goes_on(headers[-1], header)):
                headers.append(header)
        ends = [*(header.row - 1 for header in headers[1:]), self._sheet.last_row]
        yield from (self._table(header, end) for header, end in zip(headers, ends, strict=False))

    def _header(self, row: int, places: Sequence[Place]) -> _Header | None:
        texts = {p.column: text for p in places if 0 < len(text := self._sheet.text(p).strip()) <= _LONGEST_HEADER}
        crosses = self._crosses(row, texts)
        answers = {c: t for c, t in texts.items() if c not in crosses and self._asks_below(Place(row, c), t)}
        answers |= {min(crosses): " / ".join(crosses.values())} if crosses else {}
        known = answers.keys() | crosses.keys()
        others = [column for column in texts if column not in known and column < max(answers, default=0)]
        if not answers or not others:
            return None
        if grid := self._grid(row, texts):
            return grid
        ranked = sorted(c for c in others if rank(texts[c], "question") is not None and self._letters(row, c))
        asking = ranked or [max(others, key=lambda column: self._letters(row, column))]
        questions = dict.fromkeys(self._told_by(row, column, texts.keys()) for column in asking)
        answers |= self._priced(row, texts, answers)
        after = {column: answers[column] for column in sorted(answers) if column > min(questions)}
        return _Header(row, tuple(questions), after, bool(ranked), texts, crosses) if after else None

    def _crosses(self, row: int, texts: Mapping[int, str]) -> dict[int, str]:
        """The columns to be crossed, whose heads may also stand alone in the row below, under one for all of them."""
        below = {p.column: t for p in self._rows.get(row + 1, ()) if (t := self._sheet.text(p).strip())}
        for at, heads in ((row, texts), (row + 1, below)):
            found = crossed(heads)
            cells = (text for column in found for text in self._below(at, column, _LOOKED_AT))
            if found and (at == row or found == below) and all(text in BOXES for text in cells):
                return found
        return {}

    def _priced(self, row: int, texts: Mapping[int, str], answers: Mapping[int, str]) -> dict[int, str]:
        """The free columns of a table that asks for prices: quantities, and what they come to."""
        if not any(mentions(text, "price") for text in answers.values()):
            return {}
        found = {c: t for c, t in texts.items() if mentions(t, "price") and self._filled(row, c) < _MOST_FILLED}
        return found | {c: t for c, t in texts.items() if mentions(t, "quantity") and not self._filled(row, c)}

    def _filled(self, row: int, column: int) -> float:
        below = list(self._below(row, column, _LOOKED_AT))
        return sum(map(bool, below)) / max(1, len(below))

    def _grid(self, row: int, texts: Mapping[int, str]) -> _Header | None:
        """A header over nothing but numbered rows: all of it is to be filled in."""
        before = min(texts) - 1
        counted = zip(self._below(row, before, _LOOKED_AT), count(1), strict=False) if before else iter(())
        numbered = sum(1 for _ in takewhile(lambda pair: pair[0] == str(pair[1]), counted))
        if numbered < _LEAST_NUMBERED or any(self._letters(row, column, numbered) for column in texts):
            return None
        return _Header(row, (before,), {c: t for c, t in texts.items() if not mentions(t, "not_answer")}, True, {}, {})

    def _asks_below(self, place: Place, header: str) -> bool:
        """Whether answers stand below a header: its words say so, or the cells below have lists to choose from."""
        if mentions(header, "not_answer") or boxes(header):
            return False
        rules = [self._sheet.validation(Place(place.row + below, place.column)) for below in range(3)]
        lists = [rule is not None and rule.type == "list" for rule in rules]
        return mentions(header, "answer") or lists == [False, True, True]

    def _below(self, row: int, column: int, rows: int) -> Iterator[str]:
        below = (other for other in range(row + 1, row + 1 + rows) if other in self._rows)
        return (self._sheet.text(Place(other, column)).strip() for other in below)

    def _letters(self, row: int, column: int, rows: int = _LOOKED_AT) -> int:
        """How many letters stand in so many rows of a column below a header; a code or a number says little."""
        return sum(sum(map(str.isalpha, text)) for text in self._below(row, column, rows))

    def _told_by(self, row: int, column: int, headed: Collection[int]) -> int:
        """The column that says what is asked: of a header over numbers, the next one, if that has no header itself."""
        after = column + 1
        return after if after not in headed and self._letters(row, after) > 2 * self._letters(row, column) else column

    def _goes_on(self, above: _Header, header: _Header) -> bool:
        """Whether a row with the words of a header is a question of the table above: it names no answer."""
        near = range(max(above.row, header.row - _GAP), header.row)
        return not above.answers.keys() & header.answers.keys() and any(row in self._rows for row in near)

    def _table(self, header: _Header, end: int) -> _Table:
        last, styles = header.row, {column: Counter[int]() for column in (header.questions[0], *header.answers)}
        for row in range(header.row + 1, end + 1):
            if row - last > _GAP:
                break
            if any(self._sheet.text(Place(row, column)).strip() for column in header.questions):
                last = row
                for column, seen in styles.items():
                    seen[self._sheet.style(Place(row, column))] += 1
        usual = {column: seen.most_common(1)[0][0] for column, seen in styles.items() if seen}
        return _Table(self._sheet, header, last, usual)


class _Finder:
    def __init__(self, workbook: Workbook, sheet: Sheet) -> None:
        self._workbook = workbook
        self._sheet = sheet
        self._rows: dict[int, list[Place]] = {}
        for place in sorted(sheet.cells):
            self._rows.setdefault(place.row, []).append(place)
        self._tables = _Tables(sheet, self._rows).found()
        self._last_above: dict[int, str] = {}

    def found(self) -> Iterator[Found[CellSpot]]:
        group = self._sheet.name
        coming, table = next(self._tables, None), None
        for row, places in self._rows.items():
            if coming and row >= coming.header.row:
                table, coming = coming, next(self._tables, None)
            inside = table if table and row <= table.last else None
            question = inside.question(row) if inside and row > inside.header.row else ""
            if inside and question and inside.is_heading(row):
                group = f"{self._sheet.name}: {line(question)}"
            elif not inside or row != inside.header.row:
                asked = self._asked(row, places, inside.header if inside else None, question, group)
                yield from (self._field(place, asked[place]) for place in sorted(asked))
            self._last_above.update({p.column: text for p in places if (text := self._sheet.text(p).strip())})

    def _asked(
        self, row: int, places: list[Place], header: _Header | None, question: str, group: str
    ) -> dict[Place, _Asked]:
        asked: dict[Place, _Asked] = {}
        if header and question:
            confidence, several = _NAMED if header.named else _UNNAMED, len(header.answers) > 1
            beside = self._row_of(row, header)
            for column, name in self._asked_columns(header, question, beside):
                crosses = header.crosses if column in header.crosses else {}
                words = f"{question} ({name})" if several and not crosses else question
                stated = self._stated_above(row, column, header) if is_sum(question) else ()
                to_cross = tuple((head, Place(row, c)) for c, head in crosses.items())
                asked[Place(row, column)] = _Asked(words, group, confidence, name, (*beside, *stated), to_cross)
        else:
            asked |= self._labelled(places, group)
        for place in places:
            if place in asked:
                continue
            if found := boxes(self._sheet.text(place)):
                label = found[0].label if len(found) == 1 else ""
                asked[place] = _Asked(label or self._beside(place, places), group, _SURE)
            elif self._must_be_meant(place):
                asked[place] = _Asked(self._beside(place, places), group, _SURE)
        return {place: each for place, each in asked.items() if each.question and self._waits_for(place, each)}

    def _row_of(self, row: int, header: _Header) -> tuple[tuple[str, str], ...]:
        """What stands in a row already, below the heads of its columns."""
        columns = [
            c
            for c in sorted(header.heads)
            if c not in header.crosses and not (c in header.answers and self._waits(Place(row, c)))
        ]
        texts = [(header.heads[c], line(self._sheet.text(Place(row, c)))) for c in columns]
        return tuple((head, text) for head, text in texts if text)[:MOST_BESIDE]

    def _stated_above(self, row: int, column: int, header: _Header) -> tuple[tuple[str, str], ...]:
        """The amounts of a column that the form states itself, which a sum has to hold too."""
        above = (self._sheet.text(Place(other, column)).strip() for other in range(header.row + 1, row))
        return tuple((header.answers[column], text) for text in above if text and not is_placeholder(text))[:1]

    def _asked_columns(
        self, header: _Header, question: str, beside: tuple[tuple[str, str], ...]
    ) -> Iterator[tuple[int, str]]:
        """The columns that a row is to be filled in; a sum has one amount, no price for a unit."""
        priced = [column for column, name in header.answers.items() if mentions(name, "price")]
        adds_up = len(priced) > 1 and is_sum(question) and not any(mentions(head, "quantity") for head, _ in beside)
        left_out = (
            [c for c, n in header.answers.items() if c in priced[:-1] or mentions(n, "quantity")] if adds_up else []
        )
        yield from ((column, name) for column, name in header.answers.items() if column not in left_out)

    def _waits_for(self, place: Place, asked: _Asked) -> bool:
        if asked.crosses:
            return all(self._waits(cell) for _, cell in asked.crosses)
        return self._waits(place) or (bool(asked.header) and mentions(asked.header, "price") and self._is_nought(place))

    def _labelled(self, places: list[Place], group: str) -> dict[Place, _Asked]:
        found = {}
        for place in places:
            text = self._sheet.text(place).strip()
            if not text or self._sheet.cells[place].has_formula:
                continue
            asks = is_label(text) or opens(text)
            if asks and not self._heads_answers(place) and (target := self._target(place)):
                confidence = _FRAMED_LABEL if self._is_framed(target) else _LABEL
                found[target] = _Asked(text.rstrip(" :："), group, confidence)
            elif is_name(text) and self._is_box_of(place, self._sheet.right_of(place)):
                found[self._sheet.right_of(place)] = _Asked(text, group, _BOX)
        return found

    def _is_box_of(self, label: Place, place: Place) -> bool:
        """Whether cells beside a text were merged, and look otherwise than it: nobody makes such a box to leave it."""
        styles = [self._workbook.style(self._sheet.style(each)) for each in (label, place)]
        return place in self._sheet.anchors and styles[1].framed and styles[0] != styles[1] and self._waits(place)

    def _heads_answers(self, label: Place) -> bool:
        """Whether answers are chosen below a label, so that none stands beside it."""
        below = self._sheet.validation(self._sheet.below(label))
        return below is not None and below.type == "list"

    def _target(self, label: Place) -> Place | None:
        """The empty cell to the right of a label, or the box below it that is merged of several cells.

        A box of several rows is meant rather than a cell that nothing shows as one to write in.
        """
        right, below = self._sheet.right_of(label), self._sheet.below(label)
        box = self._sheet.anchors.get(below) if self._waits(below) else None
        if self._waits(right) and (not box or box.first.row == box.last.row or self._is_framed(right)):
            return right
        return below if box else None

    def _waits(self, place: Place) -> bool:
        """Whether somebody can and should write in a cell: it is free, or has a placeholder or a default."""
        sheet, cell = self._sheet, self._sheet.cells.get(place)
        if place in sheet.covered or (cell and cell.has_formula):
            return False
        if sheet.is_protected and self._workbook.style(sheet.style(place)).locked:
            return False
        text = cell.text.strip() if cell else ""
        is_drawn = text in BOXES or bool(boxes(text))
        return not text or is_placeholder(text) or is_drawn or self._is_default(place, text)

    def _is_nought(self, place: Place) -> bool:
        """Whether a number stands in a cell that says nothing yet: 0, in a form that computes with it."""
        cell = self._sheet.cells.get(place)
        return cell is not None and not cell.has_formula and cell.text.strip() in ("0", "0.0", "0.00")

    def _is_default(self, place: Place, text: str) -> bool:
        validation = self._sheet.validation(place)
        if validation is None or validation.type != "list":
            return False
        return self._workbook.allowed(self._sheet, validation)[:1] == (text,)

    def _must_be_meant(self, place: Place) -> bool:
        validation = self._sheet.validation(place)
        unlocked = self._sheet.is_protected and not self._workbook.style(self._sheet.style(place)).locked
        return unlocked or (validation is not None and validation.type != "none")

    def _is_framed(self, place: Place) -> bool:
        framed = place in self._sheet.cells and self._workbook.style(self._sheet.style(place)).framed
        return place in self._sheet.anchors or framed

    def _beside(self, place: Place, places: list[Place]) -> str:
        """What is asked in a cell that no header and no label explains: what its row and its column say."""
        before = [p for p in places if p.column < place.column and self._sheet.text(p).strip()]
        nearest = [*(p for p in reversed(before) if _WORD.search(self._sheet.text(p))), *reversed(before)]
        asking = next(iter(nearest), None)
        label = self._sheet.text(asking).strip().rstrip(" :：") if asking else ""
        if asking and self._sheet.right_of(asking) == place:
            return label
        above = self._last_above.get(place.column, "").rstrip(" :：")
        return ": ".join(filter(None, [label, above if above != label else ""]))

    def _field(self, place: Place, asked: _Asked) -> Found[CellSpot]:
        cell, validation = self._sheet.cells.get(place), self._sheet.validation(place)
        drawn = tuple(box.label for box in boxes(cell.text)) if cell else ()
        allowed = tuple(head for head, _ in asked.crosses) or (drawn if len(drawn) > 1 else self._allowed(validation))
        kind = Kind.CHOICE if allowed else Kind.CHECKBOX if drawn else self._kind(place, validation)
        hint = validation.hint if validation else ""
        current = cell.text.strip() if cell else ""
        field = Field(
            place=f"{self._sheet.name}!{place}",
            group=asked.group,
            question=line(asked.question),
            kind=kind,
            allowed=allowed,
            suggested=() if kind is not Kind.TEXT else offered(asked.header or asked.question),
            limit=_length(validation) or stated_limit(asked.question, asked.header, hint, current),
            current=line(current),
            confidence=asked.confidence,
            column=line(asked.header),
            row=asked.beside,
        )
        return Found(field, CellSpot(self._sheet, place, asked.crosses))

    def _allowed(self, validation: Validation | None) -> tuple[str, ...]:
        is_list = validation is not None and validation.type == "list"
        return self._workbook.allowed(self._sheet, validation) if validation and is_list else ()

    def _kind(self, place: Place, validation: Validation | None) -> Kind:
        style = self._workbook.style(self._sheet.style(place))
        if (validation and validation.type == "date") or style.shows_date:
            return Kind.DATE
        return Kind.NUMBER if (validation and validation.type in _NUMBERS) or style.shows_number else Kind.TEXT


def offered(header: str) -> tuple[str, ...]:
    """The answers that a header offers: Compliant (Full/Partial/None)."""
    found = _CHOICES.search(header)
    return tuple(part.strip() for part in (found[1] or found[2]).split("/")) if found else ()


def _length(validation: Validation | None) -> Limit | None:
    """The limit that a rule for the length of a text sets, if it sets one in figures."""
    if validation is None or validation.type != "textLength":
        return None
    most = validation.second if validation.operator == "between" else validation.first
    if validation.operator not in ("between", "lessThan", "lessThanOrEqual", "equal") or not most.strip().isdigit():
        return None
    return Limit(int(most) - (validation.operator == "lessThan"), Unit.CHARACTERS)
