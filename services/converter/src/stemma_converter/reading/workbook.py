"""XLSX: the values of formulas as they were stored, sheet by sheet."""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from heapq import heappop, heappush
from io import BytesIO
from itertools import zip_longest
from typing import Any

from lxml import etree
from openpyxl import load_workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils import get_column_letter, range_boundaries
from stemma_markdown import escaping
from stemma_ooxml import Package, worksheets

from .account import account_of_workbook
from .composing import Composer, again, put_edges
from .result import Unreadable

_CURRENCY = re.compile(r"\[\$([^\[\]-]++)[^\[\]]*+\]|([€$£¥])")
_QUOTED = re.compile(r'"([^"]*)"|\\(.)')
_ERROR = re.compile(r"#(?:REF!|DIV/0!|N/A|NAME\?|NULL!|NUM!|VALUE!|SPILL!|CALC!)")
# Blank cells that are only formatted cost time, but are nothing that is read.
_SCANNED = 20
_ROWS_EACH = 50
_EMBED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_SHOWN = 5
_CODE = re.compile(r'&(?:"[^"]*"|\d{1,3}|K[0-9A-Fa-f]{6}|.)')
_RANGE = re.compile(r"[A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7}")


@dataclass(frozen=True)
class _Cell:
    column: int
    text: str
    is_number: bool = False


_Line = tuple[int, list[_Cell]]
_Place = tuple[int, int]
_Bounds = tuple[int, int, int, int]
_WHITE = ("00FFFFFF", "FFFFFFFF")
_LIGHT_THEME = 0
_NO_VALUE, _NO_NUMBER = ";;;", ";;"


def read_workbook(content: bytes, composer: Composer) -> None:
    """Every sheet with something in it: its tables, then its comments and images. Raises `Unreadable`."""
    package = composer.limits.package(content)
    package.refuse_entities()
    try:
        values = load_workbook(BytesIO(content), read_only=True, data_only=True, rich_text=True)
        formulas = load_workbook(BytesIO(content), read_only=True)
        left, told = composer.limits.cells, dict[str, set[tuple[int, int]]]()
        for name, parts in parts_of_sheets(package).items():
            if name in values.sheetnames and hasattr(values[name], "reset_dimensions"):
                gone = told.setdefault(name, set())
                left = _read_sheet(name, values[name], formulas[name], parts, composer, left, gone)
        if left:
            account_of_workbook(package, told, composer)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OSError, SyntaxError, EOFError):
        raise Unreadable("damaged", kind="XLSX") from None


def _read_sheet(
    name: str, values: Any, formulas: Any, parts: SheetParts, composer: Composer, left: int, gone: set[_Place]
) -> int:
    """Read a sheet, of which ``left`` cells may be read; gives how many are left for the next.

    Cells that nobody sees come into ``gone``.
    """
    if parts.is_hidden:
        composer.warn("hidden_sheet", name, "The sheet is hidden in the workbook and was left out.")
        return left
    lines: list[_Line] = []
    for line in _lines(name, values, formulas, parts, composer, left * _SCANNED, gone):
        left -= len(line[1])
        if left < 0:
            words = f"Only the first {composer.limits.cells} cells of the workbook were read."
            composer.warn("cells_left_out", name, words)
            break
        lines.append(line)
    if lines or parts.pictures or parts.boxes:
        composer.heading(2, escaping.inline(name))
        _put_sheet(name, lines, parts.hidden_rows, composer)
        parts.put(name, composer)
    return max(left, 0)


def _lines(
    name: str, values: Any, formulas: Any, parts: SheetParts, composer: Composer, most: int, gone: set[_Place]
) -> Iterator[_Line]:
    """The rows that hold something and are seen, with the cells that do."""
    values.reset_dimensions()
    formulas.reset_dimensions()
    unseen, merged = Counter[str](), _Merged(parts.merged)
    for number, (row, written) in enumerate(zip(values.iter_rows(), formulas.iter_rows(), strict=False), 1):
        most -= len(row) + 1
        if most < 0:
            composer.warn("cells_left_out", name, "The sheet is too wide or too long; the rest of it was left out.")
            break
        pairs = enumerate(zip_longest(row, written), 1)
        cells = [_cell(name, number, column, *pair, composer) for column, pair in pairs]
        looks = [*row, *[None] * (len(cells) - len(row))]
        merged.go_to(number)
        why = [
            (merged.covering(number, cell) or _unseen(number, cell, look, parts)) if cell.text else ""
            for cell, look in zip(cells, looks, strict=True)
        ]
        unseen.update(filter(None, why))
        gone.update((number, cell.column) for cell, hidden in zip(cells, why, strict=True) if hidden)
        seen = [cell for cell, hidden in zip(cells, why, strict=True) if cell.text and not hidden]
        if found := merged.filled(number, seen):
            yield number, found
    for reason, count in unseen.items():
        composer.warn("hidden_cells", name, f"Cells that nobody sees ({reason}) were left out: {count}.")


