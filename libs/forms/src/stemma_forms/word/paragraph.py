"""A paragraph as readers see it: its text, with a mark where a control or a form field stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from .controls import Control, read_control
from .names import FALLBACK, W

# In the text, what a control or a form field is: one character, as Unicode has it for an object.
OBJECT = "\ufffc"
# What is not read: deleted and moved text, text boxes, old versions of drawings.
_SKIPPED = {f"{W}del", f"{W}moveFrom", f"{W}txbxContent", FALLBACK, f"{W}pPr", f"{W}rPr"}
_DRAWN = {f"{W}drawing", f"{W}pict", f"{W}object"}
_TEXT, _RUN, _CONTROL, _FIELD = f"{W}t", f"{W}r", f"{W}sdt", f"{W}fldChar"


@dataclass(frozen=True)
class FormField:
    """A form field of the older kind: its settings, the runs of its result, and the run that ends it."""

    data: etree._Element
    result: tuple[etree._Element, ...]
    separator: etree._Element | None
    end: etree._Element


@dataclass
class Paragraph:
    """``texts`` are the pieces of the text with the place where each begins; the objects stand at their places."""

    element: etree._Element
    text: str = ""
    texts: list[tuple[int, etree._Element]] = field(default_factory=list)
    controls: list[tuple[int, Control]] = field(default_factory=list)
    fields: list[tuple[int, FormField]] = field(default_factory=list)
    has_drawing: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.text.strip() and not self.has_drawing

    @property
    def words(self) -> str:
        """The text without the objects in it."""
        return " ".join(self.text.replace(OBJECT, " ").split())


def read_paragraph(element: etree._Element) -> Paragraph:
    """The paragraph that an element holds."""
    paragraph, pieces = Paragraph(element), _Pieces()
    for node in _nodes(element):
        pieces.add(paragraph, node)
    paragraph.text = "".join(pieces.texts)
    return paragraph


class _Pieces:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self._length = 0
        self._open: list[_OpenField] = []

    def add(self, paragraph: Paragraph, node: etree._Element) -> None:
        match node.tag:
            case _ if node.tag == _FIELD:
                self._field(paragraph, node)
            case _ if any(each.data is not None for each in self._open):
                self._of_field(node)
            case _ if node.tag == _TEXT:
                paragraph.texts.append((self._length, node))
                self._put(node.text or "")
            case _ if node.tag == _CONTROL:
                self._control(paragraph, node)
            case _ if node.tag in (f"{W}tab", f"{W}ptab"):
                self._put("\t")
            case _ if node.tag in (f"{W}br", f"{W}cr"):
                self._put("\n")
            case _ if node.tag == f"{W}noBreakHyphen":
                self._put("-")
            case _ if node.tag in _DRAWN:
                paragraph.has_drawing = True

    def _put(self, text: str) -> None:
        self.texts.append(text)
        self._length += len(text)

    def _control(self, paragraph: Paragraph, node: etree._Element) -> None:
        if control := read_control(node):
            paragraph.controls.append((self._length, control))
            self._put(OBJECT)

    def _field(self, paragraph: Paragraph, node: etree._Element) -> None:
        run = node.getparent()
        kind = node.get(f"{W}fldCharType")
        if kind == "begin":
            self._open.append(_OpenField(node.find(f"{W}ffData")))
        elif self._open and kind == "separate":
            self._open[-1].separator = run
        elif self._open and kind == "end" and run is not None:
            closed = self._open.pop()
            if closed.data is not None:
                paragraph.fields.append((self._length, closed.closed(run)))
                self._put(OBJECT)

    def _of_field(self, node: etree._Element) -> None:
        run = node.getparent()
        current = self._open[-1]
        if node.tag == _TEXT and current.separator is not None and run is not None and current.result[-1:] != [run]:
            current.result.append(run)


class _OpenField:
    def __init__(self, data: etree._Element | None) -> None:
        self.data = data
        self.separator: etree._Element | None = None
        self.result: list[etree._Element] = []

    def closed(self, end: etree._Element) -> FormField:
        assert self.data is not None
        return FormField(self.data, tuple(self.result), self.separator, end)


def _nodes(element: etree._Element) -> Iterator[etree._Element]:
    """The elements of a paragraph in order, without what is not read and without the inside of waiting controls."""
    for child in element:
        if child.tag in _SKIPPED or not isinstance(child.tag, str):
            continue
        yield child
        if child.tag not in _DRAWN and not (child.tag == _CONTROL and read_control(child)):
            yield from _nodes(child)


def all_text(element: etree._Element) -> str:
    """All text of an element in one line, that of controls too."""
    return " ".join("".join(text.text or "" for text in element.iter(_TEXT)).split())
