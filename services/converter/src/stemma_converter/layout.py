"""What DOCX, PDF and HTML share: numbered captions, the columns of tables, notices, and a folder with the pictures."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stemma_languages import Language, language

from .appendices import PAGED
from .assembly import Manuscript
from .comparison import compared
from .images import PAGE_INCHES, Picture
from .tree import Node, attributes, node, plain, rewrite, text, walk

_LONGEST_TITLE = 200
_ICON_INCHES, _PADDING_INCHES = 0.5, 0.2
_BETWEEN_IMAGES = ("Space", "SoftBreak", "LineBreak")
# In characters of the size that tables are set in.
_PAGE, _NARROW, _UNBROKEN, _WIDE, _PADDING = 95, 4, 18, 60, 4


def with_captions(manuscript: Manuscript) -> Manuscript:
    """Images on lines of their own become figures, titled tables get captions; images get their width on the page.

    A figure's caption is its alternative text, also where several stand in one paragraph or in a cell; a table's is a
    paragraph ``Table: ...`` right before or after it.
    """
    blocks, previous = (
        None if blocks is None else _Captions(manuscript.pictures, manuscript.language).of(blocks)
        for blocks in (manuscript.blocks, manuscript.previous)
    )
    return replace(manuscript, blocks=blocks or [], previous=previous)


# In scripts without spaces, the signs of two ranges such as 3~5 stand in one word.
_SMALL = "[0-9A-Za-zΑ-ω+().,−-]{1,12}"
_SCRIPT = re.compile(rf"(?<=\w)(?:~(?P<sub>{_SMALL})~|\^(?P<sup>{_SMALL})\^)")
_OF_WORDS = frozenset({"Para", "Plain", "Emph", "Strong", "Strikeout"})


def _with_scripts(item: Node) -> list[Node]:
    """``H~2~O`` and ``x^2^`` as subscripts and superscripts, which GitHub's Markdown does not have."""
    if item["t"] not in _OF_WORDS:
        return [item]
    return [{**item, "c": [part for inline in item["c"] for part in _scripted(inline)]}]


def _scripted(inline: Node) -> Iterator[Node]:
    if inline["t"] != "Str" or not _SCRIPT.search(inline["c"]):
        yield inline
        return
    at, word = 0, inline["c"]
    for found in _SCRIPT.finditer(word):
        yield node("Str", word[at : found.start()])
        yield node("Subscript" if found["sub"] else "Superscript", [node("Str", found["sub"] or found["sup"])])
        at = found.end()
    if word[at:]:
        yield node("Str", word[at:])


