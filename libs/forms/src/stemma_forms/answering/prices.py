"""Prices, quantities and sums of a form, computed from rate sheets."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from stemma_evidence import claims, content_words, in_column

from stemma_forms.field import Field
from stemma_forms.words import mentions, normal

from .facts import Grid
from .labels import alternatives, concepts_in, is_of, is_unit, unit_in

_CENT = Decimal("0.01")
_PERCENT = re.compile(r"(\d{1,2}(?:[.,]\d{1,2})?)\s?%")
_CODE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w./-]{3,}")
_ROW_NUMBER = re.compile(r"\d{1,6}")
Column = Literal["rate", "total", "quantity"]


@dataclass(frozen=True)
class Rate:
    """A row of a rate sheet; ``unit`` and ``currency`` are empty where it says none."""

    item: str
    unit: str
    currency: str
    amount: Decimal | None
    quantity: Decimal | None
    language: str


def rates_of(grids: Iterable[Grid]) -> Iterator[Rate]:
    """The rows of the tables that say what something costs."""
    for grid in grids:
        columns = [column_of(head) for head in grid.head]
        priced = [at for at, column in enumerate(columns) if column == "rate"]
        if not (grid.is_price or grid.has_rates) or len(priced) != 1:
            continue
        for row in grid.rows:
            yield from _rate(grid, columns, priced[0], (*row, *[""] * (len(grid.head) - len(row))))


def _rate(grid: Grid, columns: Sequence[Column | None], at: int, row: tuple[str, ...]) -> Iterator[Rate]:
    words = [i for i, cell in enumerate(row) if i != at and columns[i] is None and any(map(str.isalpha, cell))]
    units = [i for i in words if is_unit(row[i])]
    items = [i for i in words if i not in units and not is_of(grid.head[i], "quantity")]
    number = number_in(row[at], grid.head[at], grid.language)
    if not items or number is None:
        return
    counted = [number_in(row[i], "", grid.language) for i, column in enumerate(columns) if column == "quantity"]
    unit = unit_in(row[units[0]]) if units else unit_in(grid.head[at])
    yield Rate(
        row[items[0]], unit, number[1], number[0], counted[0][0] if counted and counted[0] else None, grid.language
    )


def column_of(head: str) -> Column | None:
    """What stands below a header of a price table."""
    words = normal(head)
    if concepts_in(head) & {"total", "gross", "net"} and not _OF_A_UNIT.search(words):
        return "total"
    if is_of(head, "quantity"):
        return "quantity"
    if _OF_A_UNIT.search(words) or _PRICE.search(words):
        return "rate"
    return "total" if mentions(head, "price") else None


_OF_A_UNIT = re.compile(
    r"\b(?:unit (?:price|cost|rate|value)s?|(?:price|cost) per|rates?|tarifa|tarif|tarief|tariffa|unitaire"
    r"|unit[aá]ri[ao]|eenheidsprijs|\w*satz|(?:einzel|einheits|stück|stunden|tages)preise?)\b|単価|单价|單價"
)
_PRICE = re.compile(r"\b(?:prices?|\w*preise?|precio|prix|prezzo|\w*prijs|preço|\w*tarief)\b")


def number_in(cell: str, head: str, language: str) -> tuple[Decimal, str] | None:
    """The one number of a cell, and its currency if the cell or the header names one; a percentage is none."""
    found = [c for c in claims(in_column(cell, head, language), language) if c.kind in ("amount", "quantity")]
    if not found and cell.strip() in ("0", "1"):  # which by themselves are no claims
        return Decimal(cell.strip()), ""
    if len(found) != 1 or not found[0].numbers or "percent" in found[0].units:
        return None
    currency = found[0].units[0] if found[0].kind == "amount" and found[0].units else ""
    return found[0].numbers[0], currency


def prices(fields: Sequence[Field], rates: Sequence[Rate], language: str) -> dict[str, str]:
    """Answers to the fields of price tables: quantities, rates, the totals of rows, and sums of those.

    A sum is made if every row has a total from here, and no other sum stands between them.
    """
    sheet = _Sheet(rates, language)
    # A total is made of the rate that the row has got.
    for field in sorted(fields, key=lambda one: column_of(one.column) == "total"):
        if field.column and not sum_of(field):
            sheet.fill_row(field)
    for field in fields:
        if field.column and sum_of(field):
            sheet.fill_sum(field, fields)
    return sheet.found


def numbered(fields: Sequence[Field], grids: Sequence[Grid]) -> dict[str, str]:
    """The cells of rows that have nothing but a number, from a rate sheet with the same columns, row by row.

    A sheet of which the form has no row, or two, for each row answers nothing: a part would be lost, or count twice.
    """
    groups: dict[str, list[tuple[Field, tuple[int, str]]]] = {}
    for one in fields:
        if place := _place_of(one):
            groups.setdefault(one.group, []).append((one, place))
    sheets = [[_by_column(one.head, row) for row in one.rows] for one in grids if one.is_price]
    found = dict[str, str]()
    for group in groups.values():
        places = [place for _, place in group]
        columns = {column for _, column in places}
        same = [rows for rows in sheets if rows and len(columns & rows[0].keys()) > len(columns) // 2]
        if len(columns) > 1 and len(same) == 1 and len({*places}) == len(places):
            found |= _cells_of(same[0], group)
    return found


def _place_of(field: Field) -> tuple[int, str] | None:
    """The number and the column of a field in a row that has nothing but a number."""
    number, column = field.question.removesuffix(f"({field.column})").strip(), normal(field.column)
    return (int(number), column) if column and not field.row and _ROW_NUMBER.fullmatch(number) else None


def _by_column(head: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    names = [*map(normal, head)]
    return {name: cell for name, cell in zip(names, row, strict=False) if name and names.count(name) == 1}


def _cells_of(rows: Sequence[dict[str, str]], group: Sequence[tuple[Field, tuple[int, str]]]) -> dict[str, str]:
    if not {number for _, (number, _) in group}.issuperset(range(1, len(rows) + 1)):
        return {}
    cells = {
        one.id: rows[number - 1].get(column, "").strip() for one, (number, column) in group if 0 < number <= len(rows)
    }
    return {name: cell for name, cell in cells.items() if cell}


def sum_of(field: Field) -> str:
    """Which sum a row is for: ``net``, ``vat`` or ``gross``; empty if it is the row of an item."""
    label = " ".join(text for _, text in field.row if any(map(str.isalpha, text)))
    named = concepts_in(label)
    if "gross" in named:
        return "gross"
    if "vat_amount" in named and "total" not in named:
        return "vat"
    return "net" if named & {"total", "net"} else ""


class _Sheet:
    def __init__(self, rates: Sequence[Rate], language: str) -> None:
        self._rates = rates
        self._language = language
        self._rows: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
        self.found: dict[str, str] = {}

    def fill_row(self, field: Field) -> None:
        match column_of(field.column):
            case "quantity":
                rate = self._rate(field)
                if rate and rate.quantity is not None:
                    self.found[field.id] = _plain(rate.quantity)
            case "rate":
                amount = self._amount(field)
                self._rows[field.group, field.row] = "" if amount is None else _money(amount)
                self.found |= {} if amount is None else {field.id: _money(amount)}
            case "total":
                amount, quantity = self._amount(field), self._quantity(field)
                if amount is not None and quantity is not None:
                    self.found[field.id] = _money(amount * quantity)
            case None:
                pass

    def fill_sum(self, field: Field, fields: Sequence[Field]) -> None:
        of_table = [f for f in fields if f.group == field.group and f.column == field.column]
        items = [f for f in of_table if not sum_of(f)]
        sums = [f for f in of_table if sum_of(f) == "net"]
        stated = any(head == f.column for f in of_table for head, _ in f.row)
        whole = items and len(sums) <= 1 and not stated and all(f.id in self.found for f in items)
        if column_of(field.column) != "total" or not whole:
            return
        net = sum((Decimal(self.found[f.id]) for f in items), Decimal(0))
        percent = next((p for f in of_table if sum_of(f) in ("vat", "gross") and (p := _percent(f))), None)
        if sum_of(field) == "net":
            self.found[field.id] = _money(net)
        elif percent is not None:
            tax = (net * percent / 100).quantize(_CENT, ROUND_HALF_UP)
            self.found[field.id] = _money(tax if sum_of(field) == "vat" else net + tax)

    def _amount(self, field: Field) -> Decimal | None:
        """What one unit costs: as the row says or was answered, or as the rate sheet does."""
        if (answered := self._rows.get((field.group, field.row))) is not None:
            return Decimal(answered) if answered else None
        for head, text in field.row:
            if column_of(head) == "rate" and (stated := number_in(text, head, self._language)):
                return stated[0]
        rate = self._rate(field)
        return rate.amount if rate else None

    def _quantity(self, field: Field) -> Decimal | None:
        cells = [number_in(text, "", self._language) for head, text in field.row if column_of(head) == "quantity"]
        if cells:
            return cells[0][0] if cells[0] else None
        rate = self._rate(field)
        return rate.quantity if rate else None

    def _rate(self, field: Field) -> Rate | None:
        """The one rate for the item of a row, in its unit and its currency."""
        fitting = [rate for rate in self._rates if self._is_for(rate, field)]
        return fitting[0] if len({(rate.amount, rate.currency, rate.unit) for rate in fitting}) == 1 else None

    def _is_for(self, rate: Rate, field: Field) -> bool:
        texts = [(head, text) for head, text in field.row if column_of(head) is None and any(map(str.isalpha, text))]
        units = {unit_in(text) for _, text in texts if is_unit(text)}
        units = units or {unit for unit in [unit_in(field.column)] if unit}
        currency = next(
            (c for head in (field.column, *(h for h, _ in field.row)) if (c := currency_of(head, self._language))), ""
        )
        if (units and rate.unit and rate.unit not in units) or (
            currency and rate.currency and currency != rate.currency
        ):
            return False
        return any(_same_item(rate, name) for _, text in texts for name in alternatives(text))


def _same_item(rate: Rate, text: str) -> bool:
    """Whether two items have the same words; one with the same code of an article may be described at more length."""
    ours, theirs = content_words(rate.item, rate.language), content_words(text, rate.language)
    codes = {code.casefold() for code in _CODE.findall(rate.item)}
    coded = bool(codes) and codes == {code.casefold() for code in _CODE.findall(text)}
    return bool(ours) and (ours == theirs or (coded and (ours <= theirs or theirs <= ours)))


def currency_of(head: str, language: str) -> str:
    """The currency that a header names."""
    found = number_in("1", head, language)
    return found[1] if found else ""


def _percent(field: Field) -> Decimal | None:
    texts = [text for _, text in field.row if _PERCENT.search(text)]
    found = _PERCENT.search(texts[0]) if texts else None
    return Decimal(found[1].replace(",", ".")) if found else None


def _money(amount: Decimal) -> str:
    return format(amount.quantize(_CENT, ROUND_HALF_UP), "f")


def _plain(number: Decimal) -> str:
    return format(number.normalize(), "f")
