"""Where the content of a block's inline token stands in the source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.token import Token

from .lines import Lines
from .places import Piece, Places

_HASHES = re.compile(r"#{1,6}(?=[ \t]|$)[ \t]*")
_CONTAINERS = re.compile(r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*")


class Contents:
    """Reads tokens in document order; cells of a row are looked for one after the other."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._row = -1
        self._row_at = 0

    def of(self, token: Token, around: Token | None) -> Places:
        """The content of an inline, code or HTML token, with its places; ``around`` is the token before it."""
        first = token.map[0] if token.map else 0
        opening = around.type if around and token.type == "inline" else ""
        if opening in ("th_open", "td_open"):
            return Places(self._cell_pieces(first, token.content))
        hashes = opening == "heading_open" and around is not None and around.markup.startswith("#")
        return Places(self._line_pieces(first + (token.type == "fence"), token.content, hashes))

    def _line_pieces(self, first: int, content: str, hashes: bool) -> Iterator[Piece]:
        """A line of a content is the end of a line of the source, but for spaces around it."""
        lines = content.split("\n")
        for number, line in enumerate(lines, first):
            if line:
                stripped = line.strip()
                begin = self._begin(number, len(stripped), hashes) - (len(line) - len(line.lstrip()))
                yield Piece(line, begin, begin + len(line))
            if number < first + len(lines) - 1:
                yield Piece("\n", self._end(number), self._lines.starts[min(number + 1, len(self._lines.texts))])

    def _begin(self, number: int, length: int, hashes: bool) -> int:
        start, source = self._lines.starts[number], self._lines.texts[number]
        if hashes and (found := _HASHES.search(source)):
            return start + found.end()
        return start + len(source.rstrip()) - length

    def _end(self, number: int) -> int:
        return self._lines.starts[number] + len(self._lines.texts[number].rstrip("\r\n"))

    def _cell_pieces(self, row: int, content: str) -> Iterator[Piece]:
        """A bar in a cell stands with a backslash before it in the source."""
        source, base = self._lines.texts[row], self._lines.starts[row]
        if row != self._row:
            found = _CONTAINERS.match(source)
            self._row, self._row_at = row, found.end() if found else 0
        at = source.find(content.replace("|", "\\|"), self._row_at)
        for part in re.split(r"(\|)", content):
            width = 2 if part == "|" else len(part)
            yield Piece(part, base + at, base + at + width)
            at += width
        self._row_at = at
