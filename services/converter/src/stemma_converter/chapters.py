"""Drafts as the chapters of a document: levels and unique names of headings, and the links to them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote

from stemma_markdown import anchor

from .tree import Node, attributes, node, plain, rewrite, text, walk

DEPTH = 2
"""How many levels of headings the contents list."""


def notice(remarks: Sequence[str]) -> list[Node]:
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
    return [node("Para", [node("Strong", item["c"][2])])] if item["t"] == "Header" else [item]


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
        for item in walk(block, words=False):
            if item["t"] == "Span":
                names.setdefault(item["c"][0][0].lower(), current)
        named.append(block)
    return named, names


def _unique(name: str, used: set[str]) -> str:
    candidate, count = name, 0
    while candidate in used:
        count += 1
        candidate = f"{name}-{count}"
    used.add(candidate)
    return candidate


def _linked(blocks: list[Node], names: dict[str, str], warnings: Counter[str]) -> list[Node]:
    """The blocks with links to the new names, and without what else names were given to."""

    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Link", "c": [attributes, inlines, [str(target), title]]} if target.startswith("#"):
                name = names.get(unquote(target[1:]).lower())
                if name is None:
                    warnings["dropped_link"] += 1
                    return list(inlines)
                return [node("Link", attributes, inlines, [f"#{name}", title])]
            case {"t": "Span", "c": [_, inlines]}:
                return list(inlines)
            case {"t": "Para", "c": []}:
                return []
            case _:
                return [item]

    return rewrite(blocks, edit)
