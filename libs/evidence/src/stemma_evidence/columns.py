"""Units that stand in the head of a column, and hold for the bare numbers below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from .lexicon import currency_codes
from .measures import Measure, measure
from .numerals import Numeral
from .vocabulary import PREFIXED_CURRENCIES

_LEADS = re.compile(r"[(\[/,_]\s*|(?<!\w)(?:in|en|em)\s+|(?<=[a-z])(?=[€$£])", re.IGNORECASE)
_START = re.compile(r"(?<![^\W_])[^\W_]|[€$£¥]")
_DELIMITER = re.compile(r"[ >]{0,12}\|?[ ]{0,20}:?-{1,200}:?[ ]{0,20}(?:\|[-: |]{0,2000})?$")
_LONGEST = 80
_COMMON = frozenset("EUR USD GBP CHF JPY CNY KRW INR CAD AUD NZD BRL MXN DKK NOK PLN CZK HUF ZAR SGD HKD TWD".split())
"""Codes that are no words, so that they may stand in small letters; ``all`` and ``top`` are currencies as well."""
_ORDERING = frozenset("abcdef")
"""Letters that tell one from another, as in ``plan_b``, where they could be a unit."""


@lru_cache(maxsize=4096)
def unit_of(head: str, language: str) -> str:
    """The currency or unit that the head of a column names, as it is written there; empty if it names none."""
    head = head.strip()[:_LONGEST]
    if "_" in head and len(head.split()) == 1:
        return _in_name(head.split("_"), language)
    head = head.replace("_", " _")
    for start in (match.start() for match in _START.finditer(head)):
        found = _template(head[start:], language)
        if found.currency:
            return head[start : start + found.end - 2]
    for start in (match.end() for match in _LEADS.finditer(head)):
        found = _template(head[start:], language)
        if found.unit:
            return head[start : start + found.end - 2]
    return ""


def _in_name(words: list[str], language: str) -> str:
    """The unit in a name such as ``cost_k_eur``, of which each word stands by itself."""
    for before, word in zip(["", *words], words, strict=False):
        if _is_currency(word, words):
            return _sized(before, word.upper(), language)
    units = (word for word in words[1:] if word.casefold() not in _ORDERING and _template(word, language).unit)
    return next(units, "")


def _sized(before: str, code: str, language: str) -> str:
    """A currency with the word before it, if that is a size; no bare ``b`` is a billion."""
    if len(before) > 1:
        return f"{before} {code}" if _template(f"{before} {code}", language).powers != (0,) else code
    return before + code if before.casefold() in PREFIXED_CURRENCIES else code


def _is_currency(word: str, words: list[str]) -> bool:
    capitals = word in currency_codes() and not "".join(words).isupper()
    return capitals or word.upper() in _COMMON


def under_heads(text: str, found: list[Measure], language: str) -> Iterator[Measure]:
    """The same measures; bare numbers in a Markdown table have the unit of their column, too."""
    heads = dict(_heads(text))
    line_start, line_end, column, counted = 0, -1, 0, 0
    in_table: list[str] | None = None
    for this in found:
        if this.start > line_end:
            line_start = text.rfind("\n", max(0, line_end), this.start) + 1
            line_end = text.find("\n", this.start)
            line_end = len(text) if line_end < 0 else line_end
            in_table, column, counted = heads.get(line_start), 0, line_start
        if in_table and not this.currency and not this.unit:
            column, counted = column + text.count("|", counted, this.start), this.start
            unit = unit_of(in_table[column], language) if column < len(in_table) else ""
            yield _with(this, _template(unit, language)) if unit else this
        else:
            yield this


def _with(this: Measure, of_column: Measure) -> Measure:
    powers = tuple(dict.fromkeys(p + q for p in this.powers for q in (*of_column.powers, 0)))
    return replace(this, currency=of_column.currency, unit=of_column.unit, powers=powers, of_column=True)


def _template(unit: str, language: str) -> Measure:
    return measure(f"1 {unit}", Numeral(0, 1, (Decimal(1),)), language)


def _heads(text: str) -> Iterator[tuple[int, list[str]]]:
    """The heads of the columns for the start of each line of a table."""
    head: list[str] | None = None
    before, position = "", 0
    for line in text.split("\n"):
        if "|" not in line:
            head = None
        elif head is None and "|" in before and _DELIMITER.match(line):
            head = before.split("|")
        elif head is not None:
            yield position, head
        before, position = line, position + len(line) + 1
