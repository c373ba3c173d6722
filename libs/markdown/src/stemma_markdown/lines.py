"""The lines of a source, which of them are content, and what the parser reads in them."""

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


LEAST_WORDS = 6
"""Of a value that is prose; where a script knows no spaces, one that ends as a sentence does is."""

_BLOCK = re.compile(r"(\s*)(?:- )?[\w\"'][\w .\"'-]{0,100}:\s+[>|][+-]?\d?[+-]?\s*")
_VALUE = re.compile(r"\s*(?:- )?[\w\"'][\w .\"'-]{0,100}?:\s+(\S.*)")
_TITLE = re.compile(r"title:[ \t]{1,9}(\S.*)")
_TITLE_TAG = re.compile(r"(#{1,6}[ \t]{1,9})(?:<%=|\{\{)-?\s{0,9}[\w.]{0,100}title\s{0,9}-?(?:%>|\}\})")
_SENTENCE = (".", "!", "?", "。", "！", "？")


def with_prose_of_front_matter(source: str) -> str:
    """The text with the prose in the values of its YAML front matter as content, every line where it was.

    A text without such prose stays as it is. A block value (``key: >-``) counts, and a value of one line if it is a
    sentence; what else stands in the front matter becomes blank lines.
    """
    lines = Lines(source)
    front = lines.texts[: lines.front_matter]
    if not front or front[0].strip() != "---":
        return source
    opened = ["\n", *_prose(front[1:-1]), "\n"]
    return "".join((*opened, *lines.texts[len(front) :])) if any(map(str.strip, opened)) else source


def title_in_front_matter(lines: Lines) -> str:
    """The title that YAML front matter gives; nothing, if it gives none."""
    front = lines.texts[: lines.front_matter]
    title = next(filter(None, map(_TITLE.match, front)), None)
    return title[1].strip().strip("\"'") if title else ""


def with_title_of_front_matter(source: str) -> str:
    """The text with the title of its YAML front matter in place of a first heading that is a tag for it.

    ``# {{ page.title }}`` and ``# <%= current_page.data.title %>`` are such headings; any other text stays as it is.
    """
    lines = Lines(source)
    front = lines.texts[: lines.front_matter]
    title = title_in_front_matter(lines)
    first = next((number for number in range(len(front), len(lines.texts)) if lines.texts[number].strip()), 0)
    tag = _TITLE_TAG.match(lines.texts[first]) if title and first else None
    if not title or not tag or lines.texts[first][tag.end() :].strip():
        return source
    heading = f"{tag[1]}{title}{lines.texts[first][tag.end() :]}"
    return "".join((*lines.texts[:first], heading, *lines.texts[first + 1 :]))


def _prose(lines: list[str]) -> Iterator[str]:
    outer: int | None = None
    inner = 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if outer is not None and (not line.strip() or indent > outer):
            inner = inner or indent * bool(line.strip())
            yield line[min(inner, indent) :] if line.strip() else "\n"
            continue
        block = _BLOCK.fullmatch(line)
        outer, inner = (len(block.group(1)) if block else None), 0
        yield f"{_sentence(line)}\n"


def _sentence(line: str) -> str:
    found = _VALUE.fullmatch(line.rstrip())
    value = found.group(1).strip("\"'") if found else ""
    is_long = len(value.split()) >= LEAST_WORDS or not value.isascii()
    return value if is_long and value.endswith(_SENTENCE) else ""
