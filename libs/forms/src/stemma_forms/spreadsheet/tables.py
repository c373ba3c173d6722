"""Tables of questions: a header with words such as Requirement and Response, and rows below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile

from stemma_forms.words import mentions, rank

from .sheet import Place, Sheet

_LONGEST_HEADER = 80
# Rows without anything between two rows of one table.
_GAP = 20
_LOOKED_AT = 30
_LONGEST_NUMBER = 12
_LEAST_NUMBERED = 2


@dataclass(frozen=True)
class Table:
    """``questions`` and ``answers`` are columns; ``named`` says whether the header calls one a question."""

    header: int
    last: int
    questions: tuple[int, ...]
    answers: Mapping[int, str]
    named: bool
    # The styles that most questions and most answers have: a row of another look is a heading.
    usual: Mapping[int, int]

    def number(self, sheet: Sheet, row: int) -> str:
        """The number of a question, such as 1.2, if its row begins with one."""
        first = min((p.column for p in self._texts(sheet, row)), default=0)
        text = sheet.text(Place(row, first)).strip()
        is_number = first not in self.questions and len(text) <= _LONGEST_NUMBER and any(c.isdigit() for c in text)
        return text if is_number and first < min(self.questions) else ""

    def question(self, sheet: Sheet, row: int) -> str:
        asked = [text for column in self.questions if (text := sheet.text(Place(row, column)).strip())]
        return " ".join([self.number(sheet, row), ": ".join(dict.fromkeys(asked))]).strip() if asked else ""

    def is_heading(self, sheet: Sheet, row: int) -> bool:
        """Whether a row divides the table: what would be answered is hidden by a merge, or nothing looks as usual."""
        places = [Place(row, column) for column in (self.questions[0], *self.answers)]
        if all(place in sheet.covered for place in places[1:]):
            return True
        between = range(max(self.questions) + 1, min(self.answers))
        if any(sheet.text(Place(row, column)).strip() for column in between):
            return False
        styles = [(sheet.cells[p].style if p in sheet.cells else 0, self.usual.get(p.column, 0)) for p in places]
        return all(style != usual for style, usual in styles)

    def _texts(self, sheet: Sheet, row: int) -> Iterator[Place]:
        columns = range(max(1, min(self.questions) - 3), min(self.questions) + 1)
        return (place for column in columns if sheet.text(place := Place(row, column)).strip())


def find_tables(sheet: Sheet, rows: Mapping[int, Sequence[Place]]) -> list[Table]:
    """The tables of a sheet from above, none of which overlap; ``rows`` are the cells of each row."""
    headers: list[tuple[int, tuple[int, ...], dict[int, str], bool]] = []
    for row, places in rows.items():
        header = _header(sheet, rows, row, places)
        if header and not (headers and _goes_on(rows, headers[-1], row, header[1])):
            headers.append((row, *header))
    ends = [*(row - 1 for row, *_ in headers[1:]), sheet.last_row][: len(headers)]
    return [_table(sheet, rows, *header, end=end) for header, end in zip(headers, ends, strict=True)]


def _header(
    sheet: Sheet, rows: Mapping[int, Sequence[Place]], row: int, places: Sequence[Place]
) -> tuple[tuple[int, ...], dict[int, str], bool] | None:
    texts = {p.column: sheet.text(p).strip() for p in places if 0 < len(sheet.text(p).strip()) <= _LONGEST_HEADER}
    answers = {c: t for c, t in texts.items() if _asks_below(sheet, Place(row, c), t)}
    others = [column for column in texts if column not in answers and column < max(answers, default=0)]
    if not answers or not others:
        return None
    words = _Words(sheet, rows, row)
    if grid := _grid(words, texts):
        return grid
    ranked = tuple(sorted(c for c in others if rank(texts[c], "question") is not None and words.below(c)))
    questions = dict.fromkeys(words.told_by(c, texts.keys()) for c in ranked or (max(others, key=words.below),))
    after = {column: text for column, text in answers.items() if column > min(questions)}
    return (tuple(questions), after, bool(ranked)) if after else None


def _grid(words: _Words, headers: Mapping[int, str]) -> tuple[tuple[int, ...], dict[int, str], bool] | None:
    """A header over nothing but numbered rows: all of it is to be filled in."""
    before = min(headers) - 1
    numbered = words.numbered(before) if before else 0
    if numbered < _LEAST_NUMBERED or any(words.below(column, numbered) for column in headers):
        return None
    return (before,), {c: t for c, t in headers.items() if not mentions(t, "not_answer")}, True


def _asks_below(sheet: Sheet, place: Place, header: str) -> bool:
    """Whether answers stand below a header: its words say so, or the cells below have lists to choose from."""
    if mentions(header, "not_answer"):
        return False
    lists = [_is_list(sheet, Place(place.row + below, place.column)) for below in range(3)]
    return mentions(header, "answer") or lists == [False, True, True]


def _is_list(sheet: Sheet, place: Place) -> bool:
    validation = sheet.validation(place)
    return validation is not None and validation.type == "list"


@dataclass(frozen=True)
class _Words:
    """What stands in the columns below a header."""

    sheet: Sheet
    rows: Mapping[int, Sequence[Place]]
    header: int

    def below(self, column: int, rows: int = _LOOKED_AT) -> int:
        """How many letters stand in so many rows; a code or a number says little."""
        return sum(sum(map(str.isalpha, text)) for text in self._texts(column, rows))

    def numbered(self, column: int) -> int:
        """How many rows begin with 1, 2 and so on."""
        counted = zip(self._texts(column, _LOOKED_AT), count(1), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == str(pair[1]), counted))

    def _texts(self, column: int, rows: int) -> Iterator[str]:
        below = range(self.header + 1, self.header + 1 + rows)
        return (self.sheet.text(Place(row, column)).strip() for row in below if row in self.rows)

    def told_by(self, column: int, headed: Collection[int]) -> int:
        """The column that says what is asked: of a header over numbers, the next one, if that has no header itself."""
        after = column + 1
        return after if after not in headed and self.below(after) > 2 * self.below(column) else column


def _goes_on(
    rows: Mapping[int, Sequence[Place]],
    table: tuple[int, tuple[int, ...], dict[int, str], bool],
    row: int,
    answers: Mapping[int, str],
) -> bool:
    """Whether a row with the words of a header is a question of the table above: it names no answer."""
    header, _, above, _ = table
    return not above.keys() & answers.keys() and any(r in rows for r in range(max(header, row - _GAP), row))


def _table(
    sheet: Sheet,
    rows: Mapping[int, Sequence[Place]],
    header: int,
    questions: tuple[int, ...],
    answers: dict[int, str],
    named: bool,
    *,
    end: int,
) -> Table:
    last, usual = header, {column: Counter[int]() for column in (questions[0], *answers)}
    for row in range(header + 1, end + 1):
        if row - last > _GAP:
            break
        if any(sheet.text(Place(row, column)).strip() for column in questions):
            last = row
            for column, styles in usual.items():
                cell = sheet.cells.get(Place(row, column))
                styles[cell.style if cell else 0] += 1
    most = {column: styles.most_common(1)[0][0] for column, styles in usual.items() if styles}
    return Table(header, last, questions, answers, named, most)
