"""Fenced code: where it is, what language it names, and whether it is closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .leaves import Leaf
from .lines import Lines


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
        token = leaf.token
        if token.type != "fence" or not token.map:
            continue
        first, after = token.map[0], min(token.map[1], len(lines.texts))
        yield Fence(
            token.markup,
            token.info.strip(),
            token.content,
            first + 1,
            after,
            lines.starts[first],
            lines.starts[after - 1] + len(lines.texts[after - 1].rstrip("\r\n")),
            leaf.nested,
            after - first > 1 and _closes(lines.texts[after - 1], token.markup),
        )


def _closes(line: str, marker: str) -> bool:
    bare = line.lstrip("> \t").rstrip()
    return len(bare) >= len(marker) and not bare.strip(marker[0])
