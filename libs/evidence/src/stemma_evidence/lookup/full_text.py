"""Texts ranked by the words that they share with a query."""

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence

from stemma_evidence.sources.words import content_words

MOST_RANKED = 100
_MOST_QUERY_WORDS = 64
_FEWEST_TO_COUNT, _TOO_COMMON = 40, 0.25
"""Of so many texts, a word that more than this share of them has tells none from the others."""
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")


def query_words(text: str, language: str) -> frozenset[str]:
    """The stems of a text that it is found by."""
    return content_words(_APOSTROPHE.sub(" ", text), language)


Row = tuple[str, tuple[str, str, str]]
"""A language, and three texts in it that weigh more or less."""
Weights = tuple[float, float, float]


class FullText:
    """A table of stems for full-text search: words across inflection, pairs of characters where no spaces stand."""

    def __init__(self, rows: Sequence[Row], weights: Weights) -> None:
        self._languages = sorted({language for language, _ in rows})
        self._weights, self._count = weights, len(rows)
        self._having = Counter[str]()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute("CREATE VIRTUAL TABLE texts USING fts5(first, second, third, tokenize='unicode61')")
        for number, (language, texts) in enumerate(rows):
            words = [query_words(text, language) for text in texts]
            self._having.update(words[0] | words[1] | words[2])
            row = (number, *(" ".join(sorted(each)) for each in words))
            self._database.execute("INSERT INTO texts(rowid, first, second, third) VALUES (?, ?, ?, ?)", row)

    def ranked(self, query: str) -> list[int]:
        """The numbers of the texts that share a telling word with a query, best first."""
        words = {word for language in self._languages for word in query_words(query, language)} & self._having.keys()
        telling = sorted(words, key=lambda word: (self._having[word], word))
        if self._count >= _FEWEST_TO_COUNT:
            telling = [one for one in telling if self._having[one] <= _TOO_COMMON * self._count] or telling
        if not telling:
            return []
        match = " OR ".join(f'"{word}"' for word in telling[:_MOST_QUERY_WORDS])
        found = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts, ?, ?, ?), rowid LIMIT ?"
        return [number for (number,) in self._database.execute(found, [match, *self._weights, MOST_RANKED])]
