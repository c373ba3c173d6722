"""What changed from one text to another: blocks, sentences in them, words in these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Indel

from .blocks import Block, split
from .matching import ALIKE, in_order, match_parts
from .units import Passage, units

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

    Blank lines after blocks are not compared. ``language`` is the BCP 47 tag of both texts.
    """
    return tuple(_blocks(split(old), split(new), language))


def _blocks(old: Sequence[Block], new: Sequence[Block], language: str) -> Iterator[BlockDifference]:
    partners = match_parts([block.content for block in old], [block.content for block in new])
    stayed = in_order(partners.values())
    kept = set(partners.values())
    gone = [number for number in range(len(old)) if number not in kept]
    told = 0
    for number, block in enumerate(new):
        before = partners.get(number)
        while before in stayed and told < len(gone) and gone[told] < before:
            yield BlockDifference("removed", old[gone[told]], None)
            told += 1
        if before is None:
            yield BlockDifference("added", None, block)
        else:
            yield from _pair(old[before], block, before not in stayed, language)
    yield from (BlockDifference("removed", old[number], None) for number in gone[told:])


def _pair(old: Block, new: Block, moved: bool, language: str) -> Iterator[BlockDifference]:
    if old.content != new.content:
        yield BlockDifference("changed", old, new, moved, tuple(_sentences(old, new, language)))
    elif moved:
        yield BlockDifference("moved", old, new, moved)


def _sentences(old: Block, new: Block, language: str) -> Iterator[SentenceDifference]:
    before, after = units(old, language), units(new, language)
    for removed, added in _runs([unit.text for unit in before], [unit.text for unit in after]):
        yield from _replaced(before[slice(*removed)], after[slice(*added)])


def _replaced(removed: list[Passage], added: list[Passage]) -> Iterator[SentenceDifference]:
    """Pairs in order those that are alike; what is left was added or removed."""
    at = 0
    for old in removed:
        ahead = range(at, min(at + _LOOK_AHEAD, len(added)))
        partner = next((place for place in ahead if _alike(old.text, added[place].text)), None)
        if partner is None:
            yield SentenceDifference("removed", old, None)
            continue
        yield from (SentenceDifference("added", None, unit) for unit in added[at:partner])
        yield SentenceDifference("changed", old, added[partner], tuple(_words(old, added[partner])))
        at = partner + 1
    yield from (SentenceDifference("added", None, unit) for unit in added[at:])


def _alike(one: str, other: str) -> bool:
    return Indel.normalized_similarity(_WORD.findall(one), _WORD.findall(other)) >= ALIKE


def _words(old: Passage, new: Passage) -> Iterator[WordDifference]:
    before, after = _WORD.findall(old.text), _WORD.findall(new.text)
    for removed, added in _runs(before, after):
        gone, come = _passage(old, before, *removed), _passage(new, after, *added)
        yield WordDifference("changed" if gone and come else "removed" if gone else "added", gone, come)


def _passage(whole: Passage, parts: list[str], first: int, last: int) -> Passage | None:
    if first == last:
        return None
    start = whole.start + sum(map(len, parts[:first]))
    text = "".join(parts[first:last])
    return Passage(text, start, start + len(text))


def _runs(old: list[str], new: list[str]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The ranges that differ, as few and as short as can be: what was there, and what took its place."""
    gone, come = (0, 0), (0, 0)
    for code in [*Indel.opcodes(old, new), None]:
        if code is not None and code.tag != "equal":
            gone = (gone[0], code.src_end)
            come = (come[0], code.dest_end)
            continue
        if gone[0] < gone[1] or come[0] < come[1]:
            yield gone, come
        if code is not None:
            gone, come = (code.src_end,) * 2, (code.dest_end,) * 2
