"""HTML of a text from outside: every tag in it is one of ours, and no script or address of somebody else is reached."""

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from .lines import Lines, events

_SAFE_LINK = re.compile(r"(?:https?:|mailto:)", re.IGNORECASE)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|\\")
_BREAKS = {"SoftBreak": "\n", "HardBreak": "<br>\n", "Rule": "<hr>\n"}
_TAGS: Mapping[str, str] = {
    "Paragraph": "p",
    "BlockQuote": "blockquote",
    "Item": "li",
    "FootnoteDefinition": "aside",
    "Emphasis": "em",
    "Strong": "strong",
    "Strikethrough": "del",
    "TableHead": "tr",
    "TableRow": "tr",
    "HtmlBlock": "pre",
}
Address = Callable[[str], str | None]
"""The address of an image by the name that a text has for it; None for one that is not shown."""


def html(
    text: str, image: Address = lambda name: None, *, level: int = 0, first_line: int = 1, name: str = "line"
) -> str:
    """A text as HTML: the markup in it is told as text, and of addresses those of the web and of mail are links.

    Top-level blocks have the line that they begin on (``data-line``, and ``line-3`` as their id, or another ``name``
    before the number), where the text begins on ``first_line``; headings are ``level`` levels lower.
    """
    lines = Lines(text)
    rendering = _Rendering(lines, image, level, first_line, name)
    for event, start, _ in events(lines):
        rendering.take(event, start)
    return "".join(rendering.parts)


class _Rendering:
    def __init__(self, lines: Lines, image: Address, level: int, first_line: int, name: str) -> None:
        self.parts: list[str] = []
        self._lines, self._image, self._level, self._first, self._name = lines, image, level, first_line, name
        self._ends: list[str] = []
        self._cell, self._images = "td", 0

    def take(self, event: str | dict[str, Any], start: int) -> None:
        if isinstance(event, str):
            self._write(_BREAKS[event])
            return
        ((name, value),) = event.items()
        match name:
            case "Start":
                self._start(*_named(value), start)
            case "End":
                self._end(_named(value)[0])
            case "Code":
                self._write(value if self._images else f"<code>{escape(value)}</code>")
            case "FootnoteReference":
                self._write(f"<sup>{escape(value)}</sup>")
            case _:
                self._write(escape(str(value)))

    def _write(self, text: str) -> None:
        if not self._images:
            self.parts.append(text)

    def _start(self, name: str, value: Any, start: int) -> None:
        begin, end = self._element(name, value)
        if not self._ends and begin.startswith("<"):
            head, _, tail = begin.partition(">")
            line = self._lines.number(start) + self._first - 1
            begin = f'{head} id="{self._name}-{line}" data-line="{line}">{tail}'
        self._ends.append(end)
        self._write(begin)
        self._images += name == "Image"

    def _end(self, name: str) -> None:
        self._images -= name == "Image"
        if name == "TableHead":
            self._cell = "td"
        self._write(self._ends.pop())

    def _element(self, name: str, value: Any) -> tuple[str, str]:
        match name:
            case "Heading":
                level = min(int(value["level"][1:]) + self._level, 6)
                return f"<h{level}>", f"</h{level}>\n"
            case "List" if value is not None:
                return f'<ol start="{int(value)}">', "</ol>\n"
            case "List":
                return "<ul>", "</ul>\n"
            case "CodeBlock":
                return '<pre tabindex="0"><code>', "</code></pre>\n"
            case "Table":
                return '<div class="table" tabindex="0"><table>', "</table></div>\n"
            case "TableCell":
                return f"<{self._cell}>", f"</{self._cell}>"
            case "Link":
                return _link(value["dest_url"])
            case "Image":
                return self._picture(value["dest_url"]), ""
        if name == "TableHead":
            self._cell = "th"
        tag = _TAGS.get(name, "span")
        return f"<{tag}>", f"</{tag}>" if tag in ("em", "strong", "del", "span") else f"</{tag}>\n"

    def _picture(self, name: str) -> str:
        address = None if _SCHEME.match(name) else self._image(name)
        if address is None:
            return f'<span class="picture">{escape(name)}</span>'
        return f'<img src="{escape(address)}" alt="{escape(name)}" loading="lazy">'


def _named(value: Any) -> tuple[str, Any]:
    if isinstance(value, str):
        return value, None
    ((name, inner),) = value.items()
    return name, inner


def _link(target: str) -> tuple[str, str]:
    """Nothing that runs can be followed; what is no address of the web is told by its words alone."""
    if _SAFE_LINK.match(target):
        return f'<a href="{escape(target)}" rel="noopener noreferrer nofollow">', "</a>"
    return "<span>", "</span>"
