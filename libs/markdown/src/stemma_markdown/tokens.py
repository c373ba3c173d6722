"""A text as a flat row of tokens: containers, which hold other blocks, and leaves, which hold text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

ContainerKind = Literal["quote", "list", "item", "footnote", "table", "row"]
LeafKind = Literal["heading", "paragraph", "cell", "code", "html", "rule"]
InlineKind = Literal["text", "softbreak", "hardbreak", "html", "code", "math", "footnote", "link", "image"]


class Inline(NamedTuple):
    """A piece of a leaf and the range of its markup; what stands in a link or an image comes after it.

    ``text`` is what a text stands for, the code, the formula, the HTML or the label of a footnote. A break reaches to
    the words on the next line. ``target`` is percent-encoded, as in a URL.
    """

    kind: InlineKind
    start: int
    end: int
    text: str = ""
    target: str = ""
    title: str = ""


class Container(NamedTuple):
    """A block that holds blocks, and where it begins; ``depth`` is how many blocks it stands in.

    ``detail`` is the label of a footnote, the first number of an ordered list or the alignments of a table's columns.
    """

    kind: ContainerKind
    start: int
    depth: int
    detail: str | int | tuple[str, ...] | None


class Leaf(NamedTuple):
    """A block that holds text, with its range and that of its text alone; ``depth`` is how many blocks it stands in.

    ``level`` is that of a heading, else 0; ``info`` is what follows the opening mark of fenced code, None without one.
    """

    kind: LeafKind
    start: int
    end: int
    inner_start: int
    inner_end: int
    depth: int
    level: int
    quoted: bool
    in_footnote: bool
    info: str | None
    inlines: list[Inline]


Token = Container | Leaf


def markup(inlines: Iterable[Inline], source: str, start: int, end: int) -> str:
    """A range of a leaf's text as it is written, without the marks of quotes and lists at the beginnings of lines."""
    parts = []
    for inline in inlines:
        if inline.kind in ("softbreak", "hardbreak"):
            parts.append(source[start : inline.start])
            start = inline.end
    return "\n".join([*parts, source[start:end]])