def _unseen(row: int, cell: _Cell, written: Any, parts: SheetParts) -> str:
    """Why nobody sees a cell; empty for one that is shown."""
    if row in parts.hidden_rows:
        return "hidden rows"
    if any(first <= cell.column <= last for first, last in parts.hidden_columns):
        return "hidden columns"
    if (getattr(written, "number_format", "") or "").strip() in (_NO_VALUE, *[_NO_NUMBER] * cell.is_number):
        return "a format that shows nothing"
    color = getattr(getattr(written, "font", None), "color", None)
    has_own_looks = parts.has_looks or isinstance(getattr(written, "value", None), CellRichText)
    if color is None or has_own_looks or color.tint or written.fill.fill_type is not None:
        return ""
    is_white = color.rgb in _WHITE if color.type == "rgb" else color.type == "theme" and color.theme == _LIGHT_THEME
    return "white on white" if is_white else ""


class _Merged:
    """Merged cells, row by row. The label of one that reaches down counts for each row that has something."""

    def __init__(self, merged: Sequence[str]) -> None:
        bounds = [range_boundaries(ref) for ref in merged if _RANGE.fullmatch(ref)]
        self._waiting = sorted(((top, left, bottom, right) for left, top, right, bottom in bounds), reverse=True)
        self._open: dict[int, _Bounds] = {}
        """By their first columns: of merged cells in one column only the last is looked at, as none overlap."""
        self._lefts, self._ends = list[int](), list[tuple[int, int]]()
        self._labels: dict[int, int] = {}
        self._reaching: dict[int, tuple[int, _Cell]] = {}

    def go_to(self, row: int) -> None:
        while self._ends and self._ends[0][0] < row:
            _, left = heappop(self._ends)
            if left in self._open and self._open[left][2] < row:
                del self._open[left], self._lefts[bisect_left(self._lefts, left)]
        self._labels = {}
        while self._waiting and self._waiting[-1][0] <= row:
            bounds = top, left, bottom, _ = self._waiting.pop()
            if left not in self._open:
                insort(self._lefts, left)
            self._open[left] = bounds
            heappush(self._ends, (bottom, left))
            if row == top < bottom:
                self._labels[left] = bottom

    def covering(self, row: int, cell: _Cell) -> str:
        """Why nobody sees a cell, if a merged one lies over it: it shows the value of its first cell alone."""
        at = bisect_right(self._lefts, cell.column)
        top, left, _, right = self._open[self._lefts[at - 1]] if at else (row, cell.column, row, cell.column)
        return "below merged cells" if cell.column <= right and (row, cell.column) != (top, left) else ""

    def filled(self, row: int, cells: list[_Cell]) -> list[_Cell]:
        self._reaching = {column: found for column, found in self._reaching.items() if row <= found[0]}
        there = {cell.column for cell in cells}
        more = [cell for column, (_, cell) in self._reaching.items() if column not in there] if cells else []
        for cell in cells:
            if (last := self._labels.get(cell.column)) and (label := again(cell.text)):
                self._reaching[cell.column] = last, _Cell(cell.column, label, cell.is_number)
        return sorted([*cells, *more], key=lambda cell: cell.column)


def _cell(sheet: str, row: int, column: int, cell: Any, written: Any, composer: Composer) -> _Cell:
    value, formula = getattr(cell, "value", None), getattr(written, "value", None)
    place = in_sheet(sheet, cell_range(row, column, row, column))
    if value is None and formula is not None:
        composer.warn("formula_without_value", place, "The formula was never calculated; it is shown itself.")
        return _Cell(column, escaping.one_line(str(getattr(formula, "text", formula))))
    if isinstance(value, CellRichText):
        return _Cell(column, _struck(escaping.clean("".join(map(_rich, value))).strip(), cell))
    if isinstance(value, str):
        if _ERROR.fullmatch(value):
            composer.warn("formula_error", place, f"The cell holds the error {value}.")
        return _Cell(column, _struck(escaping.clean(value).strip(), cell))
    text = shown(value, getattr(cell, "number_format", "") or "")
    return _Cell(column, _struck(text, cell), is_number=value is not None)


