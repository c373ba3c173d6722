"""The inputs of a document as a searchable corpus in memory."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .markdown import ImageUse, Passage, SourceDocument

_WORD = re.compile(r"\w{2,}")
MAX_QUERY_WORDS = 64


@dataclass(frozen=True)
class Image:
    name: str
    alt: str


class Corpus:
    """Passages of all inputs, found by BM25; images that the inputs refer to and that were supplied."""

    def __init__(self, documents: Sequence[SourceDocument], supplied: Iterable[str]) -> None:
        self.passages = [passage for document in documents for passage in document.passages]
        self._order = {passage: number for number, passage in enumerate(self.passages)}
        self.images = _known_images(documents, frozenset(supplied))
        self._index = _index(self.passages) if self.passages else None
        self.size = sum(len(passage.text) for passage in self.passages)
        """Characters of all passages."""

    def search(self, query: str) -> list[Passage]:
        """The passages that share a word with the query, best first."""
        words = dict.fromkeys(_WORD.findall(query.lower()))
        if not words or self._index is None:
            return []
        match = " OR ".join(f'"{word}"' for word in list(words)[:MAX_QUERY_WORDS])
        rows = self._index.execute(
            "SELECT rowid FROM passage WHERE passage MATCH ? ORDER BY bm25(passage, 2, 1)", [match]
        )
        return [self.passages[number] for (number,) in rows]

    def select(self, query: str, limit: int) -> list[Passage]:
        """All passages if they fit into ``limit`` characters, else the best for the query; in reading order."""
        if self.size <= limit:
            return self.passages
        return sorted(_fitting(self.search(query) + self.passages, limit), key=self._order.__getitem__)


def _index(passages: Sequence[Passage]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute("CREATE VIRTUAL TABLE passage USING fts5(heading, text, tokenize='porter unicode61')")
    rows = ((number, p.heading, p.text) for number, p in enumerate(passages))
    index.executemany("INSERT INTO passage(rowid, heading, text) VALUES (?, ?, ?)", rows)
    return index


def _fitting(passages: Iterable[Passage], limit: int) -> list[Passage]:
    chosen: dict[Passage, None] = {}
    for passage in passages:
        if passage not in chosen and len(passage.text) <= limit:
            limit -= len(passage.text)
            chosen[passage] = None
    return list(chosen)


def _known_images(documents: Iterable[SourceDocument], supplied: frozenset[str]) -> tuple[Image, ...]:
    uses: list[ImageUse] = [use for document in documents for use in document.images if use.name in supplied]
    return tuple({use.name: Image(use.name, " ".join(use.alt.split())) for use in reversed(uses)}.values())[::-1]
