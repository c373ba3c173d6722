"""Places in a plain text and in the source that it was read from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple


class Piece(NamedTuple):
    """Plain text, and the range of the source that it stands for; as long as the range if it stands there as it is."""

    text: str
    start: int
    end: int

    def at(self, offset: int) -> int:
        """The place in the source of a character of the piece."""
        return self.start + offset if self.end - self.start == len(self.text) else self.start

    def after(self, offset: int) -> int:
        """The place in the source after a character of the piece."""
        return self.start + offset + 1 if self.end - self.start == len(self.text) else self.end


class Places:
    """Leads from a text that was put together from pieces back to their source."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces = [piece for piece in pieces if piece.text]
        self.text = "".join([piece.text for piece in self.pieces])

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate([len(piece.text) for piece in self.pieces[:-1]], initial=0))

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The range of the source that a range of the text stands for; raises `IndexError` outside of the text."""
        if not 0 <= start <= end <= len(self.text) or not self.pieces:
            raise IndexError(f"{start}:{end} of {len(self.text)} characters")
        if start == end:
            place = self._at(start) if start < len(self.text) else self.pieces[-1].end
            return place, place
        last = bisect_right(self._starts, end - 1) - 1
        return self._at(start), self.pieces[last].after(end - 1 - self._starts[last])

    def cut(self, start: int, end: int) -> list[Piece]:
        """The pieces of a range of the text."""
        result = []
        for index in range(max(0, bisect_right(self._starts, start) - 1), len(self.pieces)):
            begin, piece = self._starts[index], self.pieces[index]
            if begin >= end:
                break
            first, last = max(start - begin, 0), min(end - begin, len(piece.text))
            if first < last:
                result.append(Piece(piece.text[first:last], piece.at(first), piece.after(last - 1)))
        return result

    def _at(self, offset: int) -> int:
        index = bisect_right(self._starts, offset) - 1
        return self.pieces[index].at(offset - self._starts[index])


def aligned(text: str, source: str, start: int, end: int) -> Iterator[Piece]:
    """The pieces of a text that stands in a range of the source, among marks of quotes or cells that are not its own.

    A space may stand for a line end. What comes after a letter that is not there is one piece without exact places.
    """
    if len(text) == end - start:
        yield Piece(text, start, end)
        return
    for number, letter in enumerate(text):
        place = start
        while place < end and not _is(letter, source[place]):
            place += 1
        if place == end:
            yield Piece(text[number:], start, end)
            return
        yield Piece(letter, place, place + 1)
        start = place + 1


def _is(letter: str, sign: str) -> bool:
    return letter == sign or (letter in " \n" and sign in "\r\n")
