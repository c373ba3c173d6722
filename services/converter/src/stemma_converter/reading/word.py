"""DOCX: as Word shows it with all tracked changes accepted; comments become notes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree
from stemma_ooxml import Package

from . import escaping
from .composing import Composer
from .result import Unreadable

_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_ROMAN: tuple[tuple[int, str], ...] = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"))
_ROMAN += ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_BODY_LEVEL, _DEEPEST = 9, 20
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFF = ("0", "false", "off", "none")


@dataclass(frozen=True)
class _Level:
    format: str = "bullet"
    text: str = ""
    start: int = 1


@dataclass(frozen=True)
class Numbered:
    """A number of a list as it is shown, and how deep in the list; ``label`` is empty for a bullet."""

    depth: int
    label: str


class Styles:
    def __init__(self, root: etree._Element | None) -> None:
        found = root.iterfind("{*}style") if root is not None else ()
        self._styles = {value(style, "styleId"): style for style in found}

    def heading(self, paragraph: etree._Element) -> int:
        """The level of a heading, or 0: by what the paragraph says itself, then by its style and that one's bases."""
        direct = child(paragraph, "pPr/outlineLvl")
        if direct is not None:
            return _outline(direct)
        for style in self._chain(paragraph):
            name = value(child(style, "name"))
            if name.lower() == "title":
                return 1
            if found := _HEADING.match(name):
                return min(int(found[1]), 6)
            if (level := child(style, "pPr/outlineLvl")) is not None:
                return _outline(level)
        return 0

    def numbering(self, paragraph: etree._Element) -> tuple[str, int] | None:
        depth: int | None = None
        for source in (paragraph, *self._chain(paragraph)):
            properties = child(source, "pPr/numPr")
            if depth is None and child(properties, "ilvl") is not None:
                depth = number(value(child(properties, "ilvl")))
            if identifier := value(child(properties, "numId")):
                return (identifier, depth or 0) if identifier != "0" else None
        return None

    def is_bullet(self, paragraph: etree._Element) -> bool:
        return any(value(child(style, "name")).lower().startswith("list bullet") for style in self._chain(paragraph))

    def _chain(self, paragraph: etree._Element) -> list[etree._Element]:
        chain: list[etree._Element] = []
        name = value(child(paragraph, "pPr/pStyle"))
        while (style := self._styles.get(name)) is not None and len(chain) < _DEEPEST:
            chain.append(style)
            name = value(child(style, "basedOn"))
        return chain


class Numbering:
    """The lists of a document, counted as their items come."""

    def __init__(self, root: etree._Element | None) -> None:
        abstract = {} if root is None else {value(a, "abstractNumId"): a for a in root.iterfind("{*}abstractNum")}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._base: dict[str, str] = {}
        for item in root.iterfind("{*}num") if root is not None else ():
            identifier, base = value(item, "numId"), value(child(item, "abstractNumId"))
            self._base[identifier] = base if child(item, "lvlOverride") is None else f"{base}/{identifier}"
            self._levels[identifier] = _levels(abstract.get(base)) | _levels(item, "{*}lvlOverride/{*}lvl")
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def next(self, identifier: str, depth: int) -> Numbered:
        """The number of the next item of a list."""
        levels = self._levels.get(identifier, {})
        level, counts = levels.get(depth, _Level()), self._counts[self._base.get(identifier, identifier)]
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [other for other in counts if other > depth]:
            del counts[deeper]
        if level.format in ("bullet", "none"):
            return Numbered(depth, "")
        label = level.text
        for other in range(depth + 1):
            shape = levels.get(other, _Level("decimal"))
            label = label.replace(f"%{other + 1}", _written(counts.get(other, shape.start), shape.format))
        return Numbered(depth, label.strip())


def styles_of(package: Package, related: dict[str, tuple[str, str]]) -> tuple[Styles, Numbering]:
    parts = dict(related.values())
    return Styles(package.xml_if_there(parts.get("styles", ""))), Numbering(
        package.xml_if_there(parts.get("numbering", ""))
    )


def _outline(level: etree._Element) -> int:
    found = number(value(level), _BODY_LEVEL)
    return min(found + 1, 6) if 0 <= found < _BODY_LEVEL else 0


