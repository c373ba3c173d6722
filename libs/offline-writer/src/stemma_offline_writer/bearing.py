"""What a sentence or a cell holds that a section may collect, and what it speaks of.

Claims tell amounts, dates and figures, words risks and people; the words of ``data/bearing.json`` also
join what different languages call a thing.
"""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from stemma_evidence import Claim, claims, in_column

from .material import NO_SPACES, Table
from .terms import terms

DATA = Path(__file__).with_name("data") / "bearing.json"
KINDS = {"amount": "amounts", "date": "dates", "quantity": "figures"}
IN_FULL = frozenset({"amounts", "dates"})
"""What a section that collects it leaves nothing of out."""
BY_WORDS = ("risks", "people")
LAWS = "laws"

_UNDATED = re.compile(r"T.*|\d{4}")
_NUMBERING = re.compile(r"\d{1,2}\.\d{1,2}\.?")
_NEAR = 40
_SHORT_WORD = 4


@lru_cache(maxsize=65_536)
def claimed(text: str, language: str) -> tuple[Claim, ...]:
    """The claims of plain words that a section may collect; an hour, the date of a law and a bare year are none."""
    found = (claim for claim in claims(text, language) if claim.kind in KINDS)
    return tuple(claim for claim in found if claim.kind != "date" or _says_when(text, claim, language))


def _says_when(text: str, claim: Claim, language: str) -> bool:
    """Whether a date says when: no law is named right before it, with but its number and short words between."""
    if _UNDATED.fullmatch(claim.values[0]) or _NUMBERING.fullmatch(claim.text):
        return False
    before = text[max(0, claim.start - _NEAR) : claim.start]
    ends = [law.end() for law in _laws(language).finditer(before)]
    return not ends or any(word[:1].islower() and len(word) > _SHORT_WORD for word in before[ends[-1] :].split())


@lru_cache(maxsize=16)
def _laws(language: str) -> re.Pattern[str]:
    words = "|".join(map(re.escape, _words(LAWS, language))) or r"(?!)"
    behind = r"(?=[》」）]?[（(][^（）()]*$)" if language in NO_SPACES else r"\b"
    return re.compile(f"(?:{words}){behind}", re.IGNORECASE)


@lru_cache(maxsize=65_536)
def kinds_of(text: str, language: str) -> frozenset[str]:
    """What plain words hold, by the names of ``collects``."""
    found = {KINDS[claim.kind] for claim in claimed(text, language)}
    return frozenset(found | {kind for kind in BY_WORDS if _speaks_of(kind, text, language)})


def kinds_of_row(table: Table, row: tuple[str, ...]) -> frozenset[str]:
    """What the cells of a row hold under their heads: a bare number is an amount where its head names a currency."""
    cells = (in_column(cell, head, table.place.language) for head, cell in zip(table.head, row, strict=True))
    return frozenset[str]().union(*(kinds_of(cell, table.place.language) for cell in cells))


def named_kinds(words: str, language: str) -> frozenset[str]:
    """What words speak of, by the names of ``collects``, whether or not they state any of it."""
    return things_of(words, language) & {*IN_FULL, *BY_WORDS}


@lru_cache(maxsize=65_536)
def things_of(words: str, language: str) -> frozenset[str]:
    """What words speak of, by the names of ``data/bearing.json``."""
    things = (thing for thing in _data().get(language, ()) if thing != LAWS)
    return frozenset(thing for thing in things if _speaks_of(thing, words, language))


def related(things: Iterable[str], language: str) -> list[str]:
    """The terms of a language for things."""
    return [term for thing in sorted(things) for word in _words(thing, language) for term in terms(word, language)]


def _speaks_of(thing: str, text: str, language: str) -> bool:
    if language in NO_SPACES:
        return any(word in text for word in _words(thing, language))
    return not _stems(thing, language).isdisjoint(terms(text, language))


@lru_cache(maxsize=1)
def _data() -> dict[str, dict[str, list[str]]]:
    return dict(json.loads(DATA.read_text("utf-8")))


def _words(thing: str, language: str) -> list[str]:
    return _data().get(language, {}).get(thing, [])


@lru_cache(maxsize=256)
def _stems(thing: str, language: str) -> frozenset[str]:
    return frozenset(term for word in _words(thing, language) for term in terms(word, language))
