"""Three rows of parts as one, by diff3: what one side changed is taken, and where both did, ours stays.

A part that was moved is the same part elsewhere, so that what the other side makes of it goes with it. Where the
result would lose, bring back or double a sentence all the same, ours stays as it is, with a conflict.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, groupby, pairwise
from operator import attrgetter
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from .comparing import Comparisons, in_order, match_parts
from .lines import BLANK

MOST_DIFFERING = 6_000
"""Lines of blocks that are not the same in three texts; of more, all is disputed."""


@dataclass(frozen=True)
class Region:
    """What stands in the same stretch of each text, and what a conflict there holds.

    ``merged`` is the result for ours, ``mirrored`` that for theirs, as if both sides had changed places.
    """

    base: Counter[Hashable] = field(default_factory=Counter)
    ours: Counter[Hashable] = field(default_factory=Counter)
    theirs: Counter[Hashable] = field(default_factory=Counter)
    merged: Counter[Hashable] = field(default_factory=Counter)
    mirrored: Counter[Hashable] = field(default_factory=Counter)
    disputed: frozenset[Hashable] = frozenset()

    def items(self) -> Iterable[Hashable]:
        """All that stands in any of the texts."""
        return chain(self.base, self.ours, self.theirs, self.merged, self.mirrored)


def unbalanced(regions: Sequence[Region]) -> set[int]:
    """The numbers of the regions that have to stay as each side has them, so that all items are there as often as due.

    What moved from one region to another binds both: if one stays, so does the other. Each region is left once, and
    each item asked about once more for each region that it stands in.
    """
    sums, left = _Sums(regions), set[int]()
    waiting = list(sums.places)
    while waiting:
        item = waiting.pop()
        for number in () if sums.are_right(item) else sums.places[item] - left:
            left.add(number)
            sums.leave(regions[number])
            waiting += regions[number].items()
    return left


class _Sums:
    def __init__(self, regions: Sequence[Region]) -> None:
        self.places: defaultdict[Hashable, set[int]] = defaultdict(set)
        self.base, self.ours, self.theirs, self.merged, self.mirrored = (Counter[Hashable]() for _ in range(5))
        self.disputed: set[Hashable] = set()
        for number, region in enumerate(regions):
            self._add(number, region)

    def _add(self, number: int, region: Region) -> None:
        for item in region.items():
            self.places[item].add(number)
        for name in ("base", "ours", "theirs", "merged", "mirrored"):
            getattr(self, name).update(getattr(region, name))
        self.disputed |= region.disputed

    def are_right(self, item: Hashable) -> bool:
        """Whether the result has an item as often as due; in a conflict, our number and all between are right too."""
        ours, theirs, disputed = self.ours[item], self.theirs[item], item in self.disputed
        due = _due(self.base[item], ours, theirs)
        results = ((ours, self.merged[item]), (theirs, self.mirrored[item]))
        return all(number == due or (disputed and number in _between(due, mine)) for mine, number in results)

    def leave(self, region: Region) -> None:
        """Count a region as each side has it, and all that stands in it as disputed."""
        self.merged.subtract(region.merged)
        self.merged.update(region.ours)
        self.mirrored.subtract(region.mirrored)
        self.mirrored.update(region.theirs)
        self.disputed.update(region.items())


def _due(base: int, ours: int, theirs: int) -> int:
    if min(ours, theirs) >= base:
        return max(ours, theirs)
    if max(ours, theirs) <= base:
        return min(ours, theirs)
    return ours + theirs - base


def _between(one: int, other: int) -> range:
    return range(min(one, other), max(one, other) + 1)


_LINE_END = re.compile(r"\r\n|\r|\n")


class Part(Protocol):
    """A piece of text, and the space between it and the next one."""

    @property
    def content(self) -> str:
        """What is compared and merged."""

    @property
    def gap(self) -> str:
        """What lies behind it."""


P = TypeVar("P", bound=Part)


@dataclass(frozen=True)
class Conflict:
    """What both sides changed, each in its own way; what a side removed, or the base never had, is empty.

    ``ours`` stands in the merged text, from ``start`` to ``end``.
    """

    base: str
    ours: str
    theirs: str
    start: int
    end: int


@dataclass(frozen=True)
class Merged:
    """One text made of two, and its conflicts in their order."""

    text: str
    conflicts: tuple[Conflict, ...] = ()


def disputed(base: str, ours: str, theirs: str) -> Merged:
    """Our text, because both sides changed it."""
    return Merged(ours, (Conflict(base, ours, theirs, 0, len(ours)),))


class Spacing(NamedTuple):
    """What lies between parts that neither side had together as they are now: at least the line ends of ``least``.

    ``holds_apart`` says whether a part, a gap and another part, read together, are these two parts.
    """

    least: str
    holds_apart: Callable[[str, str, str], bool]


def diff3(
    base: Sequence[P],
    ours: Sequence[P],
    theirs: Sequence[P],
    inside: Callable[[P, P, P], Merged],
    spacing: Spacing,
    comparisons: Comparisons,
) -> Merged:
    """Merge three rows; ``inside`` merges a part that both sides changed, from that of the base, ours and theirs."""
    return _Merge(_rows(base, ours, theirs, comparisons), inside, spacing).written()


def balanced_diff3(
    base: Sequence[P],
    ours: Sequence[P],
    theirs: Sequence[P],
    inside: Callable[[P, P, P], Merged],
    spacing: Spacing,
    sentences: Callable[[str], Iterable[str]],
    comparisons: Comparisons,
) -> Merged:
    """Merge three rows, and leave as ours has it each stretch in which the result has not the sentences that are due.

    ``sentences`` are those of a part, or of what is disputed in one. Of three that differ in more than
    `MOST_DIFFERING` lines, each is disputed as a whole.
    """
    rows = _rows(base, ours, theirs, comparisons)
    if _lines_that_differ(rows) > MOST_DIFFERING:
        return disputed(*("".join(part.content + part.gap for part in row.parts.values()) for row in rows))
    merge = _Merge(rows, inside, spacing)
    mirrored = _Merge(_Rows(rows.base, rows.theirs, rows.ours), inside, spacing)
    merge.leave(unbalanced(list(_balance(merge, mirrored, sentences))))
    return merge.written()


def _lines_that_differ(rows: "_Rows[P]") -> int:
    found = 0
    for stretch in _stretches(rows):
        one, *others = (
            [row.parts[key].content for key in keys]
            for row, keys in zip(rows, (stretch.base, stretch.ours, stretch.theirs), strict=True)
        )
        if any(other != one for other in others):
            found += sum(len(content.splitlines()) for content in chain(one, *others))
    return found


class _Key(NamedTuple):
    of: Literal["base", "ours", "theirs"]
    number: int


@dataclass(frozen=True)
class _Row(Generic[P]):
    parts: Mapping[_Key, P]
    moved: Collection[_Key] = frozenset()

    @cached_property
    def gaps(self) -> Mapping[tuple[_Key, _Key | None], str]:
        """What lies between two neighbours; the last part has None beside it."""
        neighbours = pairwise([*self.parts, None])
        return {(key, after): self.parts[key].gap for key, after in neighbours if key is not None}

    @cached_property
    def around(self) -> Mapping[_Key, list[str]]:
        """What lies before and behind each part, but for the two ends of the text."""
        around: dict[_Key, list[str]] = {key: [] for key in self.parts}
        for (key, after), gap in self.gaps.items():
            if after is not None:
                around[key].append(gap)
                around[after].append(gap)
        return around

    def contents(self, keys: Iterable[_Key]) -> str:
        """Some of the parts as they stand in the text."""
        return "".join(self.parts[key].content + self.parts[key].gap for key in keys).rstrip(BLANK)


def _row(base: Sequence[P], side: Sequence[P], name: Literal["ours", "theirs"], comparisons: Comparisons) -> _Row[P]:
    partners = match_parts([part.content for part in base], [part.content for part in side], comparisons)
    stayed = in_order(partners.values())
    keys = [_Key("base", partners[n]) if n in partners else _Key(name, n) for n in range(len(side))]
    moved = frozenset(_Key("base", number) for number in partners.values() if number not in stayed)
    return _Row(dict(zip(keys, side, strict=True)), moved)


class _Rows(NamedTuple, Generic[P]):
    base: _Row[P]
    ours: _Row[P]
    theirs: _Row[P]

    @property
    def moved(self) -> set[_Key]:
        """What either side moved."""
        return {*self.ours.moved, *self.theirs.moved}


def _rows(base: Sequence[P], ours: Sequence[P], theirs: Sequence[P], comparisons: Comparisons) -> _Rows[P]:
    before = _Row({_Key("base", number): part for number, part in enumerate(base)})
    # What is left to compare goes to the same side first, whoever is who.
    if [part.content for part in ours] > [part.content for part in theirs]:
        other = _row(base, theirs, "theirs", comparisons)
        return _Rows(before, _row(base, ours, "ours", comparisons), other)
    return _Rows(before, _row(base, ours, "ours", comparisons), _row(base, theirs, "theirs", comparisons))


class _Dispute(NamedTuple):
    first: int
    base: list[_Key]
    ours: list[_Key]
    theirs: list[_Key]


@dataclass
class _Stretch:
    """What stands in each text at the same place: a part that all have in the same order, or all between two such."""

    base: list[_Key]
    ours: list[_Key]
    theirs: list[_Key]
    order: list[_Key] = field(default_factory=list)
    disputes: list[_Dispute] = field(default_factory=list)


class _Merge(Generic[P]):
    """The order of the parts is settled first, then what stands in each, then what lies between."""

    def __init__(self, rows: _Rows[P], inside: Callable[[P, P, P], Merged], spacing: Spacing) -> None:
        self.base, self.ours, self.theirs = rows
        self.inside, self.spacing = inside, spacing
        self.left: set[_Key] = set()
        self.stretches = list(_stretches(rows))
        moved = rows.moved
        for stretch in self.stretches:
            self._settle(stretch, moved)
        self.contents = {key: self._content(key) for stretch in self.stretches for key in stretch.order}

    def leave(self, numbers: Collection[int]) -> None:
        """Leave stretches as ours has them, with one conflict for those that stand together."""
        stretches: list[_Stretch] = []
        for is_left, several in groupby(range(len(self.stretches)), numbers.__contains__):
            group = [self.stretches[number] for number in several]
            stretches += [self._left(group)] if is_left else group
        self.stretches = stretches

    def _left(self, stretches: list[_Stretch]) -> _Stretch:
        texts = zip(*((one.base, one.ours, one.theirs) for one in stretches), strict=True)
        base, ours, theirs = (list(chain.from_iterable(keys)) for keys in texts)
        self.left.update(ours)
        self.contents |= {key: Merged(self.ours.parts[key].content) for key in ours}
        is_disputed = self.ours.contents(ours) != self.theirs.contents(theirs)
        disputes = [_Dispute(0, base, ours, theirs)] if is_disputed else []
        return _Stretch(base, ours, theirs, ours, disputes)

    def _settle(self, stretch: _Stretch, moved: Collection[_Key]) -> None:
        base = [key for key in stretch.base if key not in moved]
        ours = [key for key in stretch.ours if key not in self.theirs.moved or key in self.ours.moved]
        theirs = [key for key in stretch.theirs if key not in self.ours.moved or key in self.theirs.moved]
        before, mine, other = self._seen(base, self.base), self._seen(ours, self.ours), self._seen(theirs, self.theirs)
        if mine == before:
            stretch.order += [key for key in theirs if key not in self.theirs.moved or self._only_they_moved(key)]
        else:
            stretch.order += ours
            if other not in (before, mine):
                stretch.disputes.append(_Dispute(0, base, ours, theirs))
            stretch.order += filter(self._only_they_moved, theirs)
        stretch.disputes += self._moved_and_removed(ours, theirs, len(stretch.order))

    def _moved_and_removed(self, ours: list[_Key], theirs: list[_Key], last: int) -> Iterator[_Dispute]:
        for place, key in enumerate(ours):
            if key in self.ours.moved and key not in self.theirs.parts:
                yield _Dispute(place, [key], [key], [])
        for key in theirs:
            if key in self.theirs.moved and key not in self.ours.parts:
                yield _Dispute(last, [key], [], [key])

    def _seen(self, keys: list[_Key], row: _Row[P]) -> list[object]:
        """What a side shows of a row; parts that both sides have are merged, whatever they hold."""
        return [
            key if key in self.ours.parts and key in self.theirs.parts else _read(row.parts[key].content)
            for key in keys
        ]

    def _only_they_moved(self, key: _Key) -> bool:
        return key in self.theirs.moved and key in self.ours.parts and key not in self.ours.moved

    def written(self) -> Merged:
        """The parts in the order that was settled, with what lies between them."""
        order = [key for stretch in self.stretches for key in stretch.order]
        contents = [self.contents[key] for key in order]
        gaps = [self._gap(key, after) for key, after in pairwise([*order, None]) if key is not None]
        pieces = list(zip((content.text for content in contents), gaps, strict=True))
        starts = list(accumulate((len(text) + len(gap) for text, gap in pieces), initial=0))
        ends = [start + len(content.text) for start, content in zip(starts, contents, strict=False)]
        conflicts = [
            replace(conflict, start=start + conflict.start, end=start + conflict.end)
            for content, start in zip(contents, starts, strict=False)
            for conflict in content.conflicts
        ]
        conflicts += self._conflicts(starts, ends)
        text = "".join(chain.from_iterable(pieces))
        return Merged(text, tuple(sorted(conflicts, key=attrgetter("start", "end"))))

    def _conflicts(self, starts: Sequence[int], ends: Sequence[int]) -> Iterator[Conflict]:
        place = 0
        for stretch in self.stretches:
            for one in stretch.disputes:
                first, last = place + one.first, place + one.first + len(one.ours)
                end = ends[last - 1] if one.ours else starts[first]
                base, ours, theirs = (
                    row.contents(keys) for row, keys in zip((self.base, self.ours, self.theirs), one[1:], strict=True)
                )
                yield Conflict(base, ours, theirs, starts[first], end)
            place += len(stretch.order)

    def _content(self, key: _Key) -> Merged:
        base, ours, theirs = (row.parts.get(key) for row in (self.base, self.ours, self.theirs))
        if base is None or ours is None or theirs is None:
            return Merged("".join(part.content for part in (ours, theirs) if part))
        for read in (str, _read):
            before, mine, other = read(base.content), read(ours.content), read(theirs.content)
            if other in (before, mine):
                return Merged(ours.content)
            if mine == before:
                return Merged(theirs.content)
        return self.inside(base, ours, theirs)

    def _gap(self, key: _Key, after: _Key | None) -> str:
        """What lies between two parts of the result: as in a side that has them together, or as beside either.

        A gap of one side is none for what the other side made of the two where it would make one of them.
        """
        gap = self._gap_of_a_side(key, after)
        if gap is not None and (after is None or self._holds_apart(key, gap, after)):
            return gap
        if after is None:
            return next((part.gap for row in (self.ours, self.theirs) for part in list(row.parts.values())[-1:]), "")
        rows, least = (self.ours, self.theirs, self.base), self.spacing.least
        near = [gap for row in rows for each in (key, after) for gap in row.around.get(each, ())]
        widest = max(near, key=_line_ends, default=least)
        return widest if _line_ends(widest) >= _line_ends(least) else least

    def _gap_of_a_side(self, key: _Key, after: _Key | None) -> str | None:
        before, mine, other = (row.gaps.get((key, after)) for row in (self.base, self.ours, self.theirs))
        if mine is not None and (other is None or mine != before or {key, after} <= self.left):
            return mine
        return other

    def _holds_apart(self, key: _Key, gap: str, after: _Key) -> bool:
        contents = self.contents[key].text, self.contents[after].text
        as_it_was = any(
            row.gaps.get((key, after)) == gap and (row.parts[key].content, row.parts[after].content) == contents
            for row in (self.ours, self.theirs)
        )
        return as_it_was or self.spacing.holds_apart(contents[0], gap, contents[1])


def _stretches(rows: _Rows[P]) -> Iterator[_Stretch]:
    both, moved = rows.ours.parts.keys() & rows.theirs.parts.keys(), rows.moved
    anchors = {key: None for key in rows.base.parts if key in both and key not in moved}
    between = zip(*(_segments(row.parts, anchors) for row in rows), strict=True)
    for segments, anchor in zip(between, [*anchors, None], strict=True):
        if any(segments):
            yield _Stretch(*segments)
        if anchor:
            yield _Stretch([anchor], [anchor], [anchor])


def _segments(keys: Iterable[_Key], anchors: Collection[_Key]) -> list[list[_Key]]:
    segments: list[list[_Key]] = [[]]
    for key in keys:
        if key in anchors:
            segments.append([])
        else:
            segments[-1].append(key)
    return segments


def _balance(merge: _Merge[P], mirrored: _Merge[P], sentences: Callable[[str], Iterable[str]]) -> Iterator[Region]:
    rows = (merge.base, merge.ours, merge.theirs)
    for one, other in zip(merge.stretches, mirrored.stretches, strict=True):
        sides = [
            [(key, row.parts[key].content) for key in keys]
            for row, keys in zip(rows, (one.base, one.ours, one.theirs), strict=True)
        ]
        if sides[0] == sides[1] == sides[2]:
            yield Region()
            continue
        results = [
            [(key, each.contents[key].text) for key in stretch.order]
            for each, stretch in ((merge, one), (mirrored, other))
        ]
        base, ours, theirs, merged, other_way = (Counter(_items(texts, sentences)) for texts in (*sides, *results))
        disputed = frozenset(chain(_disputed(merge, one, sentences), _disputed(mirrored, other, sentences)))
        yield Region(base, ours, theirs, merged, other_way, disputed)


def _items(texts: Iterable[tuple[_Key, str]], sentences: Callable[[str], Iterable[str]]) -> Iterator[Hashable]:
    for key, text in texts:
        yield key
        yield from sentences(text)


def _disputed(merge: _Merge[P], stretch: _Stretch, sentences: Callable[[str], Iterable[str]]) -> Iterator[Hashable]:
    """What the conflicts of a stretch hold; of lines, each as well as all together."""
    for one in stretch.disputes:
        for row, keys in zip((merge.base, merge.ours, merge.theirs), one[1:], strict=True):
            yield from _items(((key, row.parts[key].content) for key in keys), sentences)
    for conflict in chain.from_iterable(merge.contents[key].conflicts for key in stretch.order):
        for text in (conflict.base, conflict.ours, conflict.theirs):
            yield from chain(sentences(text), *map(sentences, text.splitlines()))


def _read(text: str) -> str:
    """A text whatever ends its lines."""
    return _LINE_END.sub("\n", text)


def _line_ends(gap: str) -> int:
    return len(_LINE_END.findall(gap))
