"""The headings of a text, and the anchors that links name them by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .lines import Lines
from .prose import plain_places
from .tokens import Leaf

_PUNCTUATION = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Heading:
    """A heading that stands in no quote and no list.

    ``level`` is 1 to 6, ``text`` its plain words, ``line`` counts from 1, ``start`` and ``end`` are the range of the
    words in the source (of nothing, if it has none).
    """

    level: int
    text: str
    line: int
    start: int
    end: int


def headings_of(leaves: Iterable[Leaf], lines: Lines) -> Iterator[Heading]:
    """The headings among leaves."""
    for leaf in leaves:
        if leaf.kind == "heading" and leaf.depth == 0:
            places, line = plain_places(leaf, lines.source), lines.number(leaf.start)
            start, end = places.source(0, len(places.text)) if places.text else (lines.starts[line - 1],) * 2
            yield Heading(leaf.level, " ".join(places.text.split()), line, start, end)


def anchor(heading: str) -> str:
    """The name that GitHub and pandoc's gfm give a heading; a second one of the name is numbered."""
    return _PUNCTUATION.sub("", heading.strip().lower()).replace(" ", "-")


def anchors(headings: Iterable[Heading]) -> set[str]:
    """The anchors of headings, each once."""
    seen: dict[str, int] = {}
    result = set()
    for heading in headings:
        name = anchor(heading.text)
        times = seen.get(name, 0)
        seen[name] = times + 1
        result.add(f"{name}-{times}" if times else name)
    return result
