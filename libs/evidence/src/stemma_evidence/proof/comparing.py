"""What differs between the blocks that a statement names and those that a file shows."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel
from stemma_contracts.v1.proofs import ProvenBlock, Statement
from stemma_markdown import in_order, match_parts

from .pdf import Run, Text, changed_runs
from .shown import CONTENTS, Shown

Change = Literal["altered", "removed", "added", "moved"]
_MOST_WORDS = 160


class Finding(BaseModel):
    """A block that is not as it left.

    ``number`` counts the blocks of its kind in its section; ``words`` are what is there now, of a block that is gone
    those before it.
    """

    change: Change
    kind: str = "text"
    section: str = ""
    number: int = 0
    page: int = 0
    words: str = ""


class Place(NamedTuple):
    """Where a block left: its section, and its number among the blocks of its kind there."""

    section: str
    number: int


def findings(statement: Statement, there: Sequence[Shown]) -> list[Finding]:
    """What is not as it left, by kind, in the order of the file; the contents follow the text, also a changed one."""
    titles = {one.digest for one in (*statement.blocks, *(one.block for one in there)) if one.kind != CONTENTS}
    old = [(one, place) for one, place in zip(statement.blocks, places_of(statement), strict=True)]
    found = list[Finding]()
    for kind in dict.fromkeys(one.kind for one in (*statement.blocks, *(one.block for one in there))):
        known = titles if kind == CONTENTS else set[str]()
        mine = [(one, place) for one, place in old if one.kind == kind and one.digest not in known]
        now = [one for one in there if one.block.kind == kind and one.block.digest not in known]
        found += _Sides([one for one, _ in mine], [place for _, place in mine], now).findings()
    return found


def pdf_findings(statement: Statement, text: Text) -> list[Finding]:
    """What a PDF does not say any more, in the order of its text."""
    places = places_of(statement)
    return [_of_run(places, one, text) for one in changed_runs(statement.blocks, text.run)]


def _of_run(places: Sequence[Place], one: Run, text: Text) -> Finding:
    words, place = text.run[one.start : one.end][:_MOST_WORDS], places[one.number]
    change: Change = "added" if one.is_added else "altered" if words else "removed"
    return Finding(change=change, page=text.page_at(one.start), words=words, **place._asdict())


def places_of(statement: Statement) -> list[Place]:
    counts, places = Counter[tuple[str, int | None]](), list[Place]()
    for one in statement.blocks:
        counts[one.kind, one.section] += 1
        section = statement.sections[one.section] if one.section is not None else None
        places.append(Place((section.title or section.section_id) if section else "", counts[one.kind, one.section]))
    return places


class _Sides:
    """The blocks of one kind that left, and those that are there. Equal ones are pairs, by their numbers."""

    def __init__(self, old: Sequence[ProvenBlock], places: Sequence[Place], new: Sequence[Shown]) -> None:
        self._old, self._places, self._new = old, places, new
        before, after = [one.digest for one in old], [one.block.digest for one in new]
        self._pairs = {one: other for one, other in match_parts(before, after).items() if before[other] == after[one]}
        self._changed = self._altered()

    def findings(self) -> Iterator[Finding]:
        stayed = in_order(self._pairs[number] for number in sorted(self._pairs))
        for number, one in enumerate(self._new):
            if number in self._changed:
                yield self._finding("altered", self._changed[number], one.words)
            elif number not in self._pairs:
                place = self._before(number)
                section = self._places[place].section if place is not None else ""
                yield Finding(change="added", kind=one.block.kind, section=section, words=one.words[:_MOST_WORDS])
            elif self._pairs[number] not in stayed:
                yield self._finding("moved", self._pairs[number], one.words)
        there = {old: new for new, old in self._pairs.items()}
        for number in range(len(self._old)):
            if number not in there and number not in self._changed.values():
                beside = next((self._new[there[one]].words for one in range(number, -1, -1) if one in there), "")
                yield self._finding("removed", number, beside)

    def _finding(self, change: Change, number: int, words: str) -> Finding:
        block, place = self._old[number], self._places[number]
        return Finding(change=change, kind=block.kind, page=block.page, words=words[:_MOST_WORDS], **place._asdict())

    def _before(self, number: int) -> int | None:
        """The last block that left and stands before a place of the file."""
        return next((self._pairs[one] for one in range(number, -1, -1) if one in self._pairs), None)

    def _altered(self) -> Mapping[int, int]:
        """Blocks that say something else: what went and what came behind the same block, one by one.

        The mark of a paragraph has the beginning of its digest, and goes first.
        """
        went, came = self._runs()
        changed = dict[int, int]()
        for key, news in came.items():
            olds = list(went[key])
            for new in news:
                mark = self._new[new].mark
                named = (old for old in olds if mark is not None and self._old[old].digest.startswith(mark.text))
                if (old := next(named, None)) is not None:
                    olds.remove(old)
                    changed[new] = old
            changed |= dict(zip((new for new in news if new not in changed), olds, strict=False))
        return changed

    def _runs(self) -> tuple[Mapping[int, list[int]], Mapping[int, list[int]]]:
        """The blocks without a partner of both sides, by the block that left and stands before them."""
        went, came = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
        paired = {*self._pairs.values()}
        last = -1
        for old in range(len(self._old)):
            last = old if old in paired else last
            went[last] += [] if old in paired else [old]
        last = -1
        for new in range(len(self._new)):
            last = self._pairs.get(new, last)
            came[last] += [] if new in self._pairs else [new]
        return went, came
