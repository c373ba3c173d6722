"""What came of reading a file; plain data that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

AnchorKind = Literal["page", "heading", "sheet", "slide", "part", "paragraph"]


@dataclass(frozen=True)
class Anchor:
    """Where a citable place begins: it reaches to the next anchor of its kind.

    ``offset`` counts characters of the Markdown. ``label`` is what people cite: ``p. 12``, ``Prices!A1:D20``,
    ``slide 3``, the path of a heading such as ``3 Scope > 3.2 Period``, ``From: ...`` of a message, ``para. 7``.
    """

    offset: int
    kind: AnchorKind
    label: str


@dataclass(frozen=True)
class Image:
    """An image of the file, re-encoded; the Markdown shows it under ``name`` at ``offset`` characters."""

    name: str
    media_type: str
    data: bytes = field(repr=False)
    offset: int


@dataclass(frozen=True)
class Child:
    """A file inside the file, as it was: the attachment of a message."""

    name: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class InputWarning:
    """What of a file was read otherwise than it stands there, or not; ``place`` is a label, or empty for the whole."""

    code: str
    place: str
    words: str


@dataclass(frozen=True)
class Figures:
    """How much was read, and how well.

    ``pages`` are pages or slides, 0 where the format has none. ``pages_recognised`` were images that were recognised
    as text, ``pages_without_text`` have none that could be read.
    """

    pages: int = 0
    characters: int = 0
    tables: int = 0
    images: int = 0
    pages_recognised: int = 0
    pages_without_text: int = 0


@dataclass(frozen=True)
class Reading:
    """A file as Markdown; ``title`` is the one among its properties."""

    markdown: str
    anchors: tuple[Anchor, ...] = ()
    images: tuple[Image, ...] = ()
    children: tuple[Child, ...] = ()
    warnings: tuple[InputWarning, ...] = ()
    figures: Figures = Figures()
    title: str = ""
