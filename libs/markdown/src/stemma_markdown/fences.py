"""Fenced code: where it is, what language it names, and whether it is closed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .lines import Lines
from .prose import contents
from .tokens import Leaf

_MARKER = re.compile(r"[ \t]*(`+|~+)")


@dataclass(frozen=True)
class Fence:
    """A fenced code block.

    ``line`` and ``last_line`` count from 1 and hold the fence marks, ``start`` and ``end`` are the range of these
    lines without the last line end. ``text`` is the code; a fence that is not closed ends where what it stands in ends.
    """

    marker: str
    info: str
    text: str
    line: int
    last_line: int
    start: int
    end: int
    nested: bool
    is_closed: bool

    @property
    def language(self) -> str:
        """The first word after the opening mark."""
        return next(iter(self.info.split()), "")


def fences_of(leaves: Iterable[Leaf], lines: Lines) -> Iterator[Fence]:
    """The fenced code among leaves, also in quotes and lists."""
    for leaf in leaves:
        found = _MARKER.match(lines.source, leaf.start) if leaf.info is not None else None
        if found is None:
            continue
        first, last = lines.number(leaf.start), lines.number(max(leaf.start, leaf.end - 1))
        yield Fence(
            found[1],
            (leaf.info or "").strip(),
            contents(leaf).text,
            first,
            last,
            lines.starts[first - 1],
            lines.starts[last - 1] + len(lines.texts[last - 1].rstrip("\r\n")),
            leaf.depth > 0,
            last > first and _closes(lines.texts[last - 1], found[1]),
        )


def _closes(line: str, marker: str) -> bool:
    bare = line.lstrip("> \t").rstrip()
    return len(bare) >= len(marker) and not bare.strip(marker[0])
