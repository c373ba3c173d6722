"""Single changes between two texts, each of which a person may take back: what stands there then has every other word
of the newer text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from .differences import Change, Kind, Piece, changes_of, replaced

if TYPE_CHECKING:
    from stemma_markdown import Block, BlockDifference, SentenceDifference


@dataclass(frozen=True)
class SingleChange:
    """``added`` stands from ``start`` to ``end`` in the newer text, where the older one has ``removed``."""

    start: int
    end: int
    line: int
    removed: str
    added: str

    @property
    def is_blank(self) -> bool:
        """Whether it changes nothing but blanks, which nobody sees."""
        return not (self.removed + self.added).strip()


def single_changes(old: str, new: str, language: str = "en") -> tuple[SingleChange, ...]:
    """The changes that turn the older text into the newer one, in their order; a block that only moved is none."""
    # What reads Markdown takes long to load, and most verbs compare nothing.
    import stemma_markdown

    return tuple(_changes(old, new, stemma_markdown.differences(old, new, language)))


def placed_changes(
    old: str, new: str, language: str = "en"
) -> tuple[tuple[tuple[Change, tuple[Piece | int, ...]], ...], tuple[SingleChange, ...]]:
    """The changes of two texts with the single changes that stand in them, as `placed` has it, and these."""
    import stemma_markdown

    blocks = stemma_markdown.differences(old, new, language)
    singles = tuple(_changes(old, new, blocks))
    return placed(changes_of(blocks), singles), singles


def without(new: str, changes: Collection[SingleChange]) -> str:
    """The newer text without some of its changes."""
    pieces, at = list[str](), 0
    for change in sorted(changes, key=lambda each: (each.start, each.end)):
        pieces += [new[at : change.start], change.removed]
        at = change.end
    return "".join([*pieces, new[at:]])


def _changes(old: str, new: str, blocks: Iterable[BlockDifference]) -> Iterator[SingleChange]:
    places = _places(old, new)
    lines = _Lines(new)
    for block in blocks:
        if block.old is None:
            assert block.new is not None
            yield SingleChange(block.new.start, block.new.end, block.new.line, "", block.new.text)
        elif block.new is None:
            yield _gone(block.old, places[block.old.start], lines)
        else:
            yield from _words(block.old, block.new, block.sentences, lines)


def _places(old: str, new: str) -> dict[int, int]:
    from stemma_markdown import match_parts, split

    before, after = split(old), split(new)
    partners = match_parts([block.content for block in before], [block.content for block in after])
    stands = {number: after[place].end for place, number in partners.items()}
    places, at = {}, 0
    for number, block in enumerate(before):
        places[block.start] = at
        at = stands.get(number, at)
    return places


def _gone(block: Block, at: int, lines: _Lines) -> SingleChange:
    return SingleChange(at, at, lines.number(at), f"{lines.missing_before(at)}{block.content.rstrip()}\n\n", "")


def _words(old: Block, new: Block, sentences: Sequence[SentenceDifference], lines: _Lines) -> Iterator[SingleChange]:
    in_old, in_new = old.start, new.start
    for gone, come in replaced(sentences):
        start = come.start if come else in_new + (gone.start - in_old if gone else 0)
        end = come.end if come else start
        yield SingleChange(start, end, lines.number(start), gone.text if gone else "", come.text if come else "")
        in_old, in_new = gone.end if gone else in_old + start - in_new, end


class _Lines:
    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [found.end() for found in re.finditer("\n", text)]

    def number(self, place: int) -> int:
        """The line, counted from 1, that a place is on."""
        return bisect_right(self._ends, place) + 1

    def missing_before(self, place: int) -> str:
        """The line ends that are missing before a place for a block to begin there."""
        if not place or self._text.endswith("\n\n", 0, place):
            return ""
        return "\n" if self._text.endswith("\n", 0, place) else "\n\n"


def placed(
    changes: Sequence[Change], singles: Sequence[SingleChange]
) -> tuple[tuple[Change, tuple[Piece | int, ...]], ...]:
    """The changes of two texts, in each its words in order, and where a single change stands its number.

    Words that are in no single change, such as those of a block that moved, stand there as they are.
    """
    rest = deque(enumerate(singles))
    return tuple((change, tuple(_numbered(change, rest))) for change in changes)


def _numbered(change: Change, rest: deque[tuple[int, SingleChange]]) -> Iterator[Piece | int]:
    for is_same, pieces in groupby(change.pieces, key=lambda piece: piece.kind is Kind.SAME):
        run = list(pieces)
        numbers = None if is_same else _taken(run, rest)
        yield from run if numbers is None else numbers


def _taken(run: Sequence[Piece], rest: deque[tuple[int, SingleChange]]) -> list[int] | None:
    """The single changes that are these words, taken off the rest; None if they are none."""
    wanted = [_letters(piece.text for piece in run if piece.kind is kind) for kind in (Kind.REMOVED, Kind.ADDED)]
    at = [0, 0]
    for count, (_, single) in enumerate(rest, 1):
        for side, letters in enumerate((_letters([single.removed]), _letters([single.added]))):
            if not wanted[side].startswith(letters, at[side]):
                return None
            at[side] += len(letters)
        if at == [len(letters) for letters in wanted]:
            return [rest.popleft()[0] for _ in range(count)]
    return None


def _letters(texts: Iterable[str]) -> str:
    return "".join("".join(text.split()) for text in texts)
