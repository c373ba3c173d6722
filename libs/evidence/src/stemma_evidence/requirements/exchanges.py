"""Questions and answers of a text: which of its units ask, and which answer."""

import re
from dataclasses import replace

from stemma_languages import Demands

from .units import Unit

MOST_ASKED = 500
"""Characters that are kept of a question."""
_LABEL = re.compile(r"\s*(?:(?:no\.?|nr\.?|n[°º]|#)?\s*[0-9０-９]{1,3})?[\s*_]*[:：]")
_NUMBERED = re.compile(r"\s*(?:no\.?|nr\.?|n[°º]|#)?\s*[0-9０-９]", re.IGNORECASE)


class Exchanges:
    """The units of a text in their order; ``question`` is what was asked last below the same heading."""

    def __init__(self, words: Demands) -> None:
        self.question = ""
        self._words = words
        self._path: tuple[str, ...] = ()
        self._asks = False

    def answer(self, unit: Unit) -> Unit | None:
        """A unit without the label of an answer, of a row of questions the answer; None for a question."""
        if unit.path != self._path:
            asks = bool(unit.path) and _is_question(self._words, self._words.folded(unit.path[-1]))
            self.question, self._path, self._asks = "", unit.path, asks
        if unit.form == "row":
            return self._answer_of_row(unit)
        folded = self._words.folded(unit.text)
        if (rest := _labelled(self._words.asked, folded)) is not None:
            self.question, self._asks = "", True
        elif (rest := _labelled(self._words.answered, folded)) is not None:
            self._asks = False
        said = unit if rest is None else replace(unit, text=unit.text[rest:].lstrip(" *_"))
        if not self._asks:
            return said
        self.question = f"{self.question} {said.text}".strip()[:MOST_ASKED]
        return None

    def _answer_of_row(self, unit: Unit) -> Unit | None:
        names = [self._words.folded(name) for name in unit.columns]
        asked = next((at for at, name in enumerate(names) if self._words.asked.fullmatch(name)), -1)
        place = next((at for at, name in enumerate(names) if self._words.answered.fullmatch(name)), -1)
        if asked < 0 or place < 0:
            return unit
        self.question, answer = ("".join(unit.cells[at : at + 1]) for at in (asked, place))
        return replace(unit, text=answer, form="sentence", leads=()) if answer else None


def _labelled(label: re.Pattern[str], text: str) -> int | None:
    """Where a label ends that a text begins with; None if it begins with none."""
    found = label.match(text, len(text) - len(text.lstrip(" *_")))
    end = _LABEL.match(text, found.end()) if found else None
    return end.end() if end else None


def _is_question(words: Demands, title: str) -> bool:
    """Whether a heading is that of a single question: "Question 14"."""
    asked = words.asked.match(title)
    return asked is not None and _NUMBERED.match(title, asked.end()) is not None
