"""What the cells of a table say of how strictly its rows are demanded, also by a letter that a legend explains."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stemma_languages import Demands

Obligation = Literal["mandatory", "should", "option"]

LONGEST = 40
"""Characters of a cell that is a grade, and of the word that explains a letter."""
WORD = 3
"""Letters of a grade that needs no column that announces it; of a script without spaces, two."""

_LEGEND = re.compile(
    r"(?<![^\W_])(?P<short>[A-Z]{1,3}|[1-5])[\"')\]”“*]{0,3}\s?"
    r"(?:[:=：＝(|–-]|means|stands for|is|bedeutet|steht für|ist|signifie|veut dire|significa|betekent|は|为|表示|代表)"
    r"\s?[\"'“„*]{0,2}(?P<word>[^\W\d_][^\n,;.:()|]{1,40})"
)
_NAMED = re.compile(r"(?<![^\W_])(?P<word>[^\W\d_]{4,20}) \((?P<short>[A-Z])\)")
_EDGES = " \t.,;:!*()[]{}\"'“”„_-–"


@dataclass(frozen=True)
class Graded:
    """What the cells of a row say of it; ``legend``: it only explains a letter."""

    obligation: Obligation | None = None
    legend: bool = False


class Grades:
    """The grades of the tables of a text, with those that its legends name."""

    def __init__(self, words: Demands, text: str) -> None:
        self._words = words
        self._legend = dict(self._legends(text))

    def _legends(self, text: str) -> dict[str, Obligation]:
        found: dict[str, Obligation] = {}
        for pattern in (_LEGEND, _NAMED):
            for match in pattern.finditer(text):
                if grade := self._begins(match["word"]):
                    found.setdefault(match["short"].casefold(), grade)
        return found

    def _begins(self, phrase: str) -> Obligation | None:
        """The grade that an explanation begins with: "mandatory requirement"."""
        words = self._key(phrase).split(" ")
        tries = (" ".join(words[:count]) for count in range(len(words), 0, -1))
        known = self._words.grades
        return next((known[one] for one in tries if one in known and _is_word(one)), None)

    def _key(self, cell: str) -> str:
        return self._words.folded(" ".join(cell.split())).strip(_EDGES)

    def of(self, columns: Sequence[str], cells: Sequence[str]) -> Graded:
        """What a row says of its obligation, by the names of its columns."""
        pairs = enumerate(zip(columns, cells, strict=False))
        found = next((grade for number, (name, cell) in pairs if (grade := self._grade(name, cell, number))), None)
        if found is None:
            return Graded("mandatory" if any(self._is_graded(name) for name in columns[1:]) else None)
        return Graded(found, legend=self._explains(cells))

    def _grade(self, name: str, cell: str, number: int) -> Obligation | None:
        if len(cell) > LONGEST:
            return None
        key, known, heads = self._key(cell), self._words.grades, self._is_graded(name)
        if number and key in self._legend:
            return self._legend[key]
        if key in known and (_is_word(key) or heads):
            return known[key]
        if self._words.ticks.fullmatch(cell.strip().casefold()):
            return known.get(self._key(name)) if _is_word(self._key(name)) else None
        return self._begins(cell) if heads else None

    def _is_graded(self, name: str) -> bool:
        return self._words.graded.fullmatch(self._key(name)) is not None

    def _explains(self, cells: Sequence[str]) -> bool:
        """Whether a row only says what a letter or a word means."""
        first = self._key(cells[0])
        return first in self._legend or first in self._words.grades


def _is_word(key: str) -> bool:
    return len(key) >= WORD or (len(key) > 1 and not key.isascii())
