"""The document as GitHub's Markdown, and as a tree of sections from which the exact text can be put together again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, unquote

from stemma_markdown import Container, Document, Image, Leaf, Token, markup

from .assembly import Manuscript
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


Json = dict[str, Any]
Images = dict[int, Image]


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
    document = Document(text, math=True)
    groups = list(_groups(document.tokens))
    starts = [document.line_start(group[0].start) for group in groups]
    images = {image.start: image for image in document.images if not image.is_html}
    gap = text[: starts[0]] if starts else text
    if gap:
        yield {"type": "definitions" if gap.strip() else "blank", "line": 1, "source": gap}
    for group, (start, end) in zip(groups, pairwise([*starts, len(text)]), strict=True):
        yield {**_described(group, document, images), "line": document.line(start), "source": text[start:end]}


def _groups(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    group: list[Token] = []
    for token in tokens:
        if token.depth == 0 and group:
            yield group
            group = []
        group.append(token)
    if group:
        yield group


def _described(group: list[Token], document: Document, images: Images) -> Json:
    match group[0]:
        case Leaf() as leaf:
            return _described_leaf(leaf, document, images)
        case Container(kind="table") as table:
            return {"type": "table", "rows": _rows(group, document), "align": _alignment(table)}
        case Container(kind="list", detail=number):
            return {"type": "list", "ordered": number is not None, "items": _items(group, document)}
        case Container(kind="footnote", detail=label):
            return {"type": "footnote", "label": label, **_inline(group, document, images)}
        case Container() as other:
            return {"type": other.kind, **_inline(group, document, images)}


def _described_leaf(leaf: Leaf, document: Document, images: Images) -> Json:
    match leaf.kind:
        case "heading":
            return {"type": "heading", "level": leaf.level, "title": _title(leaf)}
        case "code":
            text = "".join(inline.text for inline in leaf.inlines)
            return {"type": "code", "language": next(iter((leaf.info or "").split()), ""), "text": text}
        case "paragraph" if _is_formula(leaf, document.text):
            return {"type": "math", "text": leaf.inlines[0].text}
        case _:
            return {"type": leaf.kind, **_inline([leaf], document, images)}


def _is_formula(leaf: Leaf, text: str) -> bool:
    return [inline.kind for inline in leaf.inlines] == ["math"] and text.startswith("$$", leaf.inner_start)


def _inline(group: list[Token], document: Document, images: Images) -> Json:
    leaves = [token for token in group if isinstance(token, Leaf) and token.kind in ("heading", "paragraph", "cell")]
    found = [images[inline.start] for leaf in leaves for inline in leaf.inlines if inline.start in images]
    described: Json = {"text": "\n".join(_written(leaf, document) for leaf in leaves)} if leaves else {}
    sources = [{"source": unquote(image.target), "alt": image.markup} for image in found]
    return described | ({"images": sources} if sources else {})


def _written(leaf: Leaf, document: Document) -> str:
    return markup(leaf.inlines, document.text, leaf.inner_start, leaf.inner_end)


def _title(heading: Leaf) -> str:
    parts = (" " if inline.kind == "softbreak" else inline.text for inline in heading.inlines)
    return "".join(parts).strip()


def _rows(group: list[Token], document: Document) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in group[1:]:
        if isinstance(token, Leaf):
            rows[-1].append(_written(token, document))
        else:
            rows.append([])
    return rows


def _alignment(table: Container) -> list[str]:
    names = table.detail if isinstance(table.detail, tuple) else ()
    return ["default" if name == "none" else name for name in names]


def _items(group: list[Token], document: Document) -> list[Json]:
    """The items of a list in a row; ``depth`` is 0 for those of the list itself."""
    items: list[Json] = []
    for token in group:
        if isinstance(token, Container):
            if token.kind == "item":
                items.append({"depth": token.depth // 2, "line": document.line(token.start), "text": ""})
        elif token.kind in ("heading", "paragraph", "cell") and items and not items[-1]["text"]:
            items[-1] |= _task(_written(token, document))
    return items


def _task(content: str) -> Json:
    marks = {"[ ] ": False, "[x] ": True, "[X] ": True}
    mark = content[:4]
    return {"text": content[4:], "done": marks[mark]} if mark in marks else {"text": content}
