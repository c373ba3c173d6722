"""Two texts that were made of one, as one text: merged by blocks, and inside a block that both changed by sentences."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, pairwise
from typing import NamedTuple

from .blocks import Block, split
from .comparing import Comparisons, are_comparable
from .diff3 import MOST_DIFFERING, Merged, Spacing, balanced_diff3, diff3, disputed
from .differences import lines, units
from .lines import BLANK

_LINE_END = re.compile(r"\r\n|\r|\n")
_MARKS = re.compile(r"(?:(?:[-*+>]|#{1,6}|\d{1,9}[.)]) )+|(?:```|~~~).*")
_LETTER = re.compile(r"[^\W_]")


class _Unit(NamedTuple):
    """A sentence with its markup, or a line of a table or of code, and the space behind it."""

    content: str
    gap: str


@dataclass(frozen=True)
class _Cut:
    """Blocks cut into their units; one that stands in several texts is cut once."""

    language: str
    known: dict[tuple[str, str], list[_Unit]] = field(default_factory=dict)

    def __call__(self, block: Block) -> list[_Unit]:
        key = block.kind, block.content
        if (found := self.known.get(key)) is None:
            found = self.known[key] = _units(block, self.language)
        return found


def merge(base: str, ours: str, theirs: str, language: str = "en") -> Merged:
    """Merge two texts that were both made of ``base``; what both changed stays as ``ours`` has it, with a conflict.

    Nothing is merged below a sentence, or a row of a table: no sentence comes out that nobody wrote. None of ours is
    lost that theirs did not remove; none comes back that either side removed, and none is doubled, without a conflict.
    What only one side changed is taken byte for byte, and both sides lead to the same conflicts when they change
    places. ``language`` is the BCP 47 tag of the texts. Where they are too long, or differ in too many lines, all is
    one conflict.
    """
    return _merge(base, ours, theirs, _Cut(language))


def _merge(base: str, ours: str, theirs: str, cut: _Cut) -> Merged:
    if base in (ours, theirs) or ours == theirs:
        return Merged(theirs if base == ours else ours)
    if not are_comparable((base, ours, theirs)):
        return disputed(base, ours, theirs)
    line_end = _LINE_END.search(ours)
    spacing = Spacing(2 * (line_end[0] if line_end else "\n"), _are_two_blocks)
    blocks = split(base), split(ours), split(theirs)
    comparisons = Comparisons(len(base) + len(ours) + len(theirs))
    inside = partial(_merge_block, cut, comparisons)
    # The same text is asked for in each side, in the results and in conflicts.
    sentences = cache(partial(_sentences, cut))
    return balanced_diff3(*blocks, inside, spacing, sentences, comparisons)


def renew(base: str, ours: str, theirs: str, steps: Iterable[tuple[str, str]], language: str = "en") -> Merged:
    """Merge a text that a machine wrote anew with what people made of an earlier one, ``ours``.

    ``base`` is the machine's text before, and ``steps`` are the texts before and after each change of a person, oldest
    first. A sentence that a person wrote is theirs also where the machine had taken it over, so that it stays when the
    machine leaves it out; one that a person deleted does not come back. Where a
    person split a paragraph, what the machine changed in either part is taken. Of texts that are too long, or hold too
    many lines, all is one conflict.
    """
    if theirs in (base, ours):
        return Merged(ours)
    steps = list(steps)
    if _hold_too_much({base, ours, theirs, *chain.from_iterable(steps)}):
        return disputed(base, ours, theirs)
    written, deleted, cut = set[str](), set[str](), _Cut(language)
    for before, after in steps:
        was, now = (frozenset(_sentences(cut, text)) for text in (before, after))
        written, deleted = (written - (was - now)) | (now - was), (deleted - now) | (was - now)
    base = _without(base, written, cut)
    # Of what the base has the merge itself knows that it is deleted, or changed.
    deleted -= {*_sentences(cut, base), *_sentences(cut, ours)}
    theirs = _without(theirs, deleted, cut)
    breaks = _breaks(base, ours, cut)
    if breaks:
        known = frozenset(_sentences(cut, base))
        base, theirs = (_broken(text, breaks, known, cut) for text in (base, theirs))
    return _merge(base, ours, theirs, cut)


def _hold_too_much(texts: Collection[str]) -> bool:
    if not are_comparable(texts):
        return True
    contents = {block.content for text in texts for block in split(text)}
    return sum(len(content.splitlines()) for content in contents) > MOST_DIFFERING


def _breaks(base: str, ours: str, cut: _Cut) -> frozenset[tuple[str, str]]:
    """Where a paragraph was split: the sentences before and after each place."""
    before = [_said_in(block, cut) for block in split(base) if block.kind == "paragraph"]
    after = [_said_in(block, cut) for block in split(ours) if block.kind == "paragraph"]
    neighbours = {pair for said in before for pair in pairwise(said)}
    return frozenset((one[-1], other[0]) for one, other in pairwise(after)) & neighbours


def _said_in(block: Block, cut: _Cut) -> list[str]:
    return [_said(unit) for unit in cut(block)] or [""]


def _broken(text: str, breaks: Collection[tuple[str, str]], known: Collection[str], cut: _Cut) -> str:
    """A text whose paragraphs are split at the same places, also where a sentence there is another one now."""
    lasts, firsts = {one for one, _ in breaks}, {other for _, other in breaks}

    def is_split(one: str, other: str) -> bool:
        changed = (one in lasts and other not in known) or (other in firsts and one not in known)
        return (one, other) in breaks or changed

    def parted(block: Block) -> str:
        units = cut(block) if block.kind == "paragraph" else []
        splits = [is_split(_said(one), _said(other)) for one, other in pairwise(units)]
        if not any(splits):
            return block.text
        gaps = ["\n\n" if at else unit.gap for at, unit in zip(splits, units, strict=False)]
        whole = "".join(f"{unit.content}{gap}" for unit, gap in zip(units, [*gaps, ""], strict=True))
        return whole + block.gap

    return "".join(map(parted, split(text)))


def _without(text: str, sentences: Collection[str], cut: _Cut) -> str:
    return "".join(_kept(block, sentences, cut) for block in split(text)) if sentences else text


def _kept(block: Block, sentences: Collection[str], cut: _Cut) -> str:
    """A block without some sentences; a table has its header as long as it has a row."""
    units = cut(block)
    kept = [unit for place, unit in enumerate(units) if _said(unit) not in sentences or _is_header(block, place)]
    if len(kept) == len(units):
        return block.text
    said = [unit for place, unit in enumerate(kept) if _said(unit) and not _is_header(block, place)]
    return "".join(f"{unit.content}{unit.gap}" for unit in kept).rstrip() + block.gap if said else ""


def _is_header(block: Block, place: int) -> bool:
    return block.kind == "table" and place == 0


def _are_two_blocks(content: str, gap: str, after: str) -> bool:
    return [block.content for block in split(content + gap + after)] == [content, after]


def _sentences(cut: _Cut, text: str) -> tuple[str, ...]:
    said = (_said(unit) for block in split(text) for unit in cut(block))
    return tuple(sentence for sentence in said if sentence)


def _said(unit: _Unit) -> str:
    """What a unit says without its marks; empty if that has no letter."""
    said = _MARKS.sub("", " ".join(unit.content.split()), count=1)
    return said if _LETTER.search(said) else ""


def _merge_block(cut: _Cut, comparisons: Comparisons, base: Block, ours: Block, theirs: Block) -> Merged:
    """A block that both changed; one that became another kind, or a table with another header, is left whole."""
    if not _shape(base) == _shape(ours) == _shape(theirs):
        return disputed(base.content, ours.content, theirs.content)
    before, mine, other = (cut(block) for block in (base, ours, theirs))
    if not comparisons.take(len(before) + len(mine) + len(other)):
        return disputed(base.content, ours.content, theirs.content)
    return diff3(before, mine, other, _merge_unit, Spacing(" ", _are_two_units), comparisons)


def _are_two_units(content: str, gap: str, after: str) -> bool:
    """Sentences are, whatever lies between them."""
    return True


def _merge_unit(base: _Unit, ours: _Unit, theirs: _Unit) -> Merged:
    return disputed(base.content, ours.content, theirs.content)


def _shape(block: Block) -> tuple[str, list[str]]:
    header = block.content.splitlines()[0].strip().strip("|") if block.kind == "table" else ""
    return block.kind, [cell.strip() for cell in header.split("|")]


def _units(block: Block, language: str) -> list[_Unit]:
    parts = lines(block) if block.kind == "table" else units(block, language)
    contents = [part.text.rstrip(BLANK) for part in parts]
    return [_Unit(content, part.text[len(content) :]) for content, part in zip(contents, parts, strict=True)]
