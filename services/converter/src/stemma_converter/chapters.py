"""A draft as a chapter: one heading of level 1, the others below it without gaps; or as all chapters of a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .tree import Node, attributes, node, plain, rewrite, text

DEPTH = 2
"""How many levels of headings the contents list."""


def notice(remarks: Sequence[str]) -> list[Node]:
    """Remarks about the state of a section that every reader sees, as GitHub's notes are parsed."""
    title = node("Div", attributes("", "title"), [node("Para", text("Note"))])
    words = [node("Para", text(remark)) for remark in remarks]
    return [node("Div", attributes("", "warning"), [title, *words])] if words else []


def chapter(title: str, blocks: list[Node], remarks: Sequence[str]) -> list[Node]:
    """The blocks under one heading of level 1: the draft's own if it begins with one, else ``title``."""
    has_heading = bool(blocks) and blocks[0]["t"] == "Header" and bool(plain(blocks[0]).strip())
    head = _header(1, blocks[0]) if has_heading else node("Header", 1, attributes(), text(title))
    rest = _with_levels(blocks[1:] if has_heading else blocks)
    return [head, *notice(remarks), *rest]


def bears_title(title: str, blocks: list[Node]) -> bool:
    """Whether a draft begins with the title of the document, and has headings below it that can be its chapters."""
    headers = [block for block in blocks if block["t"] == "Header"]
    if len(headers) < 2 or blocks[0] is not headers[0]:
        return False
    return " ".join(plain(headers[0]).split()).casefold() == " ".join(title.split()).casefold()


def whole(blocks: list[Node], remarks: Sequence[str]) -> list[Node]:
    """The blocks of a draft that is the document: its title stands on the cover, so it is no chapter."""
    return [*notice(remarks), *_with_levels(blocks[1:], top=1)]


def numbers(levels: Iterable[int]) -> Iterator[str]:
    """The number of each heading of a document, such as ``2.1``, from the levels of all."""
    counters: list[int] = []
    for level in levels:
        counters = [*counters[:level], *([0] * (level - len(counters)))]
        counters[level - 1] += 1
        yield ".".join(map(str, counters))


def _with_levels(blocks: list[Node], top: int = 2) -> list[Node]:
    shift = top - min((block["c"][0] for block in blocks if block["t"] == "Header"), default=top)
    last = top - 1
    leveled = []
    for block in blocks:
        if block["t"] == "Header":
            last = max(top, min(block["c"][0] + shift, last + 1, 6))
            leveled.append(_header(last, block))
        else:
            leveled += rewrite([block], _inner_heading_as_text)
    return leveled


def _header(level: int, header: Node) -> Node:
    """A heading carries words only: it is repeated in the contents."""
    _, attrs, inlines = header["c"]
    return node("Header", level, attrs, rewrite(inlines, _words_only))


def _words_only(item: Node) -> list[Node]:
    match item:
        case {"t": "Image", "c": [_, alt, _]}:
            return list(alt)
        case {"t": "LineBreak" | "SoftBreak"}:
            return [node("Space")]
        case _:
            return [item]


def _inner_heading_as_text(item: Node) -> list[Node]:
    """A heading in a list or a quotation is no part of the document's outline."""
    return [node("Para", [node("Strong", item["c"][2])])] if item["t"] == "Header" else [item]
