"""Work counted in calls, which no other load on the machine changes, and Markdown that is hard to read."""

import sys
from collections.abc import Callable
from inspect import CO_GENERATOR
from types import FrameType


def calls(work: Callable[[], object]) -> int:
    """How many calls and returns a piece of work takes, those of built-in functions too."""
    return _counted(work, lambda frame, event: 1)


def characters(work: Callable[[], object]) -> int:
    """How many characters the functions that a piece of work calls are given: what is copied again and again counts.

    A function that is given a whole text to look at one place of it counts the whole.
    """
    begun: set[FrameType] = set()

    def given(frame: FrameType, event: str) -> int:
        if event != "call" or frame in begun:
            return 0
        if frame.f_code.co_flags & CO_GENERATOR:
            begun.add(frame)
        return sum(map(_length, frame.f_locals.values()))

    return _counted(work, given)


def _length(value: object) -> int:
    if isinstance(value, tuple):
        return sum(len(part) for part in value if isinstance(part, str))
    return len(value) if isinstance(value, str) else 0


def _counted(work: Callable[[], object], worth: Callable[[FrameType, str], int]) -> int:
    count = 0

    def profile(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += worth(frame, event)

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


UNITS = {
    "brackets": "[", "closed brackets": "[[a]", "images": "![", "links": "[a](b) ", "open links": "[a](<b",
    "half links": "[a](",
    "definitions": "[a]: b\n", "emphasis": "*a _b ", "stars": "*a**b", "strikes": "~~a", "quotes": ">",
    "quoted lines": "> a\nb\n", "backticks": "`a", "spans": "`` ` ", "pipes": "|\n", "tables": "a|b\n-|-\n",
    "lists": "- a\n", "nested lists": "* ", "tags": "<a ", "comments": "<!-- ", "markup": "a<!A", "entities": "&#1",
    "open comments": "<!--", "processing": "<?", "sections": "<![CDATA[", "divisions": "<div>", "pictures": "<img ",
    "headings": "# a\n", "underlines": "a\n===\n", "fences": "```\n", "footnotes": "[^1]: a[^1]\n", "one line": "word ",
    "breaks": "a  \n", "image links": "[![a](b)](c) ", "escapes": "\\\\[",
    "quotation marks": "\u201c", "sentences": "\u3042\u3002", "formulas": "$a", "templates": "{{ ", "dashes": "---\n",
}  # fmt: skip


def text_of(unit: str, size: int) -> str:
    return unit * (size // len(unit))
