"""Names of headings, unique in the whole document, and the links that lead to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import unquote

from stemma_markdown import anchor

from .tree import Node, node, plain, rewrite, walk_markup


def joined(title: str, chapters: Sequence[list[Node]], warnings: Sequence[Counter[str]]) -> list[Node]:
    """The chapters one after the other, with unique heading names; links inside follow their heading.

    A link means a heading of its own chapter first, then the first of that name in the document; a link
    to nothing becomes text and is counted among the warnings of its chapter.
    """
    used = {anchor(title)}
    renamed = [_named(chapter, used) for chapter in chapters]
    everywhere: dict[str, str] = {}
    for _, names in renamed:
        everywhere = names | everywhere
    return [
        block
        for (blocks, names), counts in zip(renamed, warnings, strict=True)
        for block in _linked(blocks, everywhere | names, counts)
    ]


def _named(blocks: list[Node], used: set[str]) -> tuple[list[Node], dict[str, str]]:
    """The blocks with unique heading names, and what the names of the draft became.

    A name in the text stands for the heading above it.
    """
    names: dict[str, str] = {}
    named = []
    current = ""
    for block in blocks:
        if block["t"] == "Header":
            level, (old, classes, values), inlines = block["c"]
            current = _unique(anchor(plain(inlines)) or "section", used)
            names.setdefault(old or current, current)
            block = node("Header", level, [current, classes, values], inlines)  # noqa: PLW2901
        for item in walk_markup(block):
            if item["t"] == "Span":
                names.setdefault(item["c"][0][0].lower(), current)
        named += rewrite([block], _without_span)
    return named, names


def _without_span(item: Node) -> list[Node]:
    match item:
        case {"t": "Span", "c": [_, inlines]}:
            return list(inlines)
        case {"t": "Para", "c": []}:
            return []
        case _:
            return [item]


def _unique(name: str, used: set[str]) -> str:
    candidate, count = name, 0
    while candidate in used:
        count += 1
        candidate = f"{name}-{count}"
    used.add(candidate)
    return candidate


def _linked(blocks: list[Node], names: dict[str, str], warnings: Counter[str]) -> list[Node]:
    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Link", "c": [attributes, inlines, [str(target), title]]} if target.startswith("#"):
                name = names.get(unquote(target[1:]).lower())
                if name is None:
                    warnings["dropped_link"] += 1
                    return list(inlines)
                return [node("Link", attributes, inlines, [f"#{name}", title])]
            case _:
                return [item]

    linked: list[Node] = rewrite(blocks, edit)
    return linked
