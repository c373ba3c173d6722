"""DOCX: as Word shows it with all tracked changes accepted; comments become notes."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree
from stemma_ooxml import Package

from . import escaping
from .composing import Composer
from .kinds import open_package
from .result import Unreadable
from .word_runs import Found, Runs
from .word_styles import Numbered, child, is_on, number, styles_of, tag, value

_EMBEDDED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_NOTES = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_UNREAD = {
    "chart": "A chart or diagram is not read; attach its figures as a table or picture.",
    "altChunk": "A part in another format is not read; attach it by itself.",
}
_LABEL = {"comment": "comment-", "endnote": "end-", "footnote": ""}


def read_word(content: bytes, composer: Composer) -> None:
    package = open_package(content, composer.limits)
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
