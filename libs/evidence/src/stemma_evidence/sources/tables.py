"""Tables and JSON as lines of text: a cell is a line, a row a block, and no separator is taken for a decimal one."""

import csv
import io
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice

from stemma_markdown import Document

from stemma_evidence.claims.measures import unit_of

_CSV = frozenset({"text/csv", "text/tab-separated-values"})
_SEPARATORS = ",;\t|"
_SAMPLE_LINES = 50
_NUMBER = re.compile(r"[-+]?[0-9][0-9.,' ]{0,30}")
_VALUE = re.compile(
    r"\s*(?!(?:19|20)[0-9]{2}(?:[/-][0-9]{2,4})?\s*\Z)"
    r"(?:(?:[A-Z]{3}|[€$£¥])\s?)?[-+]?[0-9][0-9.,' /-]{0,30}(?:\s?(?:[A-Z]{3}|[€$£¥%]))?\s*"
)
"""What stands in the head of no column: a number that is no year, an amount, a date."""
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*+"|[^\s"\[\]{},:]++')
_KEY_ENDS = re.compile(r"\s*+:")

_Cell = tuple[int, int, str, str]
"""Row, line in the file, name of the column, text."""


_DAY = re.compile(r"\A([0-3]?[0-9])\.(?= [^\W\d_]{3,12}\.? (?:19|20|21)[0-9]{2}\b)")
"""The full stop of a day at the beginning of a cell, such as ``1. März 2027``: on a line it would begin a list."""


def is_tabular(media_type: str) -> bool:
    """Whether texts of a media type are rows of values, and no prose."""
    return media_type in _CSV or media_type == "application/json"


def rows_of(text: str, media_type: str) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """The rows of a table or JSON: the line of each in the file, and its cells with the names of their columns.

    The head of a table is left out if rows follow.
    """
    cells = _values(text) if media_type == "application/json" else _cells(text)
    rows = [list(row) for _, row in groupby(cells, key=lambda cell: cell[0])]
    has_head = media_type in _CSV and len(rows) > 1 and _is_head([cell for *_, cell in rows[0]])
    for row in rows[1:] if has_head else rows:
        yield row[0][1], [(name, cell) for _, _, name, cell in row]


def separator_of(text: str) -> str:
    """The mark that cuts most lines of a table into the same number of values, more than one.

    A decimal comma cuts, too; but then the semicolon or the tab cuts all lines alike.
    """
    lines = [line for line in islice(io.StringIO(text), _SAMPLE_LINES) if line.strip()]

    def agreement(mark: str) -> tuple[float, int]:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=mark)]
        except csv.Error:
            return 0.0, 0
        head = widths[0] if widths else 1
        return (sum(width == head for width in widths) / len(widths) if head > 1 else 0.0), -_SEPARATORS.index(mark)

    return max(_SEPARATORS, key=agreement)


def as_lines(text: str, media_type: str, language: str) -> tuple[str, tuple[int, ...]]:
    """The text to read, and for each line of it the line in the file; none if they are the same."""
    if media_type in _CSV:
        cells = _cells(text)
    elif media_type == "application/json":
        cells = _values(text)
    else:
        return text.replace("\r\n", " \n").replace("\r", "\n"), ()
    shown: list[str] = []
    lines: list[int] = []
    for _, row in groupby(cells, key=lambda cell: cell[0]):
        for _, line, name, cell in row:
            shown.append(in_column(cell, name, language))
            lines.append(line)
        shown.append("")
        lines.append(lines[-1])
    return "\n".join(shown), tuple(lines)


def _cells(text: str) -> Iterator[_Cell]:
    rows = csv.reader(text.splitlines(keepends=True), delimiter=separator_of(text))
    names: list[str] | None = None
    line = 1
    try:
        for number, row in enumerate(rows):
            for index, cell in enumerate(row):
                yield number, line, names[index] if names and index < len(names) else "", cell
            if names is None and row:
                names = [name.strip() for name in row] if _is_head(row) else []
            line = rows.line_num + 1
    except csv.Error:
        yield from _plain(text, line)


def _is_head(row: list[str]) -> bool:
    """Whether the first row of a table names its columns."""
    return not any(map(_VALUE.fullmatch, row))


def _values(text: str) -> Iterator[_Cell]:
    """Each value with its key and its line; an object is a row, and so is a list in a list."""
    try:
        parsed = json.loads(text, object_pairs_hook=_Object)
    except (ValueError, RecursionError):
        yield from _plain(text, 1)
        return
    waiting: list[tuple[int, str, object]] = [(0, "", parsed)]
    rows, lines = 0, _lines_of_values(text)
    while waiting:
        row, name, value = waiting.pop()
        match value:
            case _Object():
                rows += 1
                waiting += reversed([(rows, str(key), item) for key, item in value])
            case list():
                rows += isinstance(value, _Row)
                row = rows if isinstance(value, _Row) else row
                waiting += reversed([(row, name, _Row(item) if type(item) is list else item) for item in value])
            case _:
                yield row, next(lines), name, value if isinstance(value, str) else json.dumps(value)


