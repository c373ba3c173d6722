"""What a draft may bring into a document: no raw markup, no odd links, and only vetted images."""

import re
from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urlsplit

from stemma_languages import Words

from .images import Picture
from .tree import Node, attributes, node, plain, rewrite, text, walk

_SILENT = ("script", "style", "template", "iframe", "object", "noscript", "svg", "head", "title", "textarea")
_INLINE = ("LineBreak", "Image", "Span")
_BLOCKS = ("p", "div", "tr", "li", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "summary", "details")


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[list[Node]] = [[]]
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in _SILENT
        values = dict(attrs)
        if tag == "br":
            self.lines[-1].append(node("LineBreak"))
        elif tag == "img" and values.get("src"):
            source, alt = values["src"] or "", values.get("alt") or ""
            self.lines[-1].append(node("Image", attributes(), text(alt), [source, ""]))
        elif tag == "a" and (name := values.get("id") or values.get("name")):
            self.lines[-1].append(node("Span", attributes(name), []))
        elif tag in _BLOCKS:
            self.lines.append([])
        elif tag in ("td", "th") and self.lines[-1]:
            self.lines[-1] += [*text("|"), node("Space")]

    def handle_endtag(self, tag: str) -> None:
        self._silent = max(0, self._silent - (tag in _SILENT))
        if tag in _BLOCKS:
            self.lines.append([])

    def handle_data(self, data: str) -> None:
        if not self._silent:
            gap = [node("Space")] if self.lines[-1] and data[:1].isspace() else []
            self.lines[-1] += gap + text(data) + ([node("Space")] if data[-1:].isspace() and data.strip() else [])


def _read(html: str) -> list[list[Node]]:
    reader = _Text()
    reader.feed(html)
    reader.close()
    return reader.lines


def _paragraphs(html: str) -> list[Node]:
    lines = (line for line in _read(html) if any(inline["t"] not in ("Space", "LineBreak") for inline in line))
    return [node("Para", line) for line in lines]


def _inline_parts(html: str) -> list[Node]:
    """What one raw inline tag stands for: a line break, an image, a name that links lead to, or nothing."""
    return [inline for line in _read(html) for inline in line if inline["t"] in _INLINE]


LINK_SCHEMES = ("http", "https", "mailto")
_GAPS = ("Space", "SoftBreak", "LineBreak")
_COMMENT = re.compile(r"\s*<!--.*-->\s*", re.DOTALL)


def without_markup(blocks: list[Node], warnings: Counter[str]) -> list[Node]:
    """The blocks with raw markup replaced by what a reader sees of it; comments go silently."""

    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "RawBlock" | "RawInline", "c": [_, str(html)]} if _COMMENT.fullmatch(html):
                return []
            case {"t": "RawBlock", "c": [_, str(html)]}:
                paragraphs = _paragraphs(html)
                warnings["dropped_html"] += not _only_images(paragraphs)
                return paragraphs
            case {"t": "RawInline", "c": [_, str(html)]}:
                parts = _inline_parts(html)
                warnings["dropped_html"] += not parts and not html.startswith("</")
                return parts
            case {"t": "Span", "c": [_, inlines]}:
                return list(inlines)
            case {"t": "Para" | "Plain" as kind, "c": inlines}:
                return [node(kind, _tidy(inlines))]
            case _:
                return [item]

    return rewrite(blocks, edit)


def _tidy(inlines: list[Node]) -> list[Node]:
    """No space at the beginning of a line, and none twice."""
    pairs = zip([None, *inlines], inlines, strict=False)
    return [b for a, b in pairs if not (a and a["t"] in _GAPS and b["t"] in ("Space", "SoftBreak"))]


def _only_images(paragraphs: list[Node]) -> bool:
    return bool(paragraphs) and all(
        inline["t"] in ("Image", "Space", "Span") for block in paragraphs for inline in block["c"]
    )


def asset_name(source: str) -> str:
    return unquote(source).removeprefix("./")


def image_sources(blocks: list[Node]) -> set[str]:
    """What all images inside refer to: addresses in a draft, names of assets once its references are safe."""
    return {item["c"][2][0] for item in walk(blocks, words=False) if item["t"] == "Image"}


def with_safe_references(
    blocks: list[Node], pictures: Mapping[str, Picture | None], warnings: Counter[str], own: Words
) -> list[Node]:
    """The blocks with links of allowed schemes and images that were vetted; the rest becomes text.

    ``pictures`` has every asset that is referred to, with none for one that was refused; ``own`` are the words for it.
    """

    def image(attributes: Any, alt: list[Node], name: str) -> Node:
        if pictures.get(name):
            return node("Image", attributes, alt, [name, ""])
        warnings["dropped_image" if name in pictures or is_foreign(name) else "missing_image"] += 1
        words = plain(alt).strip()
        return node("Emph", text(f"[{own.image_missing}: {words}]" if words else f"[{own.image_missing}]"))

    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Link", "c": [_, inlines, [str(target), _]]} if not is_safe_link(target):
                warnings["dropped_link"] += 1
                return list(inlines)
            case {"t": "Image", "c": [attributes, alt, [str(source), _]]}:
                return [image(attributes, alt, asset_name(source))]
            case {"t": "Note", "c": content}:
                return [{"t": "Note", "c": rewrite(content, _without_notes)}]
            case _:
                return [item]

    return rewrite(blocks, edit)


def is_safe_link(target: str) -> bool:
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    return target.startswith("#") or parts.scheme in LINK_SCHEMES


def _without_notes(item: Node) -> list[Node]:
    return [] if item["t"] == "Note" else [item]


def is_foreign(name: str) -> bool:
    return ":" in name or name.startswith(("/", "\\")) or ".." in name.split("/")
