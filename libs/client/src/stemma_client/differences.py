"""What differs between two texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

_WORD = re.compile(r"\S+|\s+")
# Above this, difflib may pass over words that are very frequent: the result is coarser and comes in time.
_EXACT_WORDS = 4_000


class Kind(StrEnum):
    """Whether a piece of text is in both texts, or only in one."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True)
class Piece:
    """Some words that are all of one kind."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Change:
    """Lines that differ: where they begin in either text (the first line is 1), and their words in order."""

    old_line: int
    new_line: int
    pieces: tuple[Piece, ...]

    def words(self, kind: Kind) -> int:
        """How many words of it are of a kind."""
        return sum(len(piece.text.split()) for piece in self.pieces if piece.kind is kind)


def differences(old: str, new: str) -> tuple[Change, ...]:
    """The changes that turn one text into the other, in their order."""
    a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    return tuple(
        Change(a_from + 1, b_from + 1, tuple(_pieces("".join(a[a_from:a_to]), "".join(b[b_from:b_to]))))
        for tag, a_from, a_to, b_from, b_to in SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        if tag != "equal"
    )


def _pieces(old: str, new: str) -> Iterator[Piece]:
    a, b = _WORD.findall(old), _WORD.findall(new)
    # Spaces alone are no reason to say that two passages have something in common.
    matcher = SequenceMatcher(str.isspace, a, b, autojunk=max(len(a), len(b)) > _EXACT_WORDS)
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        removed, added = "".join(a[a_from:a_to]), "".join(b[b_from:b_to])
        yield from [Piece(Kind.SAME, removed)] if tag == "equal" else _replaced(removed, added)


def _replaced(removed: str, added: str) -> Iterator[Piece]:
    """The space that both begin or end with is in both texts."""
    before = _common(removed[: len(removed) - len(removed.lstrip())], added)
    removed, added = removed.removeprefix(before), added.removeprefix(before)
    after = _common(removed[len(removed.rstrip()) :], added, at_end=True)
    pieces = (
        Piece(Kind.SAME, before),
        Piece(Kind.REMOVED, removed.removesuffix(after)),
        Piece(Kind.ADDED, added.removesuffix(after)),
        Piece(Kind.SAME, after),
    )
    yield from (piece for piece in pieces if piece.text)


def _common(space: str, text: str, *, at_end: bool = False) -> str:
    return space if (text.endswith(space) if at_end else text.startswith(space)) else ""
