"""Three rows of parts as one, by diff3: what one side changed is taken, and where both did, ours stays.

A part that was moved is the same part elsewhere, so that what the other side makes of it goes with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, pairwise
from operator import attrgetter
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from .lines import BLANK
from .matching import in_order, match_parts

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


def diff3(
    base: Sequence[P], ours: Sequence[P], theirs: Sequence[P], inside: Callable[[P, P, P], Merged], space: str
) -> Merged:
    """Merge three rows; ``inside`` merges a part that both sides changed, from that of the base, ours and theirs.

    Parts that neither side had together come to lie at least the line ends of ``space`` apart.
    """
    before = _Row({_Key("base", number): part for number, part in enumerate(base)})
    return _Merge(before, _row(base, ours, "ours"), _row(base, theirs, "theirs"), inside, space).merged()


class _Key(NamedTuple):
    """A part of the base, which a side may have as well, or a part that is new in a side."""

    of: Literal["base", "ours", "theirs"]
    number: int


@dataclass(frozen=True)
class _Row(Generic[P]):
    """The parts of one text in their order; ``moved`` are those that stand elsewhere in the base."""

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


def _row(base: Sequence[P], side: Sequence[P], name: Literal["ours", "theirs"]) -> _Row[P]:
    partners = match_parts([part.content for part in base], [part.content for part in side])
    stayed = in_order(partners.values())
    keys = [_Key("base", partners[n]) if n in partners else _Key(name, n) for n in range(len(side))]
    moved = frozenset(_Key("base", number) for number in partners.values() if number not in stayed)
    return _Row(dict(zip(keys, side, strict=True)), moved)


class _Dispute(NamedTuple):
    """A conflict about the parts of the result from ``first`` up to ``last``."""

    first: int
    last: int
    base: str
    ours: str
    theirs: str


@dataclass
class _Merge(Generic[P]):
    """The order of the parts is settled first, then what stands in each, then what lies between."""

    base: _Row[P]
    ours: _Row[P]
    theirs: _Row[P]
    inside: Callable[[P, P, P], Merged]
    space: str
    order: list[_Key] = field(default_factory=list)
    disputes: list[_Dispute] = field(default_factory=list)

    def merged(self) -> Merged:
        """The text that comes of it."""
        moved = {*self.ours.moved, *self.theirs.moved}
        both = self.ours.parts.keys() & self.theirs.parts.keys()
        anchors = {key: None for key in self.base.parts if key in both and key not in moved}
        between = zip(
            _segments(self.base.parts, anchors, moved),
            _segments(self.ours.parts, anchors, set(self.theirs.moved) - set(self.ours.moved)),
            _segments(self.theirs.parts, anchors, set(self.ours.moved) - set(self.theirs.moved)),
            strict=True,
        )
        for segments, anchor in zip(between, [*anchors, None], strict=True):
            self._settle(*segments)
            self.order += [anchor] if anchor else []
        return self._written()

    def _settle(self, base: list[_Key], ours: list[_Key], theirs: list[_Key]) -> None:
        """Settle what stands between two parts that all three have in the same order."""
        first = len(self.order)
        before, mine, other = self._seen(base, self.base), self._seen(ours, self.ours), self._seen(theirs, self.theirs)
        if mine == before:
            self.order += [key for key in theirs if key not in self.theirs.moved or self._only_they_moved(key)]
        else:
            self.order += ours
            if other not in (before, mine):
                self._dispute(first, base, ours, theirs)
            self.order += filter(self._only_they_moved, theirs)
        for place, key in enumerate(ours, first):
            if key in self.ours.moved and key not in self.theirs.parts:
                self._dispute(place, [key], [key], [])
        for key in theirs:
            if key in self.theirs.moved and key not in self.ours.parts:
                self._dispute(len(self.order), [key], [], [key])

    def _seen(self, keys: list[_Key], row: _Row[P]) -> list[object]:
        """What a side shows of a row; parts that both sides have are merged, whatever they hold."""
        return [
            key if key in self.ours.parts and key in self.theirs.parts else _read(row.parts[key].content)
            for key in keys
        ]

    def _only_they_moved(self, key: _Key) -> bool:
        return key in self.theirs.moved and key in self.ours.parts and key not in self.ours.moved

    def _dispute(self, first: int, base: list[_Key], ours: list[_Key], theirs: list[_Key]) -> None:
        texts = self.base.contents(base), self.ours.contents(ours), self.theirs.contents(theirs)
        self.disputes.append(_Dispute(first, first + len(ours), *texts))

    def _written(self) -> Merged:
        """The parts in the order that was settled, with what lies between them."""
        contents = [self._content(key) for key in self.order]
        gaps = [self._gap(key, after) for key, after in pairwise([*self.order, None]) if key is not None]
        pieces = list(zip((content.text for content in contents), gaps, strict=True))
        starts = list(accumulate((len(text) + len(gap) for text, gap in pieces), initial=0))
        conflicts = [
            replace(conflict, start=start + conflict.start, end=start + conflict.end)
            for content, start in zip(contents, starts, strict=False)
            for conflict in content.conflicts
        ]
        for first, last, base, ours, theirs in self.disputes:
            end = starts[last - 1] + len(pieces[last - 1][0]) if first < last else starts[first]
            conflicts.append(Conflict(base, ours, theirs, starts[first], end))
        text = "".join(chain.from_iterable(pieces))
        return Merged(text, tuple(sorted(conflicts, key=attrgetter("start", "end"))))

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
        """What lies between two parts of the result: as in a side that has them together, or as beside either."""
        before, mine, other = (row.gaps.get((key, after)) for row in (self.base, self.ours, self.theirs))
        if mine is not None and (other is None or mine != before):
            return mine
        if other is not None:
            return other
        if after is None:
            return next((part.gap for row in (self.ours, self.theirs) for part in list(row.parts.values())[-1:]), "")
        rows = (self.ours, self.theirs, self.base)
        near = [gap for row in rows for each in (key, after) for gap in row.around.get(each, ())]
        widest = max(near, key=_line_ends, default=self.space)
        return widest if _line_ends(widest) >= _line_ends(self.space) else self.space


def _segments(keys: Iterable[_Key], anchors: Collection[_Key], without: Collection[_Key]) -> list[list[_Key]]:
    """What stands before, between and behind the anchors."""
    segments: list[list[_Key]] = [[]]
    for key in keys:
        if key in anchors:
            segments.append([])
        elif key not in without:
            segments[-1].append(key)
    return segments


def _read(text: str) -> str:
    """A text whatever ends its lines."""
    return _LINE_END.sub("\n", text)


def _line_ends(gap: str) -> int:
    return len(_LINE_END.findall(gap))
