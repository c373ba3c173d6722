"""Raw HTML in drafts: its text stays, line breaks, images and names become real ones, all else is dropped."""

from __future__ import annotations

from html.parser import HTMLParser

from .tree import Node, attributes, node, text

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
    return [line for line in reader.lines if any(inline["t"] not in ("Space", "LineBreak") for inline in line)]


def block_text(html: str) -> list[Node]:
    """The paragraphs that a raw HTML block shows."""
    return [node("Para", line) for line in _read(html)]


def inline_parts(html: str) -> list[Node]:
    """What one raw inline tag stands for: a line break, an image, a name that links lead to, or nothing."""
    reader = _Text()
    reader.feed(html)
    reader.close()
    return [inline for line in reader.lines for inline in line if inline["t"] in _INLINE]
