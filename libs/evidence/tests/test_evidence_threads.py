"""Texts that are read in threads at the same time."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from stemma_evidence.sources.words import content_words, stem
from stemma_testkit.threads import TEXTS, threads_take_turns_often

THREADS = 8
__all__ = ["threads_take_turns_often"]


@pytest.mark.usefixtures("threads_take_turns_often")
def test_a_word_has_the_same_stem_whoever_reads_another_at_the_same_time() -> None:
    stem.cache_clear()
    alone = [content_words(text, "en") for text in TEXTS]
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(10):
            stem.cache_clear()
            assert list(pool.map(lambda text: content_words(text, "en"), TEXTS * 2)) == alone * 2
