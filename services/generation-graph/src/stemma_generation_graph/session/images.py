"""Image references of an input as they must stand in the document: every other thing stays to the byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath

from stemma_evidence import rows_of
from stemma_markdown import Document, Image, Link, images

from stemma_generation_graph.sources.markdown import resolve

SKIPPED = "Image not supplied: "

_ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_ESCAPED = re.compile(r"([\\`*\[\]<>]|(?<![^\W_])_|_(?![^\W_]))")
"""What could be markup in a name; an underscore within a word is none."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_REST_IS_BLANK = re.compile(r"[^\S\n]*(?:\n|\Z)")


@dataclass(frozen=True)
class Shown:
    """What takes the place of an image: the name of an asset, or none if it was skipped."""

    asset: str | None


Decide = Callable[[str], Shown]


def one_line(name: str) -> str:
    """A name from an input on one line, so that it cannot become other Markdown."""
    return _CONTROL.sub(" ", name)


def with_assets(file: str, text: str, decide: Decide) -> str:
    """The text of an input with its images as the document shows them.

    An image has the name of its asset, one that was skipped leaves a remark, one on the web becomes a link; of one with
    any other scheme, such as ``file:`` or ``javascript:``, its words stay.
    ``decide`` gets the path inside the input folder.
    """
    pieces, at = [], 0
    for image in images(text):
        pieces += [text[at : image.start], _in_place(text, image, file, decide)]
        at = image.end
    return "".join([*pieces, text[at:]])


def _in_place(text: str, image: Image, file: str, decide: Decide) -> str:
    as_it_was = text[image.start : image.end]
    words = " ".join(image.markup.split())
    if _ELSEWHERE.match(image.target):
        return f"[{words or 'image'}]({address(image.target)})" if _WEB.match(image.target) else words
    name = resolve(file, image.target)
    if not name:
        return as_it_was
    asset = decide(name).asset
    if asset is not None:
        return f"![{words or _described(asset)}]({address(one_line(asset).replace('%', '%25'))})"
    remark = SKIPPED + _ESCAPED.sub(r"\\\1", one_line(name))
    return f"> {remark}" if _stands_alone(text, image) else f"({remark})"


def _stands_alone(text: str, image: Image) -> bool:
    start = image.start
    while start and text[start - 1] != "\n" and text[start - 1].isspace():
        start -= 1
    before_is_blank = not start or text[start - 1] == "\n"
    return before_is_blank and _REST_IS_BLANK.match(text, image.end) is not None


def _described(asset: str) -> str:
    return re.sub(r"[-_\s]+", " ", PurePosixPath(asset).stem).strip() or "image"


def address(target: str) -> str:
    """The address of a link or of an image as it is written in Markdown, which it cannot leave."""
    closed = target.replace("\\", "%5C").replace("<", "%3C").replace(">", "%3E")
    return f"<{closed}>" if re.search(r"[\s()<>]", target) or not target else closed


_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9]+")
_Change = tuple[int, int, str]


def without_labels(file: str, text: str) -> str:
    """The text with the addresses of its links in place of labels, and footnotes that name the file.

    Lines keep their numbers: where a definition stood is a blank one.
    """
    document = Document(text)
    changes = [*_links(document), *_definitions(document), *_footnotes(file, document)]
    return _changed(text, sorted(changes)) if changes else text


def _changed(text: str, changes: Iterable[_Change]) -> str:
    kept, at = list[str](), 0
    for start, end, new in changes:
        if start >= at:
            kept += [text[at:start], new]
            at = end
    return "".join([*kept, text[at:]])


def _links(document: Document) -> Iterator[_Change]:
    for link in document.links:
        markup = document.text[link.start : link.end]
        if markup.startswith("[") and markup.endswith("]"):
            yield link.start, link.end, f"[{_words(markup)}]({_address(link)})" + "\n" * _hidden_lines(markup)


def _words(markup: str) -> str:
    """The words of ``[words][label]``, ``[words][]`` or ``[words]``."""
    at = markup.rfind("][")
    return markup[1:at] if at > 0 else markup[1:-1]


def _hidden_lines(markup: str) -> int:
    """The line ends inside of a label, which goes."""
    return markup.count("\n") - _words(markup).count("\n")


def _address(link: Link) -> str:
    target = address(link.target)
    title = " ".join(link.title.split()).replace("\\", r"\\").replace('"', r"\"")
    return f'{target} "{title}"' if title else target


def _definitions(document: Document) -> Iterator[_Change]:
    for block in document.blocks:
        if block.kind == "definition":
            yield block.start, block.end, "\n" * block.text.count("\n")


def _footnotes(file: str, document: Document) -> Iterator[_Change]:
    prefix = _NOT_IN_LABEL.sub("-", file.rpartition(".")[0] or file).strip("-")
    for mark in document.footnotes:
        yield mark.start, mark.end, f"{prefix}-{document.text[mark.start : mark.end]}"


JSON = "application/json"
TABLES = ("text/csv", JSON)
CODE = (".yaml", ".yml", ".log")
"""How names of plain texts end in which a ``#`` begins no heading."""

_BACKTICKS = re.compile("`+")
_MARKUP = re.compile(r"([\\\\|`*<>\[\]]|(?<![^\W_])_|_(?![^\W_]))")


def is_code(name: str) -> bool:
    return name.casefold().endswith(CODE)


def as_code(text: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{fence}\n{text.rstrip()}\n{fence}\n"


def as_tables(text: str, media_type: str) -> str:
    """The rows as tables; rows with the same names of columns stand in one."""
    rows = [cells for _, cells in rows_of(text, media_type)]
    by_names = groupby(rows, key=lambda cells: tuple(name for name, _ in cells))
    return "\n".join(
        "\n".join(_table(names, [[cell for _, cell in row] for row in group])) for names, group in by_names
    )


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(names)
    yield _row(["---"] * len(names), escape=False)
    yield from map(_row, rows)
    yield ""


def _row(cells: Sequence[str], *, escape: bool = True) -> str:
    shown = [_MARKUP.sub(r"\\\1", " ".join(cell.split())) if escape else cell for cell in cells]
    return f"| {' | '.join(shown)} |"
