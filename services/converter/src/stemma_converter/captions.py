"""Numbered captions of figures and tables, the same in every format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count

from .images import Picture
from .tables import with_columns
from .tree import Node, attributes, node, plain, rewrite, text

_TABLE_TITLE = re.compile(r"\s*Table(?:\s+[\d.]+)?\s*:\s*(?P<title>\S.*?)\s*", re.DOTALL)


def with_captions(blocks: list[Node], pictures: Mapping[str, Picture]) -> list[Node]:
    """Images on a line of their own become figures, titled tables get captions; images get their width on the page.

    A figure's caption is its alternative text; a table's is a paragraph ``Table: ...`` right before or
    after it.
    """
    figures, tables = count(1), count(1)

    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Image", "c": [_, alt, [str(name), _]]}:
                size = attributes(width=f"{pictures[name].inches}in")
                return [node("Image", size, alt, [name, ""])]
            case {"t": "Para", "c": [{"t": "Image", "c": [_, alt, _]} as image]}:
                return [_figure(image, alt, next(figures))]
            case {"t": "Table"}:
                return [_numbered(with_columns(item), tables)]
            case _:
                return [item]

    captioned: list[Node] = rewrite(_with_table_titles(blocks), edit)
    return captioned


def _figure(image: Node, alt: list[Node], number: int) -> Node:
    label = text(f"Figure {number}")
    words = [*label[:-1], node("Str", f"{number}:"), node("Space"), *alt] if alt else label
    return node("Figure", attributes(), [None, [node("Plain", words)]], [node("Plain", [image])])


def _numbered(table: Node, numbers: Iterator[int]) -> Node:
    attrs, (short, title), *rest = table["c"]
    words = [inline for block in title for inline in block["c"]]
    if not words:
        return table
    label = [*text(f"Table {next(numbers)}:"), node("Space"), *words]
    return node("Table", attrs, [short, [node("Plain", label)]], *rest)


def _with_table_titles(blocks: list[Node]) -> list[Node]:
    titled: list[Node] = []
    for block in blocks:
        previous = titled[-1] if titled else None
        if block["t"] == "Table" and previous and (title := _table_title(previous)):
            titled[-1] = _titled(block, title)
        elif previous and previous["t"] == "Table" and not previous["c"][1][1] and (title := _table_title(block)):
            titled[-1] = _titled(previous, title)
        else:
            titled.append(block)
    return titled


def _table_title(block: Node) -> str | None:
    match = _TABLE_TITLE.fullmatch(plain(block)) if block["t"] == "Para" else None
    return match["title"] if match and len(match["title"]) <= 200 else None


def _titled(table: Node, title: str) -> Node:
    attrs, (short, _), *rest = table["c"]
    return node("Table", attrs, [short, [node("Plain", text(title))]], *rest)
