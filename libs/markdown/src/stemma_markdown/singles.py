"""Single changes of a text, each of which a person may take back: what stands then has every other word of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .blocks import Block, split
from .comparing import match_parts
from .differences import BlockDifference, Passage, SentenceDifference, differences


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
    return single_changes_of(old, new, differences(old, new, language))


def single_changes_of(old: str, new: str, blocks: Iterable[BlockDifference]) -> tuple[SingleChange, ...]:
    """The same of two texts whose blocks are compared already."""
    return tuple(_single_changes(old, new, blocks))


def without(new: str, changes: Collection[SingleChange]) -> str:
    """The newer text without some of its changes."""
    pieces, at = list[str](), 0
    for change in sorted(changes, key=lambda each: (each.start, each.end)):
        pieces += [new[at : change.start], change.removed]
        at = change.end
    return "".join([*pieces, new[at:]])


def _single_changes(old: str, new: str, blocks: Iterable[BlockDifference]) -> Iterator[SingleChange]:
    blocks, lines = list(blocks), _Lines(new)
    places = _places(old, new) if any(block.new is None for block in blocks) else {}
    for block in blocks:
        if block.old is None:
            assert block.new is not None
            yield SingleChange(block.new.start, block.new.end, block.new.line, "", block.new.text)
        elif block.new is None:
            yield _gone(block.old, places[block.old.start], lines)
        else:
            yield from _single_words(block.old, block.new, block.sentences, lines)


def _places(old: str, new: str) -> dict[int, int]:
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


def _single_words(
    old: Block, new: Block, sentences: Sequence[SentenceDifference], lines: _Lines
) -> Iterator[SingleChange]:
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


def replaced(sentences: Sequence[SentenceDifference]) -> Iterator[tuple[Passage | None, Passage | None]]:
    """What is gone and what came in its place, at the words."""
    for sentence in sentences:
        if sentence.words:
            yield from ((word.old, word.new) for word in sentence.words)
        else:
            yield sentence.old, sentence.new
