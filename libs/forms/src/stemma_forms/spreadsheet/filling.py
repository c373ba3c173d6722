"""Answers written into the cells of a sheet; nothing else of its part changes."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from lxml import etree
from stemma_ooxml import serialize_xml

from stemma_forms.field import Field, Kind, as_date, chosen, is_checked, is_number
from stemma_forms.words import CHECKED, CROSS, boxes, mentions, with_checked

from .finding import CellSpot
from .workbook import Place, S, Sheet, Workbook, read_place

_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
# Excel reads _x000A_ in a string as the character of that number.
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_AFTER_CALCULATION = ("oleSize", "customWorkbookViews", "pivotCaches", "smartTagPr", "smartTagTypes", "webPublishing",
                      "fileRecoveryPr", "webPublishObjects", "extLst")  # fmt: skip
_FIRST_DAY, _FIRST_DAY_OF_1904 = date(1899, 12, 30), date(1904, 1, 1)


def fill_workbook(workbook: Workbook, answers: Iterable[tuple[Field, CellSpot, str]]) -> dict[str, bytes]:
    """The parts that change: sheets with answers, and the workbook if its formulas must be worked out again."""
    rows: dict[str, _Rows] = {}
    for field, spot, answer in answers:
        if spot.sheet.part not in rows:
            rows[spot.sheet.part] = _Rows(spot.sheet)
        for place, text in _written(spot, field, answer):
            _write(workbook, rows[spot.sheet.part], place, field, text)
    changed = {part: serialize_xml(each.sheet.root) for part, each in rows.items()}
    if changed and workbook.has_formulas:
        _calculate_on_load(workbook.root)
        changed[workbook.package.main] = serialize_xml(workbook.root)
    return changed


def _written(spot: CellSpot, field: Field, answer: str) -> Iterator[tuple[Place, str]]:
    """What goes into which cell: a cross into one of several, the text of a cell with a box of it checked."""
    text = spot.sheet.text(spot.place)
    if spot.crosses:
        meant = chosen(field, answer)
        yield from ((p, CHECKED if spot.sheet.text(p).strip() else CROSS) for head, p in spot.crosses if head == meant)
    elif drawn := boxes(text):
        meant = chosen(field, answer) if len(drawn) > 1 else drawn[0].label if is_checked(answer) else None
        yield spot.place, with_checked(text, meant or "")
    else:
        yield spot.place, answer


class _Rows:
    """The rows and cells of a sheet by their places; what is missing is made where it belongs."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        data = sheet.root.find(f"{S}sheetData")
        self._data = etree.SubElement(sheet.root, f"{S}sheetData") if data is None else data
        self._rows = {int(row.get("r", "0")): row for row in self._data.iter(f"{S}row")}
        self._cells = {p: c for c in self._data.iter(f"{S}c") if (p := read_place(c.get("r", "")))}

    def cell(self, place: Place) -> etree._Element:
        if place not in self._cells:
            row = self._row(place.row)
            cell = etree.Element(f"{S}c", {"r": str(place), **self._style(row, place.column)})
            row.insert(sum(1 for c in row.iter(f"{S}c") if _column(c) < place.column), cell)
            self._cells[place] = cell
        return self._cells[place]

    def _row(self, number: int) -> etree._Element:
        if number not in self._rows:
            row = etree.Element(f"{S}row", {"r": str(number)})
            self._data.insert(sum(1 for other in self._rows if other < number), row)
            self._rows[number] = row
        return self._rows[number]

    def _style(self, row: etree._Element, column: int) -> dict[str, str]:
        """The style that Excel shows in a cell that has none: that of its row, else that of its column."""
        if row.get("s") and row.get("customFormat") in ("1", "true"):
            return {"s": row.get("s", "0")}
        columns = self.sheet.root.iter(f"{S}col")
        own = [c for c in columns if int(c.get("min", "0")) <= column <= int(c.get("max", "0")) and c.get("style")]
        return {"s": own[0].get("style", "0")} if own else {}


def _column(cell: etree._Element) -> int:
    place = read_place(cell.get("r", ""))
    return place.column if place else 0


def _write(workbook: Workbook, rows: _Rows, place: Place, field: Field, answer: str) -> None:
    cell = rows.cell(place)
    for child in list(cell):
        cell.remove(child)
    cell.attrib.pop("t", "")
    if not answer:
        return
    number = _number(workbook, cell, field, answer)
    if number is None:
        _write_text(cell, _answer(field, answer))
    else:
        etree.SubElement(cell, f"{S}v").text = number


def _answer(field: Field, answer: str) -> str:
    return (chosen(field, answer) or answer) if field.kind is Kind.CHOICE else answer


def _number(workbook: Workbook, cell: etree._Element, field: Field, answer: str) -> str | None:
    """What Excel stores for a number, a number among choices, or a day in a cell that shows days."""
    counts = mentions(field.column, "price") or mentions(field.column, "quantity")
    if (counts or field.kind in (Kind.NUMBER, Kind.CHOICE)) and is_number(answer):
        return answer.strip().removeprefix("+")
    day = as_date(answer) if field.kind is Kind.DATE else None
    if day is None or not workbook.style(int(cell.get("s", "0"))).shows_date:
        return None
    first = _FIRST_DAY_OF_1904 if workbook.counts_from_1904 else _FIRST_DAY
    return str((day - first) // timedelta(days=1))


def _write_text(cell: etree._Element, text: str) -> None:
    """The text as a string of its own, which no formula is, whatever its first character."""
    cell.set("t", "inlineStr")
    held = etree.SubElement(etree.SubElement(cell, f"{S}is"), f"{S}t")
    held.text = _ESCAPE.sub("_x005F_", text)
    if text != text.strip() or "\n" in text:
        held.set(_SPACE, "preserve")


def _calculate_on_load(root: etree._Element) -> None:
    """Formulas that read answers are worked out when the file is opened; what they last gave is out of date."""
    calculation = root.find(f"{S}calcPr")
    if calculation is None:
        calculation = etree.Element(f"{S}calcPr")
        after = [child for child in root if etree.QName(child).localname in _AFTER_CALCULATION]
        root.insert(root.index(after[0]) if after else len(root), calculation)
    calculation.set("fullCalcOnLoad", "1")
