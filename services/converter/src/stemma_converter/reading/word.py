"""DOCX: as Word shows it with all tracked changes accepted; comments become notes."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from lxml import etree
from stemma_markdown import escaping
from stemma_ooxml import Package, PackageError
from stemma_ooxml.word_styles import WORDPROCESSING, Numbered, Styles, child, is_on, number, styles_of, tag, value

from .account import account_of_word
from .composing import Composer, again, put_edges
from .kinds import Kind, kind_of
from .pandoc_formats import read_html, read_odt, read_rtf
from .plain_text import read_text
from .result import Unreadable

_GONE = frozenset({"del", "moveFrom", "instrText", "delText", "delInstrText", "pPr", "rPr", "sdtPr", "fldData", "rt"})
_SYMBOLS = {"F0A8": "☐", "F06F": "☐", "F0FE": "☒", "F0FD": "☒", "F052": "☑", "F0FC": "✓", "F0B7": "•", "F0E0": "→"}
_TEXT = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-", "softHyphen": "", "ptab": "\t"}
_WORD = re.compile(r"\w")
# Of 255: lighter text on nothing is not seen; neither is text of at most two points (in halves of them).
_WHITE, _TINY = 0xF0, 4
_HIDDEN = {
    "hidden": "Text that is formatted as hidden was left out",
    "white": "White text that nobody can see was left out",
    "tiny": "Text that is too small to be seen was left out",
}


@dataclass(frozen=True)
class Piece:
    markdown: str
    look: str = ""
    is_text: bool = True


@dataclass
class Found:
    boxes: list[etree._Element] = field(default_factory=list)
    hidden: dict[str, int] = field(default_factory=dict)
    """How many words are not seen, and why."""


Shown = Callable[[etree._Element], str]


@dataclass
class Runs:
    """Reads runs; ``note`` gives the mark of a footnote or comment, ``image`` the Markdown of an image."""

    note: Callable[[str, str], str]
    image: Shown
    styles: Styles
    is_backed: bool = False
    """Whether a large drawing lies behind the text, such as on a cover."""
    _style: str = ""

    def read(self, paragraph: etree._Element) -> tuple[str, Found]:
        found = Found()
        self._style = value(child(paragraph, "pPr/pStyle"))
        pieces = _in_results(self._pieces(paragraph, "", found))
        return _joined(pieces), found

    def _pieces(self, parent: Iterable[etree._Element], look: str, found: Found) -> Iterator[Piece | etree._Element]:
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
        if why := self.unseen(run, self._style):
            words = len("".join(item.text or "" for item in run.iterfind("{*}t")).split())
            if words:
                found.hidden[why] = found.hidden.get(why, 0) + words
            if why != "hidden":
                # The look of letters is none of the drawings and text boxes between them.
                yield from self._pieces([item for item in run if tag(item) in _DRAWN], "", found)
            return
        raised = value(self.styles.look(run, self._style, "vertAlign")) == "superscript"
        for piece in self._pieces(run, self._look(run), found):
            yield Piece(escaping.raised(piece.markdown), piece.look) if raised and _is_text(piece) else piece

    def unseen(self, run: etree._Element, style: str) -> str:
        """Why nobody sees a run in a paragraph of a style; empty for one that is shown."""
        if is_on(self.styles.look(run, style, "vanish")):
            return "hidden"
        size = self.styles.look(run, style, "sz")
        if size is not None and number(value(size), _TINY + 1) <= _TINY:
            return "tiny"
        color = value(self.styles.look(run, style, "color"))
        return "white" if _is_white(color) and not self._is_on_color(run, style) else ""

    def _is_on_color(self, run: etree._Element, style: str) -> bool:
        """Whether something, such as a table, may have given the place of a run a background."""
        if self.is_backed or any(self.styles.look(run, style, name) is not None for name in _SET_OFF):
            return True
        for element in run.iterancestors():
            if tag(element) in ("txbxContent", "hdr", "ftr") or child(element, f"{tag(element)}Pr/shd") is not None:
                return True
            if tag(element) == "document" and child(element, "background") is not None:
                return True
            if tag(element) in _STYLED:
                styled = child(element, f"{tag(element)}Pr/{_STYLED[tag(element)]}")
                if self.styles.is_shaded(value(styled)):
                    return True
        return False

    def _look(self, run: etree._Element) -> str:
        bold, italic = is_on(child(run, "rPr/b")), is_on(child(run, "rPr/i"))
        struck = any(is_on(self.styles.look(run, self._style, name)) for name in ("strike", "dstrike"))
        return ("~~" if struck else "") + ("**" if bold else "") + ("*" if italic else "")

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
                yield Piece(" " if value(element, "type") in ("page", "column") else "\n", look)
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
            case "oMath":
                yield Piece(escaping.inline("".join(item.text or "" for item in element.iterfind(".//{*}t"))), look)
            case _:
                yield from self._pieces(element, look, found)

    def _drawn(self, element: etree._Element, found: Found) -> Iterator[Piece]:
        found.boxes += element.iterfind(".//{*}txbxContent")
        if shown := self.image(element):
            yield Piece(shown, is_text=False)


def _in_results(pieces: Iterator[Piece | etree._Element]) -> Iterator[Piece]:
    """What fields show: text stands between ``separate`` and ``end``, what they are made of before it."""
    for piece in pieces:
        if isinstance(piece, Piece):
            yield piece
        elif (box := child(piece, "ffData/checkBox")) is not None:
            checked = child(box, "checked")
            yield Piece("☒" if is_on(checked if checked is not None else child(box, "default")) else "☐")
        elif (chosen := child(piece, "ffData/ddList/result")) is not None:
            entries = piece.findall("{*}ffData/{*}ddList/{*}listEntry")
            yield Piece(escaping.inline("".join(map(value, entries[number(value(chosen)) :][:1]))))


_STYLED = {"p": "pStyle", "tbl": "tblStyle"}
_DRAWN = frozenset({"drawing", "pict", "object", "AlternateContent"})
# With one of these, white letters are seen on white.
_SET_OFF = ("shd", "highlight", "emboss", "imprint", "shadow", "glow", "textOutline", "textFill")
# In EMU, about 8 and 4 cm: a logo behind the text is smaller.
_WIDE, _HIGH = 3_000_000, 1_500_000


def _is_behind(drawing: etree._Element) -> bool:
    """Whether a large drawing lies behind the text."""
    if tag(drawing) != "anchor":
        return "z-index:-" in drawing.get("style", "") and drawing.find("{*}textpath") is None
    extent = child(drawing, "extent")
    across, up = (number(extent.get(name, ""), _WIDE) if extent is not None else _WIDE for name in ("cx", "cy"))
    return drawing.get("behindDoc") in ("1", "true") and across >= _WIDE and up >= _HIGH


_COLOR = re.compile(r"[0-9A-Fa-f]{6}")


def _is_white(color: str) -> bool:
    return bool(_COLOR.fullmatch(color)) and min(bytes.fromhex(color), default=0) >= _WHITE


def _is_text(piece: Piece | etree._Element) -> TypeGuard[Piece]:
    return isinstance(piece, Piece) and piece.is_text


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
    if not piece.look or not _WORD.search(text):
        return piece.markdown
    first, last = piece.markdown.split(text, 1)
    look = piece.look
    if "\n" in text or _WORD.match(first[-1:] or before) or _WORD.match(last[:1] or after):
        # What is struck out is never read as if it counted; other marks are but looks.
        look = look[:2] if look.startswith("~~") else ""
    return first + "\n".join(f"{look}{line}{look[::-1]}" if line else "" for line in text.split("\n")) + last


_EMBEDDED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_NOTES = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_UNREAD = "A part in another format (altChunk) is not read; attach it by itself."
_PARTS: dict[Kind, Callable[[bytes, Composer], None]] = {
    Kind.HTML: read_html,
    Kind.RTF: read_rtf,
    Kind.ODT: read_odt,
    Kind.TEXT: read_text,
}
_LABEL = {"comment": "comment-", "endnote": "end-", "footnote": ""}


def read_word(content: bytes, composer: Composer) -> None:
    package = composer.limits.package(content)
    package.refuse_entities()
    root = package.xml_if_there(package.main)
    body = child(root, "body")
    if root is None or body is None:
        raise Unreadable("damaged", kind="DOCX")
    _Word(package, composer).put(root, body)


class _Word:
    def __init__(self, package: Package, composer: Composer) -> None:
        self._package, self._composer = package, composer
        self._related = package.related(package.main)
        self._styles, self._numbering = styles_of(package, self._related)
        self._notes = {kind: self._notes_of(part) for kind, part in _NOTES.items()}
        self._runs = Runs(self._note, self._image, self._styles)
        self._carried = ""

    def put(self, root: etree._Element, body: etree._Element) -> None:
        _empty_placeholders(root)
        self._runs.is_backed = any(map(_is_behind, self._placed(root)))
        self._edges(root, "header")
        self.blocks(body)
        self._edges(root, "footer")
        account_of_word(self._package, root, self._styles, self._runs.unseen, self._composer)

    def _placed(self, root: etree._Element) -> Iterator[etree._Element]:
        """What is drawn at a place of the page, here or above and below the text of each."""
        headers = (target for kind, target in self._related.values() if kind in ("header", "footer"))
        for part in (root, *map(self._package.xml_if_there, headers)):
            if part is not None:
                yield from part.iter("{*}anchor", "{*}shape", "{*}rect")

    def _edges(self, root: etree._Element, kind: str) -> None:
        references = root.iter(f"{{{WORDPROCESSING}}}{kind}Reference")
        targets = [self._related.get(item.get(f"{_EMBEDDED}id", ""), ("", ""))[1] for item in references]
        runs = Runs(self._note, lambda _: "", self._styles)
        edges = [self._package.xml_if_there(target) for target in dict.fromkeys(targets)]
        paragraphs = (p for edge in edges if edge is not None for p in edge.iter(f"{{{WORDPROCESSING}}}p"))
        read = [runs.read(paragraph) for paragraph in paragraphs]
        put_edges((text for text, _ in read), self._composer)
        for _, found in read:
            self._tell(found)

    def blocks(self, parent: etree._Element) -> None:
        for element in _accepted(parent):
            match tag(element):
                case "p":
                    self._paragraph(element)
                case "altChunk":
                    self._part(element)
                case _:
                    self._table(element)

    def _part(self, chunk: etree._Element) -> None:
        _, target = self._related.get(chunk.get(f"{_EMBEDDED}id", ""), ("", ""))
        try:
            data = self._package.read(target)
            kind = kind_of(target, self._package.content_type(target), data, self._composer.limits)
            _PARTS[kind](data, self._composer)
        except (PackageError, Unreadable, KeyError):
            self._composer.warn("altchunk_unread", self._composer.place, _UNREAD)

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
        place = self._composer.place
        for why, words in found.hidden.items():
            self._composer.warn("hidden_text", place, f"{_HIDDEN[why]} (words: {words}).")

    def _table(self, table: etree._Element) -> None:
        rows = [_cells_of(row) for row in _rows_of(table)]
        if len(rows) == 1 and len(rows[0]) == 1:
            self.blocks(rows[0][0])
            return
        self._composer.table(self._cells(rows))

    def _cells(self, rows: Iterable[list[etree._Element]]) -> list[list[str]]:
        table: list[list[str]] = []
        for cells in rows:
            row: list[str] = []
            for cell in cells:
                merged = child(cell, "tcPr/vMerge")
                goes_on = merged is not None and value(merged) != "restart"
                above = table[-1][len(row)] if table and len(row) < len(table[-1]) else ""
                span = min(max(number(value(child(cell, "tcPr/gridSpan")), 1), 1), 100)
                row += [again(above) if goes_on else self._inside(cell), *[""] * (span - 1)]
            table.append(row)
        return table

    def _inside(self, parent: etree._Element) -> str:
        lines: list[str] = []
        for element in _accepted(parent):
            if tag(element) == "altChunk":
                self._composer.warn("altchunk_unread", self._composer.place, _UNREAD)
            elif tag(element) == "p":
                text, found = self._runs.read(element)
                text = text.strip()
                numbered = self._numbered(element) if text else None
                lines.append(f"{numbered.label or '•'} {text}" if numbered else text)
                self._tell(found)
                lines += (self._inside(box) for box in found.boxes)
            else:
                rows = self._cells(_cells_of(row) for row in _rows_of(element))
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
            case "p" | "tbl" | "altChunk":
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


def _empty_placeholders(root: etree._Element) -> None:
    """What Word shows in a control that is empty asks for text; it is none."""
    for mark in root.iter(f"{{{WORDPROCESSING}}}showingPlcHdr"):
        control = next(mark.iterancestors(f"{{{WORDPROCESSING}}}sdt"), None)
        for text in control.iter(f"{{{WORDPROCESSING}}}t") if control is not None and is_on(mark) else ():
            text.text = ""


def _goes_into_next(paragraph: etree._Element) -> bool:
    """Whether the end of a paragraph was removed."""
    mark = child(paragraph, "pPr/rPr")
    return mark is not None and any(is_on(child(mark, name)) for name in ("del", "moveFrom"))


def _heading(text: str) -> str:
    words = text.replace("\n", " ")
    inner = words.strip("*")
    return inner if words != inner and "*" not in inner else words
