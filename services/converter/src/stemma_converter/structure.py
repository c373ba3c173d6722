"""A Markdown document as a tree of sections from which the exact text can be put together again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from stemma_markdown import Token, parse

Json = dict[str, Any]

_KINDS = {
    "bullet_list": "list",
    "ordered_list": "list",
    "blockquote": "quote",
    "fence": "code",
    "code_block": "code",
    "hr": "rule",
    "math_block": "math",
    "math_block_label": "math",
    "footnote_reference": "footnote",
    "html_block": "html",
}


@dataclass
class _Section:
    level: int
    content: Json
    sections: list[Json] = field(default_factory=list)


def section_tree(text: str) -> tuple[list[Json], list[Json]]:
    """The blocks before the first heading, and the sections with their blocks and subsections.

    ``source`` of all blocks and headings in document order, joined, is ``text``; ``line`` counts from 1.
    """
    blocks = list(_blocks(text))
    preamble = list(_before_heading(blocks))
    top: list[Json] = []
    open_sections = [_Section(0, {}, top)]
    for block in blocks[len(preamble) :]:
        if block["type"] == "heading":
            while open_sections[-1].level >= block["level"]:
                open_sections.pop()
            section = _new_section(block)
            open_sections[-1].sections.append(section.content)
            open_sections.append(section)
        else:
            open_sections[-1].content["blocks"].append(block)
    return preamble, top


def source_of(preamble: Sequence[Json], sections: Sequence[Json]) -> str:
    """The text that a tree was made from."""
    return "".join(block["source"] for block in preamble) + "".join(
        section["source"] + source_of(section["blocks"], section["sections"]) for section in sections
    )


def _new_section(heading: Json) -> _Section:
    subsections: list[Json] = []
    keys = ("title", "level", "line", "source")
    return _Section(
        heading["level"], {**{k: heading[k] for k in keys}, "blocks": [], "sections": subsections}, subsections
    )


def _before_heading(blocks: list[Json]) -> Iterator[Json]:
    for block in blocks:
        if block["type"] == "heading":
            return
        yield block


def _blocks(text: str) -> Iterator[Json]:
    """Blocks without a gap: lines that no token covers belong to the block before them."""
    lines = text.split("\n")
    ends = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    groups = list(_groups(parse(text, math=True)))
    starts = [0, *(group[0].map[0] for group in groups if group[0].map), len(ends)]
    if starts[1] > 0 and (gap := "".join(ends[: starts[1]])):
        yield {"type": _gap_kind(gap), "line": 1, "source": gap}
    for group, (start, end) in zip(groups, pairwise(starts[1:]), strict=True):
        yield {**_described(group), "line": start + 1, "source": "".join(ends[start:end])}


def _gap_kind(source: str) -> str:
    return "definitions" if source.strip() else "blank"


def _groups(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of one top-level block at a time."""
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield group
            group = []


def _described(group: list[Token]) -> Json:
    first = group[0]
    kind = first.type.removesuffix("_open")
    shared = {"type": _KINDS.get(kind, kind)}
    match shared["type"]:
        case "heading":
            return {**shared, "level": int(first.tag[1]), "title": _words(group[1])}
        case "code":
            return {**shared, "language": next(iter(first.info.split()), ""), "text": first.content}
        case "table":
            return {**shared, "rows": _rows(group), "align": _alignment(group)}
        case "list":
            return {**shared, "ordered": kind == "ordered_list", "items": _items(group)}
        case "footnote":
            return {**shared, "label": first.meta["label"], **_inline(group)}
        case "math":
            return {**shared, "text": first.content}
        case _:
            return {**shared, **_inline(group)}


def _inline(group: list[Token]) -> Json:
    """The text and the images of a block, where it has them."""
    inlines = [token for token in group if token.type == "inline"]
    images = [
        {"source": unquote(str(child.attrs["src"])), "alt": child.content}
        for token in inlines
        for child in token.children or []
        if child.type == "image"
    ]
    described: Json = {"text": "\n".join(token.content for token in inlines)} if inlines else {}
    return described | ({"images": images} if images else {})


def _words(inline: Token) -> str:
    parts = (child.content if child.type != "softbreak" else " " for child in inline.children or [])
    return "".join(parts).strip()


def _rows(group: list[Token]) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in group:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content)
    return rows


def _alignment(group: list[Token]) -> list[str]:
    styles = (str(token.attrs.get("style", "")) for token in group if token.type == "th_open")
    return [style.removeprefix("text-align:") or "default" for style in styles]


def _items(group: list[Token]) -> list[Json]:
    """The items of a list in a row; ``depth`` is 0 for those of the list itself."""
    items: list[Json] = []
    for token in group:
        if token.type == "list_item_open" and token.map:
            items.append({"depth": token.level // 2, "line": token.map[0] + 1, "text": ""})
        elif token.type == "inline" and items and not items[-1]["text"]:
            items[-1] |= _task(token.content)
    return items


def _task(content: str) -> Json:
    marks = {"[ ] ": False, "[x] ": True, "[X] ": True}
    mark = content[:4]
    return {"text": content[4:], "done": marks[mark]} if mark in marks else {"text": content}
