"""A text as a flat row of tokens: containers, which hold other blocks, and leaves, which hold text."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from .lines import Lines, events

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


_CONTAINERS: dict[str, ContainerKind] = {
    "BlockQuote": "quote",
    "List": "list",
    "Item": "item",
    "FootnoteDefinition": "footnote",
    "Table": "table",
    "TableHead": "row",
    "TableRow": "row",
}
_LEAVES: dict[str, LeafKind] = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "TableCell": "cell",
    "CodeBlock": "code",
    "HtmlBlock": "html",
}
_LEADING: dict[str, InlineKind] = {"Link": "link", "Image": "image"}
_STRAY_PERCENT = re.compile("%(?![0-9a-fA-F]{2})")
_IN_URLS = "%;/?:@&=+$,-_.!~*'()#"


def read(lines: Lines, *, math: bool = False) -> list[Token]:
    """The tokens of a source in its order; with ``math`` what stands between dollar signs is a formula."""
    reading = _Reading(lines.readable)
    readers = reading.readers
    for event, start, end in events(lines, math=math):
        if isinstance(event, str):
            readers[event]("", start, end)
        else:
            ((name, value),) = event.items()
            readers[name](value, start, end)
    return reading.tokens


class _OpenLeaf:
    def __init__(self, source: str, kind: LeafKind, start: int, end: int) -> None:
        self.kind, self.start, self.end = kind, start, end
        self.inner_start = self.inner_end = -1
        self.inlines: list[Inline] = []
        self._source = source
        self._text_start = self._text_end = -1
        self._break: tuple[InlineKind, int] | None = None

    def text(self, text: str, start: int, end: int) -> None:
        """Add text; if it is as long as its range, it stands there as it is. A backslash before it belongs to it."""
        if start == self._text_end and len(text) == end - start:
            self._text_end = end
            return
        if not text:
            return
        if start > max(0, self.inner_end) and self._source[start - 1] == "\\":
            self.start = min(self.start, start - 1)
            self.add(Inline("text", start - 1, start + 1, text[0]))
            self._text_start, self._text_end = start + 1, end
        elif len(text) == end - start:
            self.reach(start, end)
            self._text_start, self._text_end = start, end
        else:
            self.add(Inline("text", start, end, text))

    def line_break(self, kind: InlineKind, start: int, end: int) -> None:
        """Add the end of a line; it reaches as far as what comes next, past the marks of quotes and lists."""
        self.reach(start, end)
        self._break = kind, start

    def add(self, inline: Inline) -> None:
        self.reach(inline.start, inline.end)
        self.inlines.append(inline)

    def reach(self, start: int, end: int) -> None:
        self._end_text()
        if self._break is not None:
            self.inlines.append(Inline(*self._break, start))
            self._break = None
        elif self.inner_start < 0:
            self.inner_start = start
        self.inner_end = end

    def closed(self, depth: int, level: int, quoted: bool, in_footnote: bool, info: str | None) -> Leaf:
        self._end_text()
        start, end = (self.inner_start, self.inner_end) if self.inner_start >= 0 else (self.start, self.start)
        return Leaf(self.kind, self.start, self.end, start, end, depth, level, quoted, in_footnote, info, self.inlines)

    def _end_text(self) -> None:
        if self._text_end > self._text_start:
            start, end = self._text_start, self._text_end
            self.inlines.append(Inline("text", start, end, self._source[start:end]))
            self.inner_end = end
        self._text_start = self._text_end = -1


class _Reading:
    def __init__(self, source: str) -> None:
        self.tokens: list[Token] = []
        self.readers: Mapping[str, Callable[[Any, int, int], None]] = {
            "Text": self._text,
            "Html": self._text,
            "Start": self._open,
            "End": self._close,
            "SoftBreak": partial(self._line_break, "softbreak"),
            "HardBreak": partial(self._line_break, "hardbreak"),
            "Code": partial(self._inline, "code"),
            "InlineHtml": partial(self._inline, "html"),
            "InlineMath": partial(self._inline, "math"),
            "DisplayMath": partial(self._inline, "math"),
            "FootnoteReference": partial(self._inline, "footnote"),
            "Rule": self._rule,
        }
        self._source = source
        self._depth = self._quotes = self._footnotes = self._level = 0
        self._info: str | None = None
        self._leaf: _OpenLeaf | None = None
        self._loose = False
        """Whether the leaf is text of a tight list's item, which stands in no paragraph."""

    def _text(self, text: str, start: int, end: int) -> None:
        (self._leaf or self._loose_leaf(start)).text(text, start, end)

    def _line_break(self, kind: InlineKind, _: str, start: int, end: int) -> None:
        (self._leaf or self._loose_leaf(start)).line_break(kind, start, end)

    def _inline(self, kind: InlineKind, text: str, start: int, end: int) -> None:
        (self._leaf or self._loose_leaf(start)).add(Inline(kind, start, end, text))

    def _rule(self, _: str, start: int, end: int) -> None:
        self._end_leaf()
        self._leaf = _OpenLeaf(self._source, "rule", start, end)
        self._end_leaf()

    def _open(self, tag: str | dict[str, Any], start: int, end: int) -> None:
        name, value = _named(tag)
        if name in _CONTAINERS:
            self._end_leaf()
            self._open_container(_CONTAINERS[name], value, start)
        elif name in _LEAVES:
            self._end_leaf()
            self._leaf = _OpenLeaf(self._source, _LEAVES[name], start, end)
            self._level = int(value["level"][1]) if name == "Heading" else 0
            self._info = value.get("Fenced") if name == "CodeBlock" and isinstance(value, dict) else None
        else:
            self._open_inline(name, value, start, end)

    def _open_container(self, kind: ContainerKind, value: Any, start: int) -> None:
        detail = tuple(map(str.lower, value)) if kind == "table" else value
        self.tokens.append(Container(kind, start, self._depth, detail))
        self._depth += 1
        self._quotes += kind == "quote"
        self._footnotes += kind == "footnote"

    def _open_inline(self, name: str, value: Any, start: int, end: int) -> None:
        leaf = self._leaf or self._loose_leaf(start)
        if name in _LEADING:
            leaf.add(Inline(_LEADING[name], start, _link_end(value, end), "", _target(value), value["title"]))
        elif self._is_tilde(name, start):
            leaf.text("~", start, start + 1)
        else:
            leaf.reach(start, end)

    def _close(self, tag: str | dict[str, Any], start: int, end: int) -> None:
        name, _ = _named(tag)
        if name in _CONTAINERS:
            self._end_leaf()
            self._depth -= 1
            self._quotes -= name == "BlockQuote"
            self._footnotes -= name == "FootnoteDefinition"
        elif name in _LEAVES:
            self._end_leaf()
        elif self._leaf is not None:
            if self._is_tilde(name, start):
                self._leaf.text("~", end - 1, end)
            else:
                self._leaf.reach(end, max(end, self._leaf.inner_end))

    def _is_tilde(self, name: str, start: int) -> bool:
        """Pandoc strikes out between two tildes only."""
        return name == "Strikethrough" and self._source[start + 1] != "~"

    def _loose_leaf(self, start: int) -> _OpenLeaf:
        self._leaf, self._loose = _OpenLeaf(self._source, "paragraph", start, start), True
        self._level, self._info = 0, None
        return self._leaf

    def _end_leaf(self) -> None:
        if self._leaf is not None:
            leaf = self._leaf.closed(self._depth, self._level, self._quotes > 0, self._footnotes > 0, self._info)
            self.tokens.append(leaf._replace(end=leaf.inner_end) if self._loose else leaf)
            self._leaf, self._loose = None, False
            self._level, self._info = 0, None


def _named(tag: str | dict[str, Any]) -> tuple[str, Any]:
    if isinstance(tag, str):
        return tag, None
    ((name, value),) = tag.items()
    return name, value


def _link_end(link: Mapping[str, Any], end: int) -> int:
    """The parser leaves out the empty brackets of ``[label][]``."""
    return end + 2 if link["link_type"] == "Collapsed" else end


def _target(link: Mapping[str, Any]) -> str:
    scheme = "mailto:" if link["link_type"] == "Email" else ""
    return scheme + quote(_STRAY_PERCENT.sub("%25", link["dest_url"]), safe=_IN_URLS)
