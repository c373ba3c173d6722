"""The inside of a Word paragraph as inline Markdown, with tracked changes accepted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from . import escaping
from .word_styles import child, is_on, tag, value

_GONE = frozenset({"del", "moveFrom", "instrText", "delText", "delInstrText", "pPr", "rPr", "sdtPr", "fldData"})
_SYMBOLS = {"F0A8": "☐", "F06F": "☐", "F0FE": "☒", "F0FD": "☒", "F052": "☑", "F0FC": "✓", "F0B7": "•", "F0E0": "→"}
_TEXT = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-", "softHyphen": "", "ptab": "\t"}
_WORD = re.compile(r"\w")


@dataclass(frozen=True)
class Piece:
    markdown: str
    look: str = ""
    is_text: bool = True


@dataclass
class Found:
    boxes: list[etree._Element] = field(default_factory=list)
    hidden: bool = False
    unread: set[str] = field(default_factory=set)


Shown = Callable[[etree._Element], str]


@dataclass
class Runs:
    """Reads runs; ``note`` gives the mark of a footnote or comment, ``image`` the Markdown of an image."""

    note: Callable[[str, str], str]
    image: Shown

    def read(self, paragraph: etree._Element) -> tuple[str, Found]:
        """The paragraph in one line (or more, if it has breaks), and what hangs on it."""
        found = Found()
        pieces = _in_results(self._pieces(paragraph, "", found))
        return _joined(pieces), found

    def _pieces(self, parent: etree._Element, look: str, found: Found) -> Iterator[Piece | etree._Element]:
        for element in parent:
            name = tag(element)
            if name in _GONE:
                continue
            if name == "r":
                yield from self._run(element, found)
            elif name == "AlternateContent":
                yield from self._alternative(element, look, found)
            else:
                yield from self._piece(element, name, look, found)

    def _run(self, run: etree._Element, found: Found) -> Iterator[Piece | etree._Element]:
        properties = child(run, "rPr")
        if is_on(child(properties, "vanish")) and len(run) > 1:
            found.hidden = True
            return
        yield from self._pieces(run, _look(properties), found)

    def _alternative(self, element: etree._Element, look: str, found: Found) -> Iterator[Piece | etree._Element]:
        for name in ("Choice", "Fallback"):
            if (chosen := child(element, name)) is not None:
                yield from self._pieces(chosen, look, found)
                return

    def _piece(self, element: etree._Element, name: str, look: str, found: Found) -> Iterator[Piece | etree._Element]:
        match name:
            case "t":
                yield Piece(escaping.inline(element.text or ""), look)
            case "tab" | "cr" | "noBreakHyphen" | "softHyphen" | "ptab":
                yield Piece(_TEXT[name], look)
            case "br":
                yield Piece("" if value(element, "type") in ("page", "column") else "\n", look)
            case "sym":
                yield Piece(_SYMBOLS.get(value(element, "char").upper(), ""), look)
            case "fldChar":
                yield element
            case "footnoteReference" | "endnoteReference" | "commentReference":
                yield Piece(self.note(name.removesuffix("Reference"), value(element, "id")), is_text=False)
            case "drawing" | "pict" | "object":
                yield from self._drawn(element, found)
            case "txbxContent":
                found.boxes.append(element)
            case "altChunk":
                found.unread.add("altChunk")
            case "oMath":
                yield Piece(escaping.inline("".join(item.text or "" for item in element.iterfind(".//{*}t"))), look)
            case _:
                yield from self._pieces(element, look, found)

    def _drawn(self, element: etree._Element, found: Found) -> Iterator[Piece]:
        found.boxes += element.iterfind(".//{*}txbxContent")
        if shown := self.image(element):
            yield Piece(shown, is_text=False)
        if element.find(".//{*}chart") is not None or element.find(".//{*}relIds") is not None:
            found.unread.add("chart")


def _in_results(pieces: Iterator[Piece | etree._Element]) -> Iterator[Piece]:
    """What fields show: text stands between ``separate`` and ``end``, what they are made of before it."""
    for piece in pieces:
        if isinstance(piece, Piece):
            yield piece
        elif (box := child(piece, "ffData/checkBox")) is not None:
            checked = child(box, "checked")
            yield Piece("☒" if is_on(checked if checked is not None else child(box, "default")) else "☐")


def _look(properties: etree._Element | None) -> str:
    bold, italic = is_on(child(properties, "b")), is_on(child(properties, "i"))
    struck = is_on(child(properties, "strike")) or is_on(child(properties, "dstrike"))
    return ("~~" if struck else "") + ("**" if bold else "") + ("*" if italic else "")


def _joined(pieces: Iterator[Piece]) -> str:
    """Pieces with equal looks as one, in its marks where Markdown would read them as such."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and merged[-1].look == piece.look and merged[-1].is_text and piece.is_text:
            merged[-1] = Piece(merged[-1].markdown + piece.markdown, piece.look)
        elif piece.markdown:
            merged.append(piece)
    texts = [piece.markdown for piece in merged]
    ends = ["", *texts], [*texts[1:], ""]
    return "".join(_marked(piece, before[-1:], after[:1]) for piece, before, after in zip(merged, *ends, strict=False))


def _marked(piece: Piece, before: str, after: str) -> str:
    text = piece.markdown.strip()
    if not piece.look or "\n" in text or not _WORD.search(text):
        return piece.markdown
    first, last = piece.markdown.split(text, 1)
    if _WORD.match(first[-1:] or before) or _WORD.match(last[:1] or after):
        return piece.markdown
    return f"{first}{piece.look}{text}{piece.look[::-1]}{last}"
