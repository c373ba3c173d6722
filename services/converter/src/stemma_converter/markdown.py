"""The document as GitHub's Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from .manuscript import Manuscript
from .pandoc import Pandoc
from .tree import Node, attributes, node, rewrite, text

# Attributes and raw blocks in braces, fenced divisions, metadata between dashes, TeX commands and templates are escaped
# where they are words; signs of markup in formulas have their names of TeX; titles of links, written as they are, go.
_LIVE = re.compile(r"^(?:-(?=--$)|:(?=::))|\{%?|(?<=%)\}|\\(?=[A-Za-z])")
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9_+#.-]{0,39}")
_SIGNS = {"<": r"\lt ", ">": r"\gt "}


def inert(value: Any) -> Any:
    """Blocks or inlines in which nothing but their own markup means anything."""
    if isinstance(value, list):
        return [piece for item in value for piece in _pieces(item)]
    if not isinstance(value, dict):
        return value
    match value:
        case {"t": "Math", "c": [kind, str(formula)]}:
            return node("Math", kind, re.sub("[<>]", lambda sign: _SIGNS[sign[0]], formula))
        case {"t": "CodeBlock", "c": [[_, classes, _], str(code)]}:
            return node("CodeBlock", attributes("", *filter(_LANGUAGE.fullmatch, classes[:1])), code)
        case {"t": "Link", "c": [attrs, inlines, [target, _]]}:
            return node("Link", attrs, inert(inlines), [target, ""])
        case {"c": content}:
            return {**value, "c": inert(content)}
        case _:
            return value


def _pieces(item: Any) -> list[Any]:
    if not (isinstance(item, dict) and item["t"] == "Str"):
        return [inert(item)]
    pieces: list[Node] = []
    words, at = str(item["c"]), 0
    for live in _LIVE.finditer(words):
        escaped = "".join(f"\\{sign}" for sign in live[0])
        pieces += [node("Str", words[at : live.start()]), node("RawInline", "markdown", escaped)]
        at = live.end()
    return [*pieces, node("Str", words[at:])] if pieces else [item]


# Formulas between dollars are read by more viewers than GitHub's own form.
WRITER = "gfm-tex_math_gfm"
# Footnotes stay with their section, so that a section is whole by itself.
_OPTIONS = ("--wrap=preserve", "--reference-location=section")
_BREAK = node("RawInline", "html", "<br>")


async def to_markdown(manuscript: Manuscript, pandoc: Pandoc) -> bytes:
    title = node("Header", 1, attributes(), text(manuscript.title))
    return (await write_blocks([title, *map(_one_lower, manuscript.blocks)], pandoc)).encode()


async def write_blocks(blocks: list[Node], pandoc: Pandoc) -> str:
    written = rewrite(inert(blocks), _as_markdown)
    with TemporaryDirectory(prefix="stemma-") as folder:
        return (await pandoc.write(WRITER, written, folder=Path(folder), options=_OPTIONS)).decode()


def _one_lower(block: Node) -> Node:
    if block["t"] != "Header":
        return block
    level, attrs, inlines = block["c"]
    return node("Header", min(level + 1, 6), attrs, inlines)


def _as_markdown(item: Node) -> list[Node]:
    """The cells of a Markdown table have one line; the break is the only markup that we add."""
    match item:
        case {"t": "Table", "c": content}:
            return [{"t": "Table", "c": rewrite(content, _marked_break)}]
        case {"t": "Image", "c": [attrs, alt, [str(name), title]]}:
            return [node("Image", attrs, alt, [quote(name), title])]
        case _:
            return [item]


def _marked_break(item: Node) -> list[Node]:
    return [_BREAK] if item["t"] == "LineBreak" else [item]
