"""Threads that take turns as often as they can, and texts for them to read."""

import sys
from collections.abc import Iterator

import pytest

_WORDS = ("librari", "bicycl", "nation", "hous")
TEXTS = [" ".join(f"{word}{letter}ations" for letter in "abcdefghij") for word in _WORDS]


@pytest.fixture
def threads_take_turns_often() -> Iterator[None]:
    """Switch threads every microsecond, as long as a test lasts."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
