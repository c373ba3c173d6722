"""Markdown inputs in passages that keep tables and code whole, and the images that they refer to."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from stemma_contracts.v1.inputs import Anchor
from stemma_evidence import Labels
from stemma_markdown import Document, with_prose_of_front_matter

PASSAGE_CHARS = 1200
MOST_PLACES = 3
HEADING_CHARS = 200
"""Of a heading that each of its passages is found by; whole it stands in the first of them."""

_BASE = re.compile(r"\{\{[^{}\n]{0,200}\}\}/*")
"""The address of a site as its templates write it, such as ``{{ site.baseurl }}/``: here it is the input folder."""
_NO_CONTENT = frozenset({"blank", "definition", "front_matter"})


@dataclass(frozen=True)
class Passage:
    """A piece of one input: whole blocks that stand together, and how the heading above them begins.

    ``place`` is what they are cited by in the file, such as ``p. 12``; empty if that is not known. ``lines`` are those
    of the file that the blocks begin in.
    """

    source: str
    position: int
    heading: str
    text: str
    place: str = ""
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class ImageUse:
    """An image as an input refers to it; ``name`` is the path inside the input folder."""

    name: str
    alt: str


@dataclass(frozen=True)
class SourceDocument:
    """A Markdown input, taken apart."""

    name: str
    passages: tuple[Passage, ...]
    images: tuple[ImageUse, ...]


def read_source(name: str, text: str, anchors: Sequence[Anchor] = ()) -> SourceDocument:
    """Take one Markdown input apart; ``name`` is its path inside the input folder."""
    document = Document(with_prose_of_front_matter(text))
    labels = Labels(text, anchors=anchors) if anchors else None
    return SourceDocument(name, tuple(_passages(name, document, labels)), tuple(_images(name, document)))


def _passages(name: str, document: Document, labels: Labels | None) -> Iterator[Passage]:
    titles = {heading.line: heading.text for heading in document.headings}
    heading, place, held, lines = "", "", list[str](), list[int]()
    position = 0
    for block in document.blocks:
        if block.kind in _NO_CONTENT:
            continue
        starts = block.kind == "heading"
        content = block.content.strip("\r\n")
        there = _place(block.line, content, labels) if labels else ""
        if held and (starts or there != place or sum(map(len, held)) + len(content) > PASSAGE_CHARS):
            yield Passage(name, position, heading, "\n\n".join(held), place, tuple(lines))
            position, held, lines = position + 1, [], []
        place = there
        if starts:
            heading = titles.get(block.line, "")[:HEADING_CHARS]
        held.append(content)
        lines.append(block.line)
    if held:
        yield Passage(name, position, heading, "\n\n".join(held), place, tuple(lines))


def _place(line: int, content: str, labels: Labels) -> str:
    """What a block is cited by; of one that is at many places, such as a long table, the first and the last."""
    found = labels.within(line, line + content.count("\n"))
    return "; ".join(found if len(found) <= MOST_PLACES else (found[0], "...", found[-1]))


def _images(name: str, document: Document) -> Iterator[ImageUse]:
    """Every image in its place; one without a description of its own is described by the heading above it."""
    lines = [heading.line for heading in document.headings]
    for image in document.images:
        above = bisect_right(lines, image.line)
        heading = document.headings[above - 1].text[:HEADING_CHARS] if above else ""
        yield ImageUse(resolve(name, image.target), image.description.strip() or heading)


def resolve(document: str, reference: str) -> str:
    """The path inside the input folder that a reference means; ``""`` for an address elsewhere or a folder."""
    parts = urlsplit(reference) if "\x00" not in reference and "[" not in reference else urlsplit("x:")
    path = unquote(parts.path)
    if parts.scheme or parts.netloc or posixpath.basename(path) in ("", ".", ".."):
        return ""
    based = _BASE.match(path)
    folder = "" if based else posixpath.dirname(document)
    return posixpath.normpath(posixpath.join(folder, path[based.end() :] if based else path))
