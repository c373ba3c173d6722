"""The lines of a source, which of them are content, and what the parser reads in them."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, cast

from pyromark import Options, events_with_range

BLANK = " \t\r\n"

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARK = "\ufeff"
_KEY = re.compile(r"[\w\"'][\w .\"'-]{0,100}:(?:\s|$)")
_JINJA = re.compile(r"\{%.*%\}|\{#.*#\}|\{\{.*\}\}")


@dataclass(frozen=True)
class Lines:
    """A source cut at its line ends; line ends stay with their lines, a byte order mark stands before the first."""

    source: str

    @cached_property
    def mark(self) -> int:
        """The length of the byte order mark."""
        return 1 if self.source.startswith(_MARK) else 0

    @cached_property
    def texts(self) -> list[str]:
        """The lines with their ends."""
        return _LINE.findall(self.source, self.mark)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins in the source; the last entry is where the source ends."""
        return list(accumulate(map(len, self.texts), initial=self.mark))

    @cached_property
    def front_matter(self) -> int:
        """How many lines at the beginning are YAML between ``---``, or Jinja statements, and no content."""
        return _yaml_lines(self.texts) or _jinja_lines(self.texts)

    @property
    def content_start(self) -> int:
        """Where the content begins, behind a byte order mark and front matter."""
        return self.starts[self.front_matter]

    @cached_property
    def readable(self) -> str:
        """The source as the parser reads it: as long, without lone carriage returns and halves of characters."""
        text = _LONE_RETURN.sub("\n", self.source) if "\r" in self.source else self.source
        return text if text.isascii() else _SURROGATE.sub("\ufffd", text)

    def number(self, place: int) -> int:
        """The line, counted from 1, that a place in the source is on."""
        return max(1, bisect_right(self.starts, place, hi=len(self.texts)))

    def is_blank(self, number: int) -> bool:
        """Whether a line, counted from 0, holds nothing."""
        return not self.texts[number].strip(BLANK)


def _yaml_lines(lines: list[str]) -> int:
    if not lines or lines[0].rstrip() != "---" or len(lines) < 3 or not lines[1].strip():
        return 0
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() in ("---", "..."):
            return number if any(_KEY.match(entry) for entry in lines[1 : number - 1]) else 0
    return 0


def _jinja_lines(lines: list[str]) -> int:
    number = 0
    while number < len(lines) and (_JINJA.fullmatch(lines[number].strip()) or (number and not lines[number].strip())):
        number += 1
    while number and not lines[number - 1].strip():
        number -= 1
    return number


Event = str | dict[str, Any]
"""As `pyromark.event` describes it: the name of a break or a rule, or one name with what belongs to it."""

_OPTIONS = Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES | Options.ENABLE_STRIKETHROUGH
_BEGINS_CHARACTER = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))


def events(lines: Lines, *, math: bool = False) -> Iterator[tuple[Event, int, int]]:
    """What the parser tells of a source, with the range of each event in characters; nothing of front matter."""
    text = lines.readable[lines.content_start :]
    places = _places(text, lines.content_start)
    options = _OPTIONS | Options.ENABLE_MATH if math else _OPTIONS
    for event, span in events_with_range(text, options=options):
        yield cast("Event", event), places[span["start"]], places[span["end"]]


def _places(text: str, first: int) -> Sequence[int]:
    """The place of the character that begins at each byte of a text whose first character is at ``first``."""
    if text.isascii():
        return range(first, first + len(text) + 1)
    return array("L", accumulate(text.encode().translate(_BEGINS_CHARACTER), initial=first))
