"""Amounts of money in the material. Nothing here makes up a figure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .material import Unit
from .tables import Table

_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}
_NAMES = (
    (r"\bEUR\b|\beuros?\b", "EUR"),
    (r"\bUSD\b|\bdollars?\b", "USD"),
    (r"\bGBP\b|\bpounds sterling\b", "GBP"),
    (r"\bCHF\b|\bfrancs?\b", "CHF"),
)
_HEADER = re.compile(r"amount|costs?|price|total|sum|fee|budget|eur\b|usd\b|gbp\b|[€$£]", re.I)
_TOTAL = re.compile(r"^(?:grand |sub-?)?total|^sum\b", re.I)
_FIGURE = re.compile(r"\d[\d.,'’   ]*\d|\d")
USUAL_CURRENCY = "EUR"


@dataclass(frozen=True)
class Cost:
    """One line of costs as the material has it."""

    item: str
    basis: str
    amount: float


@dataclass(frozen=True)
class CostTable:
    """The table of costs in the material, and where it stands."""

    unit: Unit
    costs: tuple[Cost, ...]

    @property
    def total(self) -> float:
        return round(sum(cost.amount for cost in self.costs), 2)

    @property
    def has_total(self) -> bool:
        return bool(self.unit.table and any(_TOTAL.match(row[0]) for row in self.unit.table.rows))


def find_costs(units: Iterable[Unit]) -> CostTable | None:
    """The table with the most priced items, or None if the material prices nothing item by item."""
    found = [CostTable(unit, costs) for unit in units if unit.table and len(costs := _costs(unit.table)) > 1]
    return max(found, key=lambda table: len(table.costs), default=None)


def _costs(table: Table) -> tuple[Cost, ...]:
    column = _money_column(table)
    if column is None:
        return ()
    others = [index for index in range(1, len(table.header)) if index != column]
    rows = [(row, read_amount(row[column])) for row in table.rows if not _TOTAL.match(row[0])]
    return tuple(
        Cost(row[0], "; ".join(row[index] for index in others[:2] if row[index]), amount)
        for row, amount in rows
        if amount is not None and row[0]
    )


def _money_column(table: Table) -> int | None:
    columns = list(zip(*table.rows, strict=True))
    for index in range(1, len(table.header)):
        priced = sum(any(sign in cell for sign in _SIGNS) for cell in columns[index])
        numeric = sum(read_amount(cell) is not None for cell in columns[index])
        if priced * 2 > len(table.rows) or (_HEADER.search(table.header[index]) and numeric * 2 > len(table.rows)):
            return index
    return None


def read_amount(text: str) -> float | None:
    """The amount in a cell: ``€15,800``, ``1.250,50 €``, ``12 000``; None if there is not exactly one."""
    figures = _FIGURE.findall(text)
    if len(figures) != 1:
        return None
    digits = re.sub(r"['’   ]", "", figures[0])
    whole, mark, rest = _split_decimals(digits)
    return float(re.sub(r"[.,]", "", whole) + (f".{rest}" if mark else ""))


def _split_decimals(digits: str) -> tuple[str, str, str]:
    last = max(digits.rfind("."), digits.rfind(","))
    both = "." in digits and "," in digits
    if last < 0 or (not both and (len(digits) - last - 1 == 3 or digits.count(digits[last]) > 1)):
        return digits, "", ""
    return digits[:last], digits[last], digits[last + 1 :]


def amounts_in(texts: Iterable[str]) -> list[str]:
    """The amounts with a currency sign, as they are written."""
    return [match.strip(" .,") for text in texts for match in re.findall(r"[€$£¥]\s?\d[\d.,]*|\d[\d.,]*\s?€", text)]


def currency_of(texts: Iterable[str]) -> str:
    """The ISO 4217 code of the currency that the texts use most."""
    whole = " ".join(texts)
    counts = {code: whole.count(sign) for sign, code in _SIGNS.items()}
    for pattern, code in _NAMES:
        counts[code] = counts.get(code, 0) + len(re.findall(pattern, whole, re.I))
    best = max(counts, key=lambda code: (counts[code], code == USUAL_CURRENCY))
    return best if counts[best] else USUAL_CURRENCY


def sum_sentence(table: CostTable, currency: str) -> str:
    """The sum of the items in words."""
    sign = {code: sign for sign, code in _SIGNS.items()}.get(currency, f"{currency} ")
    return f"The {len(table.costs)} items add up to {sign}{table.total:,.2f}".removesuffix(".00") + "."