def _levels(root: etree._Element | None, path: str = "{*}lvl") -> dict[int, _Level]:
    found = {}
    for item in root.iterfind(path) if root is not None else ():
        start = number(value(child(item, "start")), 1)
        shape = value(child(item, "numFmt")) or "decimal"
        found[number(value(item, "ilvl"))] = _Level(shape, value(child(item, "lvlText")), start)
    return found


def _written(count: int, shape: str) -> str:
    match shape:
        case "lowerLetter" | "upperLetter":
            letters = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1) if 0 < count < 1000 else str(count)
            return letters if shape == "lowerLetter" else letters.upper()
        case "lowerRoman" | "upperRoman":
            return _roman(count) if shape == "lowerRoman" else _roman(count).upper()
        case "decimalZero":
            return f"{count:02}"
        case _:
            return str(count)


def _roman(count: int) -> str:
    if not 0 < count < 4000:
        return str(count)
    written = ""
    for worth, letters in _ROMAN:
        written += letters * (count // worth)
        count %= worth
    return written


def tag(element: etree._Element) -> str:
    """The name of an element without its namespace; empty for comments and instructions."""
    name = element.tag
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def value(element: etree._Element | None, name: str = "val") -> str:
    """An attribute of an element that may not be there."""
    if element is None:
        return ""
    return element.get(f"{{{_W}}}{name}", "")


def child(element: etree._Element | None, path: str) -> etree._Element | None:
    """The first element at a path of names, divided by ``/``."""
    return None if element is None else element.find("/".join(f"{{*}}{name}" for name in path.split("/")))


def is_on(element: etree._Element | None) -> bool:
    """Whether a property is there and not switched off."""
    return element is not None and value(element).lower() not in _OFF


def number(text: str, otherwise: int = 0) -> int:
    """A number from a file, or another if it is none."""
    try:
        return int(text)
    except ValueError:
        return otherwise


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


_EMBEDDED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_NOTES = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_UNREAD = {
    "chart": "A chart or diagram is not read; attach its figures as a table or picture.",
    "altChunk": "A part in another format is not read; attach it by itself.",
}
_LABEL = {"comment": "comment-", "endnote": "end-", "footnote": ""}


def read_word(content: bytes, composer: Composer) -> None:
    package = composer.limits.package(content)
    package.refuse_entities()
    body = child(package.xml_if_there(package.main), "body")
    if body is None:
        raise Unreadable("damaged", kind="DOCX")
    _Word(package, composer).blocks(body)


class _Word:
    def __init__(self, package: Package, composer: Composer) -> None:
        self._package, self._composer = package, composer
        self._related = package.related(package.main)
        self._styles, self._numbering = styles_of(package, self._related)
        self._notes = {kind: self._notes_of(part) for kind, part in _NOTES.items()}
        self._runs = Runs(self._note, self._image)
        self._carried = ""

    def blocks(self, parent: etree._Element) -> None:
        for element in _accepted(parent):
            if tag(element) == "p":
                self._paragraph(element)
            else:
                self._table(element)

    def _paragraph(self, paragraph: etree._Element) -> None:
        text, found = self._runs.read(paragraph)
        text, self._carried = self._carried + text, ""
        if _goes_into_next(paragraph):
            self._carried = text
        elif text.strip():
            self._put(paragraph, text.strip())
        self._tell(found)
        for box in found.boxes:
            self.blocks(box)

    def _put(self, paragraph: etree._Element, text: str) -> None:
        numbered = self._numbered(paragraph)
        if level := self._styles.heading(paragraph):
            self._composer.heading(level, _heading(text), numbered.label if numbered else "")
        elif numbered:
            marker = numbered.label if numbered.label[:-1].isdecimal() and numbered.label[-1] in ".)" else "-"
            shown = text if marker != "-" or not numbered.label else f"{escaping.inline(numbered.label)} {text}"
            self._composer.item(shown, depth=numbered.depth, marker=marker)
        else:
            self._composer.paragraph(text)

    def _numbered(self, paragraph: etree._Element) -> Numbered | None:
        if found := self._styles.numbering(paragraph):
            return self._numbering.next(*found)
        return Numbered(0, "") if self._styles.is_bullet(paragraph) else None

    def _tell(self, found: Found) -> None:
        if found.hidden:
            self._composer.warn("hidden_text", "", "Text that is formatted as hidden was left out.")
        for kind in sorted(found.unread):
            self._composer.warn(f"{kind}_unread".lower(), "", _UNREAD[kind])

    def _table(self, table: etree._Element) -> None:
        rows = [_cells_of(row) for row in _rows_of(table)]
        if len(rows) == 1 and len(rows[0]) == 1:
            self.blocks(rows[0][0])
            return
        self._composer.table([self._row(cells) for cells in rows])

    def _row(self, cells: list[etree._Element]) -> list[str]:
        row: list[str] = []
        for cell in cells:
            merged = child(cell, "tcPr/vMerge")
            goes_on = merged is not None and value(merged) != "restart"
            span = min(max(number(value(child(cell, "tcPr/gridSpan")), 1), 1), 100)
            row += ["" if goes_on else self._inside(cell), *[""] * (span - 1)]
        return row

    def _inside(self, parent: etree._Element) -> str:
        lines: list[str] = []
        for element in _accepted(parent):
            if tag(element) == "p":
                text, found = self._runs.read(element)
                text = text.strip()
                numbered = self._numbered(element) if text else None
                lines.append(f"{numbered.label or '•'} {text}" if numbered else text)
                self._tell(found)
                lines += (self._inside(box) for box in found.boxes)
            else:
                rows = (self._row(_cells_of(row)) for row in _rows_of(element))
                lines += (" / ".join(filter(None, row)).replace("\n", " ") for row in rows)
        return "\n".join(filter(None, lines))

    def _notes_of(self, part: str) -> dict[str, etree._Element]:
        target = next((target for kind, target in self._related.values() if kind == part), "")
        root = self._package.xml_if_there(target)
        return {} if root is None else {value(note, "id"): note for note in root if tag(note)}

    def _note(self, kind: str, identifier: str) -> str:
        note = self._notes[kind].pop(identifier, None)
        if note is None:
            return ""
        text = self._inside(note)
        if kind == "comment":
            author = escaping.inline(escaping.one_line(value(note, "author"))) or "somebody"
            text = f"Comment of {author}: {text}"
        return self._composer.note(f"{_LABEL[kind]}{number(identifier)}", text) if text else ""

    def _image(self, drawing: etree._Element) -> str:
        shown = []
        alt = next((item.get("descr") or "" for item in drawing.iter() if tag(item) == "docPr"), "")
        for item in drawing.iter():
            if tag(item) in ("blip", "imagedata"):
                identifier = item.get(f"{_EMBEDDED}embed") or item.get(f"{_EMBEDDED}id") or ""
                kind, target = self._related.get(identifier, ("", ""))
                if kind == "image" and target in self._package:
                    shown.append(self._composer.image(self._package.read(target), alt))
        return "".join(shown)


def _accepted(parent: etree._Element) -> Iterator[etree._Element]:
    """The paragraphs and tables inside, also those in content controls and insertions; none that was removed."""
    for element in parent:
        match tag(element):
            case "p" | "tbl":
                yield element
            case "sdt":
                inside = child(element, "sdtContent")
                yield from _accepted(inside) if inside is not None else ()
            case "ins" | "moveTo" | "customXml" | "smartTag" | "txbxContent":
                yield from _accepted(element)


def _rows_of(table: etree._Element) -> Iterator[etree._Element]:
    for row in _inside_controls(table, "tr"):
        if child(row, "trPr/del") is None:
            yield row


def _cells_of(row: etree._Element) -> list[etree._Element]:
    return [cell for cell in _inside_controls(row, "tc") if child(cell, "tcPr/cellDel") is None]


def _inside_controls(parent: etree._Element, name: str) -> Iterator[etree._Element]:
    for element in parent:
        if tag(element) == name:
            yield element
        elif tag(element) in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
            yield from _inside_controls(element, name)


def _goes_into_next(paragraph: etree._Element) -> bool:
    """Whether the end of a paragraph was removed."""
    mark = child(paragraph, "pPr/rPr")
    return mark is not None and any(is_on(child(mark, name)) for name in ("del", "moveFrom"))


def _heading(text: str) -> str:
    words = text.replace("\n", " ")
    inner = words.strip("*")
    return inner if words != inner and "*" not in inner else words
