"""Passages by what they mean, where a model for that is set: rankings that are joined with those by words."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import hypot
from weakref import WeakKeyDictionary

import numpy
from stemma_evidence import MOST_RANKED
from stemma_models import CallContext
from stemma_models.embedding import BATCH, Embedder, EmbeddingUnavailable
from stemma_telemetry import get_logger

from .passages import Corpus

MOST_PASSAGES = 5_000
MOST_QUERIES = 64
LIMIT_S = 600.0
"""For the vectors of a section, and after a failure until the next try: till then words alone choose passages."""
LONGEST = 2_000
"""Characters of a text: models of this kind read some hundred tokens."""

log = get_logger()


@dataclass
class _Known:
    """The vectors of a corpus, and what was ranked by them."""

    vectors: list[array[float]] = field(default_factory=list)
    ranked: dict[str, list[int]] = field(default_factory=dict)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Nearness:
    """Ranks the passages of each corpus; what was asked is kept as long as the corpus is."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._again_at = 0.0
        self._known: WeakKeyDictionary[Corpus, _Known] = WeakKeyDictionary()

    async def ranked(self, corpus: Corpus, queries: Sequence[str], ctx: CallContext) -> list[list[int]]:
        """For each query the numbers of the nearest passages; none if the model does not answer.

        The meter of ``ctx`` counts what had to be asked: the passages of a corpus only the first time.
        """
        asked = [query[:LONGEST] for query in dict.fromkeys(queries) if query.strip()][:MOST_QUERIES]
        known = self._known.setdefault(corpus, _Known())
        async with known.turn:
            if asyncio.get_running_loop().time() < self._again_at:
                return []
            try:
                async with asyncio.timeout(LIMIT_S):
                    new = [query for query in asked if query not in known.ranked]
                    found = await self._found(known, corpus, new, ctx)
            except (EmbeddingUnavailable, TimeoutError) as error:
                log.warning("embeddings_unavailable", error=str(error) or f"no answer within {LIMIT_S:g} s")
                self._again_at = asyncio.get_running_loop().time() + LIMIT_S
                return []
            known.ranked |= await asyncio.to_thread(_ranked, known.vectors, new, found)
            return [known.ranked[query] for query in asked]

    async def _found(self, known: _Known, corpus: Corpus, new: Sequence[str], ctx: CallContext) -> list[list[float]]:
        """The vectors of new queries; those of the passages are kept as they come, also if a later one fails."""
        texts = ["\n".join((*one.path, one.alone))[:LONGEST] for one in corpus.passages[:MOST_PASSAGES]]
        for at in range(len(known.vectors), len(texts), BATCH):
            known.vectors += map(_of_length_one, await self._vectors(known, texts[at : at + BATCH], ctx))
        return await self._vectors(known, new, ctx) if new else []

    async def _vectors(self, known: _Known, texts: Sequence[str], ctx: CallContext) -> list[list[float]]:
        found = await self._embedder.vectors(texts, ctx)
        if known.vectors and len(found[0]) != len(known.vectors[0]):
            raise EmbeddingUnavailable("vectors of another length than before")
        return found


def _ranked(
    vectors: Sequence[array[float]], queries: Sequence[str], found: Sequence[Sequence[float]]
) -> dict[str, list[int]]:
    if not queries:
        return {}
    near = numpy.array(found, "f") @ numpy.array(vectors, "f").T
    order = numpy.argsort(-near, axis=1, kind="stable")[:, :MOST_RANKED]
    return dict(zip(queries, order.tolist(), strict=True))


def _of_length_one(vector: Sequence[float]) -> array[float]:
    length = hypot(*vector) or 1.0
    return array("f", (one / length for one in vector))