class _Captions:
    def __init__(self, pictures: Mapping[str, Picture], spoken: Language) -> None:
        self._pictures = pictures
        self._spoken = spoken
        self._figures, self._tables = count(1), count(1)

    def of(self, blocks: list[Node]) -> list[Node]:
        return rewrite(self._with_table_titles(rewrite(blocks, _with_scripts)), self._edit)

    def _edit(self, item: Node) -> list[Node]:
        match item:
            case {"t": "Image", "c": [_, alt, [str(name), _]]}:
                size = attributes(width=f"{self._pictures[name].inches}in")
                return [node("Image", size, alt, [name, ""])]
            case {"t": "Para", "c": [image]} if _is_image(image):
                return [self._figure(image)]
            case {"t": "Para" | "Plain", "c": inlines} if images := self._group(inlines):
                return [self._figure(image) for image in images]
            case {"t": "Table"}:
                return [self._numbered(_with_fitting_images(with_columns(item)))]
            case _:
                return [item]

    def _group(self, inlines: list[Node]) -> list[Node]:
        """The images of a paragraph or a cell that holds nothing else; none if they are as small as icons are."""
        shown = [inline for inline in inlines if inline["t"] not in _BETWEEN_IMAGES]
        names = [item["c"][2][0] for item in walk(shown, words=False) if item["t"] == "Image"]
        large = all(self._pictures[name].inches > _ICON_INCHES for name in names)
        return shown if all(map(_is_image, shown)) and large else []

    def _figure(self, shown: Node) -> Node:
        """A figure; where its image lies in a link, the caption leads there: Word takes no link around a figure."""
        image = shown if shown["t"] == "Image" else shown["c"][1][0]
        label = self._spoken.numbered(self._spoken.words.figure, next(self._figures))
        words = self._labelled(label, _without_label(image["c"][1], self._spoken.words.figure))
        if shown["t"] == "Link":
            words = [node("Link", shown["c"][0], words, shown["c"][2])]
        return node("Figure", attributes(), [None, [node("Plain", words)]], [node("Plain", [image])])

    def _labelled(self, label: str, words: list[Node]) -> list[Node]:
        if not words:
            return text(label)
        before, _, after = self._spoken.captioned(label, "\0").partition("\0")
        gap = [node("Space")] if before[-1:].isspace() else []
        return [*text(before), *gap, *words, *text(after)]

    def _numbered(self, table: Node) -> Node:
        attrs, (short, title), *rest = table["c"]
        words = [inline for block in title for inline in block["c"]]
        if not words:
            return table
        label = self._spoken.numbered(self._spoken.words.table, next(self._tables))
        return node("Table", attrs, [short, [node("Plain", self._labelled(label, words))]], *rest)

    def _with_table_titles(self, blocks: list[Node]) -> list[Node]:
        titled: list[Node] = []
        for block in blocks:
            previous = titled[-1] if titled else None
            if block["t"] == "Table" and previous and (title := self._table_title(previous)):
                titled[-1] = _titled(block, title)
            elif previous and _is_untitled(previous) and (title := self._table_title(block)):
                titled[-1] = _titled(previous, title)
            else:
                titled.append(block)
        return titled

    def _table_title(self, block: Node) -> str | None:
        words = plain(block).strip() if block["t"] == "Para" else ""
        match = _label(self._spoken.words.table).match(words[: 2 * _LONGEST_TITLE])
        title = words[match.end() :] if match else ""
        return title if 0 < len(title) <= _LONGEST_TITLE else None


def _is_untitled(block: Node) -> bool:
    return block["t"] == "Table" and not block["c"][1][1]


def _titled(table: Node, title: str) -> Node:
    attrs, (short, _), *rest = table["c"]
    return node("Table", attrs, [short, [node("Plain", text(title))]], *rest)


def _label(word: str) -> re.Pattern[str]:
    english = {language("en").words.table, language("en").words.figure}
    words = "|".join(map(re.escape, sorted({word, *english})))
    return re.compile(rf"(?:{words})(?:\s?\d[\d.]*)?\s?[:\uff1a]\s*", re.IGNORECASE)


def _without_label(alt: list[Node], word: str) -> list[Node]:
    """The words of a caption without the number that the writer gave it: ours would stand beside it."""
    words = plain(alt).strip()
    match = _label(word).match(words)
    return text(words[match.end() :]) if match else alt


def _is_image(inline: Node) -> bool:
    match inline:
        case {"t": "Image"} | {"t": "Link", "c": [_, [{"t": "Image"}], _]}:
            return True
        case _:
            return False


def _with_fitting_images(table: Node) -> Node:
    widths = [share["c"] * PAGE_INCHES[0] - _PADDING_INCHES for _, share in table["c"][2]]

    def fit(column: int, blocks: list[Node]) -> list[Node]:
        return rewrite(blocks, partial(_narrowed, widths[column]))

    return with_cells(table, fit)


def _narrowed(inches: float, item: Node) -> list[Node]:
    match item:
        case {"t": "Image", "c": [[_, _, [["width", str(width)]]], alt, target]}:
            fitting = min(float(width.removesuffix("in")), round(max(inches, _ICON_INCHES), 2))
            return [node("Image", attributes(width=f"{fitting}in"), alt, target)]
        case _:
            return [item]


def with_columns(table: Node) -> Node:
    """The table as wide as the page, each column with the share that its text needs.

    Markdown asks for a header also where there is none: an empty one is dropped.
    """
    attributes, caption, columns, head, bodies, foot = table["c"]
    head = head if plain(head[1]).strip() else [head[0], []]
    rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
    cells = [[plain(row[1][i][4]).strip() for row in rows if i < len(row[1])] for i in range(len(columns))]
    widths = column_shares(cells)
    columns = [[_alignment(align), node("ColWidth", width)] for (align, _), width in zip(columns, widths, strict=True)]
    return node("Table", attributes, caption, columns, head, bodies, foot)


