"""The document as GitHub's Markdown."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from .inert import inert
from .manuscript import Manuscript
from .pandoc import Pandoc
from .tree import Node, attributes, node, rewrite, text

# Formulas between dollars are read by more viewers than GitHub's own form.
WRITER = "gfm-tex_math_gfm"
# Footnotes stay with their section, so that a section is whole by itself.
_OPTIONS = ("--wrap=preserve", "--reference-location=section")
_BREAK = node("RawInline", "html", "<br>")


async def to_markdown(manuscript: Manuscript, pandoc: Pandoc) -> bytes:
    """The title as the heading of level 1 and the chapters below it."""
    title = node("Header", 1, attributes(), text(manuscript.title))
    return (await write_blocks([title, *map(_one_lower, manuscript.blocks)], pandoc)).encode()


async def write_blocks(blocks: list[Node], pandoc: Pandoc) -> str:
    """Blocks as Markdown."""
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
