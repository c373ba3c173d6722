"""What a sentence or a cell holds that a section may collect: amounts, dates, figures, risks, people."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from stemma_evidence import Claim, claims

from .material import Table
from .terms import terms

DATA = Path(__file__).with_name("data") / "bearing.json"
ADDRESSED = Path(__file__).with_name("data") / "addressed.json"
"""By language the words with which a text turns to the one who writes the document."""
KINDS = {"amount": "amounts", "date": "dates", "quantity": "figures"}
IN_FULL = frozenset({"amounts", "dates"})
"""What a section that collects it leaves nothing of out."""

_UNIT = re.compile(r"[A-Z]{3}(?![A-Za-z])|[€$£¥₣₹]")
_NUMBER = re.compile(r"[-+(]?\d[\d.,'’ \u00a0\u202f]*\)?")
_CJK = ("ja", "zh")


@lru_cache(maxsize=65_536)
def claimed(text: str, language: str) -> tuple[Claim, ...]:
    """The claims of plain words."""
    return claims(text, language)


@lru_cache(maxsize=65_536)
def kinds_of(text: str, language: str) -> frozenset[str]:
    """What plain words hold, by the names of ``collects``."""
    found = {KINDS[claim.kind] for claim in claimed(text, language) if claim.kind in KINDS}
    return frozenset(found | {kind for kind, words in _words(language).items() if _speaks_of(words, text, language)})


def speaks_to_the_writer(text: str, language: str) -> bool:
    """Whether a text turns to its reader, or speaks of what the reader is to write."""
    words = _addressed().get(language, ())
    if language in _CJK:
        return any(word in text for word in words)
    return not set(words).isdisjoint(re.findall(r"\w+", text.casefold()))


@lru_cache(maxsize=1)
def _addressed() -> dict[str, list[str]]:
    return dict(json.loads(ADDRESSED.read_text("utf-8")))


def kinds_of_row(table: Table, row: tuple[str, ...], language: str) -> frozenset[str]:
    """What the cells of a row hold; a bare number is an amount where its head names a currency."""
    found = frozenset[str]().union(*(kinds_of(cell, language) for cell in row))
    money = any(
        _NUMBER.fullmatch(cell.strip()) and _is_money(head, language)
        for head, cell in zip(table.head, row, strict=True)
    )
    return found | {"amounts"} if money else found


@lru_cache(maxsize=4096)
def _is_money(head: str, language: str) -> bool:
    units = _UNIT.findall(head)
    return any(claim.kind == "amount" for unit in units for claim in claims(f"1234 {unit}", language))


def _speaks_of(words: frozenset[str], text: str, language: str) -> bool:
    if language in _CJK:
        return any(word in text for word in words)
    return not words.isdisjoint(terms(text, language))


@lru_cache(maxsize=32)
def _words(language: str) -> dict[str, frozenset[str]]:
    data = json.loads(DATA.read_text("utf-8")).get(language, {})
    if language in _CJK:
        return {kind: frozenset(words) for kind, words in data.items()}
    return {kind: frozenset(term for word in words for term in terms(word, language)) for kind, words in data.items()}