def with_cells(table: Node, edit: Callable[[int, list[Node]], list[Node]]) -> Node:
    """The table with other blocks in its cells, from the number of their column (from 0) and what they hold."""

    def rows(old: list[Any]) -> list[Any]:
        return [
            [attrs, [[*cell[:4], edit(column, cell[4])] for column, cell in enumerate(cells)]] for attrs, cells in old
        ]

    attributes, caption, columns, head, bodies, foot = table["c"]
    bodies = [[*body[:2], rows(body[2]), rows(body[3])] for body in bodies]
    return node("Table", attributes, caption, columns, [head[0], rows(head[1])], bodies, [foot[0], rows(foot[1])])


def column_shares(cells: list[list[str]]) -> list[float]:
    """The share of each column in the width of the page, from the text of its cells.

    Every column gets what it cannot do without; what is left goes to those that have more to say.
    """
    least = [_least(column) for column in cells]
    more = [max(0.0, _wish(column) - enough) for column, enough in zip(cells, least, strict=True)]
    spare = max(0, _PAGE - sum(least)) / sum(more) if any(more) else 0
    needs = [enough + spare * wish for enough, wish in zip(least, more, strict=True)]
    return [round(need / sum(needs), 4) for need in needs]


def _least(column: list[str]) -> int:
    word = max((len(word) for cell in column for word in cell.split()), default=0)
    line = max((len(cell) for cell in column), default=0)
    return max(_NARROW, min(word, _WIDE // 2), min(line, _UNBROKEN)) + _PADDING


def _wish(column: list[str]) -> float:
    line = max((len(cell) for cell in column), default=0)
    average = sum(len(cell) for cell in column) / max(1, len(column))
    return min(_WIDE, (line + average) / 2)


def _alignment(align: Node) -> Node:
    return node("AlignLeft") if align["t"] == "AlignDefault" else align


MEDIA = "media"


def with_pages(blocks: list[Node], format: str, page_of: Callable[[str], str]) -> list[Node]:
    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Link", "c": [[_, classes, values], inlines, [str(target), title]]} if PAGED in classes:
                before, after = (dict(values)[name] for name in ("before", "after"))
                space = [node("Space")] if before.endswith(" ") else []
                page = [*text(before), *space, node("RawInline", format, page_of(target[1:])), *text(after)]
                return [node("Link", attributes(), inlines, [target, title]), node("Str", ","), node("Space"), *page]
            case _:
                return [item]

    return rewrite(blocks, edit)


@asynccontextmanager
async def staged(manuscript: Manuscript, notice: list[Any]) -> AsyncIterator[tuple[Path, list[Node]]]:
    """A folder with the pictures, and the blocks that refer to them there.

    ``notice`` are the attributes of remarks in the format to be written. If versions are compared, the blocks are
    those of both, with marks where they differ.
    """
    with TemporaryDirectory(prefix="stemma-") as path:
        yield Path(path), await asyncio.to_thread(_stage, manuscript, notice, Path(path))


def _stage(manuscript: Manuscript, notice: list[Any], folder: Path) -> list[Node]:
    pictures = sorted(manuscript.pictures.items())
    names = {name: f"{MEDIA}/{i}.{picture.suffix}" for i, (name, picture) in enumerate(pictures, 1)}
    (folder / MEDIA).mkdir()
    for name, picture in pictures:
        (folder / names[name]).write_bytes(picture.data)
    words = manuscript.language.words
    alerts = {"note": words.note, "tip": words.tip, "important": words.important, "caution": words.caution,
              "warning": words.warning}  # fmt: skip

    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Div", "c": [[_, classes, _], [{"t": "Div", "c": [["", ["title"], _], name]}, *rest]]}:
                own = next((alerts[kind] for kind in classes if kind in alerts), plain(name).strip())
                return [node("Div", notice, [node("Para", [node("Strong", text(own))]), *rest])]
            case {"t": "Image", "c": [attrs, alt, [str(name), title]]}:
                return [node("Image", attrs, alt, [names[name], title])]
            case _:
                return [item]

    blocks = rewrite(manuscript.blocks, edit)
    if manuscript.previous is None:
        return blocks
    return compared(rewrite(manuscript.previous, edit), blocks, manuscript.replays)
