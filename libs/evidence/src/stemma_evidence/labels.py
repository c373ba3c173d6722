"""What a place of a file is cited by: its page, slide or cells, the message, or the headings above it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from stemma_contracts.v1.inputs import Anchor
from stemma_markdown import document_of

from .tabular import is_tabular, rows_of

EXACT = ("page", "slide", "sheet", "part")
"""Kinds of anchors that say more than the headings above a line."""
_PATH = " > "
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Labels:
    """The labels of one file: those that reading it gave, else its own headings or rows.

    ``own`` are these, if they were read before: what `anchors` of such a file were then.
    """

    def __init__(
        self,
        text: str,
        media_type: str = "text/markdown",
        anchors: Iterable[Anchor] = (),
        own: Iterable[Anchor] | None = None,
    ) -> None:
        self.text = text
        self._starts = list(accumulate((len(line) for line in text.splitlines(keepends=True)), initial=0))
        found = sorted(anchors, key=lambda anchor: anchor.offset)
        if not found:
            found = list(_own(text, media_type, self._starts) if own is None else own)
        self.anchors = _chosen(found)
        self.headings = frozenset(anchor.label for anchor in found if anchor.kind == "heading")
        self._offsets = [anchor.offset for anchor in self.anchors]

    def at(self, line: int, share: float = 0.0) -> Anchor | None:
        """What the place ``share`` of the way through a line, counted from 1, is cited by."""
        if not 1 <= line < len(self._starts):
            return None
        start, end = self._starts[line - 1], self._starts[line]
        above = bisect_right(self._offsets, start + int(share * (end - start)))
        return self.anchors[above - 1] if above else None

    def within(self, first: int, last: int) -> tuple[str, ...]:
        """The labels that lines are cited by, in their order."""
        if not 1 <= first <= last < len(self._starts):
            return ()
        above = max(0, bisect_right(self._offsets, self._starts[first - 1]) - 1)
        below = bisect_right(self._offsets, max(self._starts[first - 1], self._starts[last] - 1))
        return tuple(dict.fromkeys(anchor.label for anchor in self.anchors[above:below]))

    def texts(self) -> Iterator[tuple[Anchor, str]]:
        """Each place with its text, which reaches to the next place of its kind and to the ends of its lines."""
        ends = [*self._offsets[1:], len(self.text)]
        for anchor, end in zip(self.anchors, ends, strict=True):
            first = self._starts[max(0, bisect_right(self._starts, anchor.offset) - 1)]
            last = self.text.find("\n", end)
            yield anchor, self.text[first : last if last >= 0 else len(self.text)]


def _chosen(found: Sequence[Anchor]) -> tuple[Anchor, ...]:
    for kinds in (EXACT, ("paragraph",), ("heading",)):
        if chosen := tuple(anchor for anchor in found if anchor.kind in kinds):
            return chosen
    return ()


def _own(text: str, media_type: str, starts: Sequence[int]) -> Iterator[Anchor]:
    """The places of a text that was not read by any program: it is as it was given."""
    if media_type == "text/markdown":
        path: list[tuple[int, str]] = []
        for heading in document_of(text).headings:
            path = [*(above for above in path if above[0] < heading.level), (heading.level, heading.text)]
            label = _PATH.join(words for _, words in path if words)[:200]
            yield Anchor(offset=starts[heading.line - 1], kind="heading", label=label)
    elif is_tabular(media_type) and media_type != "application/json":
        for line, cells in rows_of(text, media_type):
            last = f":{_column(len(cells))}{line}" if len(cells) > 1 else ""
            yield Anchor(offset=starts[min(line, len(starts)) - 1], kind="sheet", label=f"A{line}{last}")


def _column(number: int) -> str:
    """The name of a column of a sheet, counted from 1."""
    name = ""
    while number:
        number, letter = divmod(number - 1, len(_LETTERS))
        name = _LETTERS[letter] + name
    return name