class _Object(list[tuple[str, object]]):
    """The members of an object in their order, also those of one name."""


class _Row(list[object]):
    """A list in a list."""


def _lines_of_values(text: str) -> Iterator[int]:
    """The line of each string, number and constant of a JSON text that is no key."""
    line, position = 1, 0
    for match in _SCALAR.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        if not _KEY_ENDS.match(text, match.end()):
            yield line


def _plain(text: str, first: int) -> Iterator[_Cell]:
    for number, line in enumerate(text.splitlines()[first - 1 :], first):
        yield -number, number, "", line


def in_column(cell: str, name: str, language: str) -> str:
    """A cell with the unit and the name of its column, as ``4250 EUR (amount_eur)``."""
    cell = _DAY.sub(r"\1", " ".join(cell.split()))
    if not name or name == cell:
        return cell
    unit = unit_of(name, language) or unit_of(name.upper(), language)
    return f"{cell} {unit} ({name})" if unit and _NUMBER.fullmatch(cell) else f"{cell} ({name})"


_TABLE = re.compile(r"<(/?)table\b[^<>]{0,500}>", re.IGNORECASE)
_CELL = re.compile(r"<(/?)(tr|td|th|table)\b[^<>]{0,500}>", re.IGNORECASE)

Range = tuple[int, int]


class HtmlTables:
    """The tables of a text, of nested ones the outer; none that is shown as code."""

    def __init__(self, document: Document) -> None:
        self.ranges = tuple(_tables(document)) if "<table" in document.text.lower() else ()
        self._starts = [start for start, _ in self.ranges]

    def hold(self, place: int) -> bool:
        """Whether a place is in one of the tables."""
        return _is_within(place, self.ranges, self._starts)


def _tables(document: Document) -> Iterator[Range]:
    """The ranges of the tables; one without its end reaches to the last."""
    starts = [start for start, _ in document.code]
    depth = start = 0
    for tag in _TABLE.finditer(document.text):
        if _is_within(tag.start(), document.code, starts):
            continue
        if tag[1] and depth:
            depth -= 1
            if not depth:
                yield start, tag.end()
        elif not tag[1]:
            start = start if depth else tag.start()
            depth += 1
    if depth:
        yield start, len(document.text)


def _is_within(place: int, ranges: Sequence[Range], starts: Sequence[int]) -> bool:
    index = bisect_right(starts, place) - 1
    return index >= 0 and place < ranges[index][1]


def html_rows(text: str, table: Range) -> Iterator[tuple[Range, ...]]:
    """The cells of each row of a table, without the spaces around what they say; empty ones as well."""
    cells: list[Range] = []
    start = -1
    for tag in _CELL.finditer(text, *table):
        if start >= 0:
            cells.append(_stripped(text, start, tag.start()))
        start = tag.end() if not tag[1] and tag[2].lower() in ("td", "th") else -1
        if tag[2].lower() in ("tr", "table") and cells:
            yield tuple(cells)
            cells = []
    if cells:
        yield tuple(cells)


def _stripped(text: str, start: int, end: int) -> Range:
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    return start, start + len(said.strip())


LEFT, ABOVE = "←", "↑"
"""In place of what a cell to the left, or above, says of this place as well: its words again would count twice."""
_MOST_COLUMNS, _MOST_ROWS = 100, 65_534

JoinedCell = tuple[str, Mapping[str, str]]
"""The words of a cell and its attributes as HTML has them, of which ``colspan`` and ``rowspan`` count."""


def placed(rows: Iterable[Sequence[JoinedCell]]) -> Iterator[list[str]]:
    """The rows with a text for each column; one cell of the head that reaches over several columns heads each."""
    reaching: dict[int, tuple[int, str]] = {}
    for number, row in enumerate(rows):
        line = {column: mark for column, (_, mark) in reaching.items()}
        reaching = {column: (left - 1, mark) for column, (left, mark) in reaching.items() if left > 1}
        column = 0
        for words, attributes in row:
            while column in line:
                column += 1
            width = _span(attributes.get("colspan"), _MOST_COLUMNS)
            height = _span(attributes.get("rowspan"), _MOST_ROWS)
            again = words if not number else LEFT
            for at in range(column, column + width):
                line[at] = words if at == column else again if words.strip() and len(row) > 1 else ""
                if height > 1:
                    reaching[at] = height - 1, ABOVE if line[at].strip() else ""
        yield [line.get(at, "") for at in range(max(line, default=-1) + 1)]


def _span(written: str | None, most: int) -> int:
    """How far a cell reaches; without a number that HTML allows it stands for itself, and 0 is as far as it goes."""
    number = (written or "").strip()
    if not (number.isascii() and number.isdecimal()) or len(number) > len(str(most)):
        return 1
    return min(int(number), most) or (most if most == _MOST_ROWS else 1)
