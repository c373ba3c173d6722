"""Tags of template languages (Liquid, Jinja, Hugo, ERB) in a text: instructions to a program, and no content."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from .tokens import Leaf

_CLOSERS = {"{{%": "%}}", "{{<": ">}}", "{%": "%}", "{#": "#}", "<%": "%>"}
_OPENER = re.compile(r"\{\{[%<]|\{[%#]|<%(?![=%])")
_COMMENT = re.compile(r"\{%-?\s{0,9}comment\s{0,9}-?%\}")
_END_OF_COMMENT = re.compile(r"\{%-?\s{0,9}endcomment\s{0,9}-?%\}")
_MOST_CHARACTERS = 2_000
"""What is longer is no tag."""

_Range = tuple[int, int]


def cleared(text: str, tags: Iterable[_Range], code: Sequence[_Range]) -> str:
    """The text without the tags that stand outside of code, and without comments; its lines keep their numbers."""
    starts = [start for start, _ in code]
    kept, at = list[str](), 0
    for start, end in tags:
        place = bisect_right(starts, start) - 1
        if start < at or (place >= 0 and code[place][1] > start):
            continue
        kept.append(text[at:start])
        at = _leave(kept, text, start, end)
    return "".join([*kept, text[at:]])


def _leave(kept: list[str], text: str, start: int, end: int) -> int:
    """Close the gap of a tag as if it had not been written; where the text goes on."""
    kept.append("\n" * text.count("\n", start, end))
    if end == len(text) or text[end] in "\r\n":
        kept[-2] = _without_empty_heading(kept[-2].rstrip(" \t"))
    elif start == 0 or text[start - 1] in " \t\r\n":
        behind = text[end : end + _MOST_CHARACTERS]
        end += len(behind) - len(behind.lstrip(" \t"))
    return end


def _without_empty_heading(text: str) -> str:
    """The text without the marks of a heading at its end of which the words were a tag."""
    before, line_end, line = text.rpartition("\n")
    return text if line.strip("# ") else before + line_end


def tags_of(text: str) -> Iterator[_Range]:
    """The tags in their order; a comment goes from its tag to the one that ends it."""
    after, last_end = 0, max((found.end() for found in _END_OF_COMMENT.finditer(text)), default=0)
    closing: dict[str, int] = {}
    for opener in _OPENER.finditer(text):
        start = opener.start()
        if start < after:
            continue
        end = _closed(text, opener[0], start, closing)
        if end < 0:
            continue
        if end < last_end and _COMMENT.fullmatch(text, start, end):
            found = _END_OF_COMMENT.search(text, end)
            end = found.end() if found else end
        yield start, end
        after = end


def _closed(text: str, opener: str, start: int, closing: dict[str, int]) -> int:
    """Where the tag that begins here ends, -1 if it is none; ``closing`` has the next closer of each kind."""
    closer, inside = _CLOSERS[opener], start + len(opener)
    if closing.get(opener, 0) < inside:
        found = text.find(closer, inside)
        closing[opener] = found if found >= 0 else len(text) + 2 * _MOST_CHARACTERS
    end = closing[opener]
    if end - inside > _MOST_CHARACTERS or opener in text[inside:end] or "\n\n" in text[inside:end]:
        return -1
    return end + len(closer)


def code_of(leaves: Iterable[Leaf]) -> Iterator[_Range]:
    """The ranges of the code of leaves, as blocks and within lines."""
    for leaf in leaves:
        if leaf.kind == "code" and leaf.inlines:
            yield leaf.inlines[0].start, leaf.inlines[-1].end
        else:
            yield from ((inline.start, inline.end) for inline in leaf.inlines if inline.kind == "code")
