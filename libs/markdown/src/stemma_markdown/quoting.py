"""Where the words stand that somebody quotes: spaces and line ends count for nothing, and markup need not be quoted."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from .document import Document

MOST_PLACES = 1000
"""Places of one quotation that are compared; a quotation with more of them says little."""
SHORT = 12
"""Fewer letters than this say nothing about which passage was meant, outside of the block that they stood in."""

Source = Callable[[int, int], tuple[int, int]]


class _Place(NamedTuple):
    start: int
    end: int
    shared: int


class _Letters:
    """The letters of some pieces of text in a row, and where each of them stands in the source."""

    def __init__(self, pieces: Iterable[tuple[str, Source]]) -> None:
        held = [(text, source) for text, source in pieces if text.strip()]
        self._sources = [source for _, source in held]
        self._kept = [[place for place, sign in enumerate(text) if not sign.isspace()] for text, _ in held]
        self._starts = list(accumulate(map(len, self._kept), initial=0))
        self.text = "".join(letters(text) for text, _ in held)

    def places(self, wanted: str, before: str) -> Iterator[_Place]:
        """Where letters stand, and how many of those before them are as they were."""
        at, count = self.text.find(wanted) if wanted else -1, 0
        while at >= 0 and count < MOST_PLACES:
            end = self._source(at + len(wanted) - 1)[1]
            yield _Place(self._source(at)[0], end, self._shared(at, before))
            at, count = self.text.find(wanted, at + len(wanted)), count + 1

    def _source(self, letter: int) -> tuple[int, int]:
        number = bisect_right(self._starts, letter) - 1
        at = self._kept[number][letter - self._starts[number]]
        return self._sources[number](at, at + 1)

    def _shared(self, letter: int, before: str) -> int:
        length = 0
        while length < min(len(before), letter) and before[-1 - length] == self.text[letter - 1 - length]:
            length += 1
        return length


class Quotable:
    """A text in which quotations are looked up; it is read once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _read(self) -> _Letters:
        return _Letters((prose.text, prose.source) for prose in Document(self.text).prose)

    @cached_property
    def _written(self) -> _Letters:
        return _Letters([(self.text, lambda start, end: (start, end))])

    @property
    def letters(self) -> str:
        """What quotations are looked up in: its letters as they are read, and in another line as they are written."""
        return f"{self._read.text}\n{self._written.text}"

    def find(self, quote: str, before: str = "", within: tuple[int, int] | None = None) -> tuple[int, int] | None:
        """The range of the text that a quotation stands in, as it is read or as it is written; None if it does not.

        ``within`` is the range of the block that it stood in, if that is known and still there. ``before`` is what
        stood before it: of several places that one is taken which has most of it. Outside of its block a quotation
        is only found where it is long enough and stands nowhere else, or where the same words stand before it.
        """
        wanted, known = letters(quote), letters(before)
        found = list(self._read.places(wanted, known)) or list(self._written.places(wanted, known))
        if within is not None:
            inside = [place for place in found if within[0] <= place.start < within[1]]
            alone = len(found) == 1 and len(wanted) >= SHORT
            found = inside or [place for place in found if alone or place.shared >= SHORT]
        best = max(found, key=lambda place: place.shared, default=None)
        return (best.start, best.end) if best else None


def letters(text: str) -> str:
    """What of a quotation counts: all but white space."""
    return "".join(text.split())
