"""Words as they are compared: stems, pairs of characters where a script knows no spaces; and which text is nearest.

Sections rank a text by BM25; one text among many is the nearest to a few words that has most of them.
"""

import logging
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import bm25s
import bm25s.stopwords as common
from stemma_evidence import STEMMERS, stem

_COMMON = {
    tag: frozenset(getattr(common, "STOPWORDS_EN_PLUS" if tag == "en" else f"STOPWORDS_{name.upper()}"))
    for tag, name in STEMMERS.items()
}
"""Words that say nothing of what a text is about."""
_CJK = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_CJK}]+|[^\W\d_{_CJK}]{{2,}}|\d+")
_LEAST = 3
"""Letters of a word that says something; shorter ones are articles and the like."""

logging.getLogger("bm25s").setLevel(logging.WARNING)


def terms(text: str, language: str) -> list[str]:
    """The terms of a text in their order."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word[0] >= "\u3041" and not word[0].isdigit():
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        elif word.isdigit() or (len(word) >= _LEAST and word not in _COMMON.get(language, ())):
            found.append(stem(word, language))
    return found


def best(query: Sequence[str], documents: Sequence[Sequence[str]]) -> int | None:
    """The document that fits a query best, the first of equals; none if no term of it stands in any."""
    found = Ranking(documents).scores(query)
    top = max(found, default=0.0)
    return found.index(top) if top > 0 else None


def nearest(wanted: Collection[str], documents: Iterable[Collection[str]], least: int = 1) -> int | None:
    """The document that has most of the wanted terms, the first of equals; none has fewer than half, or ``least``."""
    shared = [len(wanted & set(document)) for document in documents] if (wanted := set(wanted)) else []
    most = max(shared, default=0)
    return shared.index(most) if most >= max(least, len(wanted) / 2) else None


class Ranking:
    """Documents of terms by how well they fit a query."""

    def __init__(self, documents: Iterable[Sequence[str]]) -> None:
        self._documents = [dict.fromkeys(document) for document in documents]
        self._known = {term for document in self._documents for term in document}
        self._index: Any = None
        if self._known:
            self._index = bm25s.BM25()
            self._index.index([list(document) for document in self._documents], show_progress=False)

    def scores(self, query: Sequence[str], least: int = 1) -> list[float]:
        """A score for each document, 0 where fewer terms of the query than ``least`` stand in it."""
        asked = [term for term in dict.fromkeys(query) if term in self._known]
        if self._index is None or not asked:
            return [0.0] * len(self._documents)
        found = zip(self._index.get_scores(asked), self._documents, strict=True)
        return [float(score) if sum(map(document.__contains__, asked)) >= least else 0.0 for score, document in found]
