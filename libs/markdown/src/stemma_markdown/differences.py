"""What changed from one text to another: blocks, sentences in them, words in these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from .blocks import Block, split
from .comparing import Comparisons, are_comparable, in_order, match_parts
from .document import Document

_LINE = re.compile(r".*?(?:\r\n|\r|\n)|.+", re.DOTALL)


@dataclass(frozen=True)
class Passage:
    """A part of a text, and its range in that text."""

    text: str
    start: int
    end: int


def units(block: Block, language: str) -> list[Passage]:
    """A block cut after each sentence, cell or line of code: without a gap, so that no change is lost."""
    if block.kind in ("code", "html", "definition", "front_matter", "blank"):
        return lines(block)
    content = block.content
    bounds = sorted({0, *_bounds(content, language), len(content)})
    return [_passage(content, block.start, *bound) for bound in pairwise(bounds)]


def lines(block: Block) -> list[Passage]:
    """A block cut after each line."""
    content = block.content
    return [_passage(content, block.start, *found.span()) for found in _LINE.finditer(content)]


def _passage(content: str, first: int, start: int, end: int) -> Passage:
    return Passage(content[start:end], first + start, first + end)


def _whole(block: Block) -> Passage:
    return _passage(block.content, block.start, 0, len(block.content))


def _bounds(content: str, language: str) -> Iterator[int]:
    document = Document(content)
    pieces = [(piece.start, piece.end) for piece in document.prose if piece.kind != "paragraph"]
    ranges = sorted([*pieces, *((one.start, one.end) for one in document.sentences(language))])
    for (_, end), (start, _) in pairwise(ranges):
        yield _bound(content, end, start)


def _bound(text: str, end: int, start: int) -> int:
    between = text[end:start]
    line_end = max(between.rfind("\n"), between.rfind("\r"))
    if line_end >= 0:
        return end + line_end + 1
    return end + between.find(" ") + 1 if " " in between else start


Change = Literal["added", "removed", "changed"]

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]|\d+(?:[.,]\d+)+(?!\w)|(?:(?![\u3040-\u30ff\u3400-\u9fff])\w)+|\s+|.", re.DOTALL
)
_LOOK_AHEAD = 8


@dataclass(frozen=True)
class WordDifference:
    """Words and the spaces between them that were replaced; what is not there on one side is None."""

    change: Change
    old: Passage | None
    new: Passage | None


@dataclass(frozen=True)
class SentenceDifference:
    """A sentence with its markup, or a line of code, that changed; ``words`` tell where, if both sides have it."""

    change: Change
    old: Passage | None
    new: Passage | None
    words: tuple[WordDifference, ...] = ()


@dataclass(frozen=True)
class BlockDifference:
    """A block that changed; ``moved`` is one that stands elsewhere among the others, changed or not."""

    change: Change | Literal["moved"]
    old: Block | None
    new: Block | None
    moved: bool = False
    sentences: tuple[SentenceDifference, ...] = ()


def differences(old: str, new: str, language: str = "en") -> tuple[BlockDifference, ...]:
    """What changed, in the order of the new text; a removed block comes where it stood. Equal texts differ in nothing.

    Blank lines after blocks are not compared. ``language`` is the BCP 47 tag of both texts. Time grows with the length
    of the texts: where long passages differ in too many places to compare word by word, or too many of them differ,
    they count as changed whole.
    """
    if are_comparable((old, new)):
        return tuple(_Differences(language, Comparisons(len(old) + len(new))).of(split(old), split(new)))
    before, after = (Block("paragraph", 0, text, 1, 0, len(text)) for text in (old, new))
    return (_changed(before, after),) if before.content != after.content else ()


def _changed(old: Block, new: Block) -> BlockDifference:
    whole = SentenceDifference("changed", _whole(old), _whole(new))
    return BlockDifference("changed", old, new, sentences=(whole,))


@dataclass(frozen=True)
class _Differences:
    language: str
    comparisons: Comparisons

    def of(self, old: Sequence[Block], new: Sequence[Block]) -> Iterator[BlockDifference]:
        before, after = ([block.content for block in blocks] for blocks in (old, new))
        partners = match_parts(before, after, self.comparisons)
        stayed = in_order(partners.values())
        kept = set(partners.values())
        gone = [number for number in range(len(old)) if number not in kept]
        told = 0
        for number, block in enumerate(new):
            place = partners.get(number)
            while place in stayed and told < len(gone) and gone[told] < place:
                yield BlockDifference("removed", old[gone[told]], None)
                told += 1
            if place is None:
                yield BlockDifference("added", None, block)
            else:
                yield from self._pair(old[place], block, place not in stayed)
        yield from (BlockDifference("removed", old[number], None) for number in gone[told:])

    def _pair(self, old: Block, new: Block, moved: bool) -> Iterator[BlockDifference]:
        if old.content != new.content:
            yield BlockDifference("changed", old, new, moved, tuple(self._sentences(old, new)))
        elif moved:
            yield BlockDifference("moved", old, new, moved)

    def _sentences(self, old: Block, new: Block) -> Iterator[SentenceDifference]:
        if not self.comparisons.take(2):
            yield SentenceDifference("changed", _whole(old), _whole(new))
            return
        before, after = units(old, self.language), units(new, self.language)
        for removed, added in self.comparisons.runs([unit.text for unit in before], [unit.text for unit in after]):
            yield from self._replaced(before[slice(*removed)], after[slice(*added)])

    def _replaced(self, removed: list[Passage], added: list[Passage]) -> Iterator[SentenceDifference]:
        at = 0
        words = [_WORD.findall(unit.text) for unit in added]
        for old in removed:
            mine = _WORD.findall(old.text)
            ahead = range(at, min(at + _LOOK_AHEAD, len(added)) if self.comparisons.take(1) else at)
            partner = next((place for place in ahead if self.comparisons.similarity(mine, words[place])), None)
            if partner is None:
                yield SentenceDifference("removed", old, None)
                continue
            yield from (SentenceDifference("added", None, unit) for unit in added[at:partner])
            changed = tuple(self._words(_Words(old, mine), _Words(added[partner], words[partner])))
            yield SentenceDifference("changed", old, added[partner], changed)
            at = partner + 1
        yield from (SentenceDifference("added", None, unit) for unit in added[at:])

    def _words(self, old: _Words, new: _Words) -> Iterator[WordDifference]:
        for removed, added in self.comparisons.runs(old.words, new.words):
            gone, come = old.passage(*removed), new.passage(*added)
            yield WordDifference("changed" if gone and come else "removed" if gone else "added", gone, come)


class _Words:
    def __init__(self, whole: Passage, words: list[str]) -> None:
        self.words = words
        self._starts = list(accumulate(map(len, words), initial=whole.start))

    def passage(self, first: int, last: int) -> Passage | None:
        """Some of them; None if they are none."""
        if first == last:
            return None
        return Passage("".join(self.words[first:last]), self._starts[first], self._starts[last])
