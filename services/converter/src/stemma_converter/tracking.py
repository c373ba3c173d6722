"""Marks in a Word package become tracked changes, which Word accepts or rejects one by one."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import count
from zipfile import ZIP_DEFLATED, ZipFile

from docx.oxml.ns import qn
from lxml import etree

from .marks import Change, Scope, read_mark
from .paragraph_ends import with_moved_ends

_DOCUMENT, _FOOTNOTES = "word/document.xml", "word/footnotes.xml"
_RUNS = (qn("w:r"), qn("m:oMathPara"), qn("m:oMath"))
_DELETED_TEXT = {qn("w:t"): qn("w:delText"), qn("w:instrText"): qn("w:delInstrText")}
# Far above the numbers that bookmarks have.
_FIRST_ID = 1_000_000


class _Tracker:
    """Rewrites parts; ``notes`` are the footnotes whose reference came or went."""

    def __init__(self, author: str) -> None:
        self._author = author
        self._ids = count(_FIRST_ID)
        self.notes: dict[str, Change] = {}

    def body(self, root: etree._Element) -> None:
        """Track what stands between marks, and take the marks away."""
        now: dict[Scope, Change | None] = dict.fromkeys(Scope)
        for element in list(root.iter()):
            change = now[Scope.BLOCKS] or now[Scope.WORDS]
            if mark := _mark(element):
                scope, begun = mark
                if scope is Scope.ROW and begun:
                    self._row(_above(element, "w:tr"), begun)
                else:
                    now[scope] = begun
                _remove(element)
            elif now[Scope.BLOCKS] and element.tag == qn("w:tr"):
                self._row_properties(element, now[Scope.BLOCKS])
            elif now[Scope.BLOCKS] and element.tag == qn("w:p") and not _inside(element, "w:tc"):
                self._paragraph_mark(element, now[Scope.BLOCKS])
            elif change and element.tag in _RUNS:
                self._run(element, change)
        with_moved_ends(root, self._element)

    def footnotes(self, root: etree._Element) -> None:
        """Track the whole text of the footnotes that came or went."""
        for note in root.iter(qn("w:footnote")):
            if change := self.notes.get(note.get(qn("w:id"), "")):
                self._runs(note, change)

    def _row(self, row: etree._Element, change: Change) -> None:
        self._row_properties(row, change)
        self._runs(row, change)

    def _row_properties(self, row: etree._Element, change: Change | None) -> None:
        properties = row.find(qn("w:trPr"))
        if properties is None:
            # A row's properties may not be its change alone: that it is no header row is true of every such row.
            properties = etree.Element(qn("w:trPr"))
            etree.SubElement(properties, qn("w:tblHeader"), {qn("w:val"): "off"})
            row.insert(0, properties)
        properties.append(self._element(f"w:{change}"))

    def _paragraph_mark(self, paragraph: etree._Element, change: Change | None) -> None:
        properties = paragraph.find(qn("w:pPr"))
        if properties is None:
            properties = etree.Element(qn("w:pPr"))
            paragraph.insert(0, properties)
        etree.SubElement(properties, qn("w:rPr")).append(self._element(f"w:{change}"))

    def _runs(self, element: etree._Element, change: Change) -> None:
        for run in list(element.iter(*_RUNS)):
            self._run(run, change)

    def _run(self, run: etree._Element, change: Change) -> None:
        """Put a run into the change before it, or into a new one; a formula goes as a whole."""
        if _inside(run, "m:oMath", "m:oMathPara") or _inside(run, f"w:{Change.INSERTED}", f"w:{Change.DELETED}"):
            return
        for reference in run.iter(qn("w:footnoteReference")):
            self.notes[reference.get(qn("w:id"), "")] = change
        if change is Change.DELETED:
            for text in run.iter(*_DELETED_TEXT):
                text.tag = _DELETED_TEXT[text.tag]
        before = run.getprevious()
        if before is not None and before.tag == qn(f"w:{change}"):
            before.append(run)
            return
        tracked = self._element(f"w:{change}")
        run.addprevious(tracked)
        tracked.append(run)

    def _element(self, name: str) -> etree._Element:
        values = {qn("w:id"): str(next(self._ids)), qn("w:author"): self._author}
        return etree.Element(qn(name), values)


def with_tracked_changes(package: bytes, author: str) -> bytes:
    """The package with tracked changes by ``author`` in the place of marks."""
    tracker = _Tracker(author)
    buffer = BytesIO()
    with ZipFile(BytesIO(package)) as old, ZipFile(buffer, "w", ZIP_DEFLATED) as new:
        parts = {name: old.read(name) for name in old.namelist()}
        for name, rewrite in ((_DOCUMENT, tracker.body), (_FOOTNOTES, tracker.footnotes)):
            if name in parts:
                root = etree.fromstring(parts[name])
                rewrite(root)
                parts[name] = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
        for name, data in parts.items():
            new.writestr(name, data)
    return buffer.getvalue()


def _mark(element: etree._Element) -> tuple[Scope, Change | None] | None:
    return read_mark(element.get(qn("w:name"), "")) if element.tag == qn("w:bookmarkStart") else None


def _remove(element: etree._Element) -> None:
    parent = element.getparent()
    assert parent is not None
    parent.remove(element)


def _above(element: etree._Element, tag: str) -> etree._Element:
    return next(iter(_ancestors(element, tag)))


def _inside(element: etree._Element, *tags: str) -> bool:
    return any(True for tag in tags for _ in _ancestors(element, tag))


def _ancestors(element: etree._Element, tag: str) -> Iterator[etree._Element]:
    yield from element.iterancestors(qn(tag))