def _rich(part: str | TextBlock) -> str:
    """A part of a cell that has looks of its own."""
    if isinstance(part, str):
        return part
    if part.font.strike:
        return f"{escaping.STRUCK}{part.text}{escaping.STRUCK}"
    return escaping.raised(part.text) if part.font.vertAlign == "superscript" else part.text


def _struck(text: str, cell: Any) -> str:
    font = getattr(cell, "font", None)
    return f"{escaping.STRUCK}{text}{escaping.STRUCK}" if text and font is not None and font.strike else text


def shown(value: object, number_format: str = "General") -> str:
    """A value as text: numbers in full, with the percent or currency of their format, dates as in ISO 8601."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return _number(value, number_format.split(";")[0])
        case dt.datetime():
            return value.isoformat(" ", "minutes" if value.second == 0 else "seconds").removesuffix(" 00:00")
        case dt.date() | dt.time():
            return value.isoformat()
        case _:
            return escaping.clean(str(value)).strip()


def _number(value: float, number_format: str) -> str:
    if "%" in _QUOTED.sub("", number_format):
        return f"{value * 100:.15g}%"
    digits = f"{value:.15g}" if isinstance(value, float) else str(value)
    plain = _QUOTED.sub(r"\1\2", number_format)
    if not (found := _CURRENCY.search(plain)):
        return digits
    sign = found[1] or found[2]
    before = found.start() < min((plain.find(digit) for digit in "0#" if digit in plain), default=0)
    return f"{sign}{digits}" if before and len(sign) == 1 else f"{digits} {sign}"


def _put_sheet(name: str, lines: list[_Line], hidden: Set[int], composer: Composer) -> None:
    for region in _regions(lines, hidden):
        titles, table = _without_titles(region)
        for number, [title] in titles:
            composer.anchor("sheet", in_sheet(name, cell_range(number, title.column, number, title.column)))
            composer.paragraph(escaping.inline(title.text))
        if table:
            left = min(cell.column for _, cells in table for cell in cells)
            put_table(composer, name, [Row(number, _values(cells, left)) for number, cells in table], left)


def _regions(lines: list[_Line], hidden: Set[int]) -> Iterator[list[_Line]]:
    """Rows that belong together: an empty one that is seen divides them unless the table goes on behind it."""
    region: list[_Line] = []
    for line in lines:
        empty = sum(row not in hidden for row in range(region[-1][0] + 1, line[0])) if region else 0
        if empty and not (empty == 1 and _goes_on(region, line)):
            yield region
            region = []
        region.append(line)
    if region:
        yield region


def _goes_on(region: list[_Line], line: _Line) -> bool:
    """Whether a row behind an empty one is data of the table before: it has numbers, and lies in its columns."""
    columns = {cell.column for _, cells in region for cell in cells}
    inside = min(columns) <= line[1][0].column and line[1][-1].column <= max(columns)
    return inside and any(cell.is_number for cell in line[1])


def _without_titles(region: list[_Line]) -> tuple[list[_Line], list[_Line]]:
    """The rows with one cell that stand above a table, and the table."""
    first = next((i for i, (_, cells) in enumerate(region) if len(cells) > 1), len(region))
    return region[:first], region[first:]


def _values(cells: list[_Cell], left: int) -> list[str]:
    values = [""] * (cells[-1].column - left + 1)
    for cell in cells:
        values[cell.column - left] = cell.text
    return values


@dataclass(frozen=True)
class Row:
    """A row of a sheet: its number there, and its values from a column on that the whole table shares."""

    number: int
    values: Sequence[str]


def put_table(composer: Composer, sheet: str, rows: Sequence[Row], left: int = 1) -> None:
    """A table whose first column is ``left``, with an anchor at its beginning and every 50 rows.

    Rows that are shorter than the longest are filled up.
    """
    width = max((len(row.values) for row in rows), default=0)
    starts = composer.table([[escaping.inline(value) for value in row.values] for row in rows])
    for first in range(0, len(starts), _ROWS_EACH):
        last = min(first + _ROWS_EACH, len(starts)) - 1
        cells = cell_range(rows[first].number, left, rows[last].number, left + width - 1)
        composer.anchor("sheet", in_sheet(sheet, cells), at=starts[first])


def in_sheet(sheet: str, cells: str) -> str:
    plain = sheet.replace("_", "").isalnum()
    return cells if not sheet else f"{sheet}!{cells}" if plain else "'{}'!{}".format(sheet.replace("'", "''"), cells)


def cell_range(top: int, left: int, bottom: int, right: int) -> str:
    first, last = f"{get_column_letter(left)}{top}", f"{get_column_letter(right)}{bottom}"
    return first if first == last else f"{first}:{last}"


@dataclass(frozen=True)
class SheetParts:
    is_hidden: bool = False
    merged: tuple[str, ...] = ()
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: tuple[tuple[int, int], ...] = ()
    has_looks: bool = False
    """Whether cells may have a background that they do not name themselves."""
    comments: tuple[tuple[str, str], ...] = ()
    boxes: tuple[str, ...] = ()
    pictures: tuple[bytes, ...] = field(default=(), repr=False)
    edges: tuple[str, ...] = ()
    """What is printed above and below each page."""

    def put(self, name: str, composer: Composer) -> None:
        """Write comments and images behind the tables of the sheet, and tell the rest."""
        for cell, text in self.comments:
            composer.anchor("sheet", in_sheet(name, cell))
            composer.paragraph(escaping.inline(f"Comment on {cell}: {text}"))
        for box in self.boxes:
            composer.paragraph(escaping.inline(box))
        put_edges(map(escaping.inline, self.edges), composer)
        for picture in self.pictures:
            if shown := composer.image(picture, name, name):
                composer.paragraph(shown)
        if self.merged:
            more = f" and {len(self.merged) - _SHOWN} more" if len(self.merged) > _SHOWN else ""
            words = f"Merged cells ({', '.join(self.merged[:_SHOWN])}{more}) have their value in the first one alone."
            composer.warn("merged_cells", name, words)


def parts_of_sheets(package: Package) -> dict[str, SheetParts]:
    return {sheet.name: _parts(package, sheet.part, not sheet.is_shown) for sheet in worksheets(package)}


def _parts(package: Package, part: str, is_hidden: bool) -> SheetParts:
    root = None if is_hidden else package.xml_if_there(part)
    if root is None:
        return SheetParts(is_hidden)
    merged = [item.get("ref", "") for item in root.iterfind(".//{*}mergeCell")]
    related = package.related(part).values()
    comments = [item for kind, target in related if kind == "comments" for item in _comments(package, target)]
    drawings = [target for kind, target in related if kind == "drawing"]
    boxes = [text for target in drawings for text in _boxes(package, target)]
    pictures = [data for target in drawings for data in _pictures(package, target)]
    return SheetParts(
        merged=tuple(merged),
        hidden_rows=frozenset(_whole(row.get("r", "")) for row in root.iterfind(".//{*}row") if _is_hidden(row)),
        hidden_columns=tuple(
            (_whole(column.get("min", "")), _whole(column.get("max", "")))
            for column in root.iterfind(".//{*}col")
            if _is_hidden(column)
        ),
        has_looks=root.find(".//{*}conditionalFormatting") is not None or root.find(".//{*}tablePart") is not None,
        comments=tuple(comments),
        boxes=tuple(boxes),
        pictures=tuple(pictures),
        edges=tuple(_edges(root)),
    )


def _edges(root: etree._Element) -> Iterator[str]:
    """The lines of headers and footers, without what sets their letters and stands for numbers of pages and names."""
    for edge in root.iterfind("{*}headerFooter/*"):
        yield from (" ".join(_CODE.sub(" ", part).split()) for part in re.split("&[LCR]", edge.text or ""))


def _is_hidden(item: etree._Element) -> bool:
    return item.get("hidden") in ("1", "true")


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() else 0


def _comments(package: Package, part: str) -> Iterator[tuple[str, str]]:
    root = package.xml_if_there(part)
    for comment in root.iterfind(".//{*}comment") if root is not None else ():
        spoken = set(comment.iterfind(".//{*}rPh/{*}t"))
        texts = (item.text or "" for item in comment.iterfind(".//{*}t") if item not in spoken)
        text = escaping.one_line("".join(texts))
        if text:
            yield comment.get("ref", ""), text


def _boxes(package: Package, part: str) -> Iterator[str]:
    """The paragraphs of text boxes and other shapes above the cells, but of hidden ones."""
    root = package.xml_if_there(part)
    for paragraph in root.iterfind(".//{*}txBody/{*}p") if root is not None else ():
        about = next((shape.find("{*}nvSpPr/{*}cNvPr") for shape in paragraph.iterancestors("{*}sp")), None)
        if about is not None and _is_hidden(about):
            continue
        if text := escaping.one_line("".join(item.text or "" for item in paragraph.iterfind(".//{*}t"))):
            yield text


def _pictures(package: Package, part: str) -> Iterator[bytes]:
    root, related = package.xml_if_there(part), package.related(part)
    for blip in root.iterfind(".//{*}blip") if root is not None else ():
        kind, target = related.get(blip.get(_EMBED, ""), ("", ""))
        if kind == "image" and target in package:
            yield package.read(target)
