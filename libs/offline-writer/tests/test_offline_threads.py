"""Texts that are read in threads at the same time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from stemma_offline_writer.terms import _stem, terms

THREADS = 8
WORDS = ("librari", "bicycl", "nation", "hous")
TEXTS = [" ".join(f"{word}{letter}ations" for letter in "abcdefghij") for word in WORDS]


@pytest.fixture
def threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("threads_take_turns_often")
def test_a_word_has_the_same_stem_whoever_reads_another_at_the_same_time() -> None:
    _stem.cache_clear()
    alone = [terms(text, "en") for text in TEXTS]
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(10):
            _stem.cache_clear()
            assert list(pool.map(lambda text: terms(text, "en"), TEXTS * 2)) == alone * 2
