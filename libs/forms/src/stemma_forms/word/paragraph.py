"""Paragraphs of a text document with their controls and form fields, and the places for answers in them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from lxml import etree

from stemma_forms.field import Kind
from stemma_forms.words import is_placeholder

MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
W = f"{{{MAIN}}}"
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
# Controls that hold something else than an answer.
_OTHERS = {
    f"{W}{name}" for name in ("bibliography", "citation", "docPartList", "docPartObj", "equation", "group", "picture")
} | {"{http://schemas.microsoft.com/office/word/2012/wordml}repeatingSection"}
_LOCKED = ("contentLocked", "sdtContentLocked")
# In the text, what a control or a form field is: one character, as Unicode has it for an object.
OBJECT = "\ufffc"
# What is not read: deleted and moved text, text boxes, old versions of drawings.
_SKIPPED = {f"{W}del", f"{W}moveFrom", f"{W}txbxContent", FALLBACK, f"{W}pPr", f"{W}rPr"}
_DRAWN = {f"{W}drawing", f"{W}pict", f"{W}object"}
SYMBOL = f"{W}sym"
# Boxes of the font Wingdings, unchecked and checked.
BOX_CODES = {
    **dict.fromkeys(("F06F", "F070", "F071", "F072", "F0A8"), "☐"),
    **dict.fromkeys(("F0FD", "F0FE", "F078"), "☒"),
}
_TEXT, _RUN, _CONTROL, _FIELD = f"{W}t", f"{W}r", f"{W}sdt", f"{W}fldChar"


@dataclass(frozen=True)
class Control:
    """A control that waits for an answer; ``items`` are what a list shows, ``shown`` is the text in it now."""

    element: etree._Element
    kind: Kind
    title: str
    items: tuple[str, ...]
    shown: str


def read_control(element: etree._Element) -> Control | None:
    """The control that an element is; None if it is not there to be filled.

    Such are a table of contents, a locked control, one with others in it, and one for text that has been written.
    """
    properties, content = element.find(f"{W}sdtPr"), element.find(f"{W}sdtContent")
    if properties is None or content is None or any(child.tag in _OTHERS for child in properties):
        return None
    if val(properties, "lock") in _LOCKED or next(content.iter(f"{W}sdt", f"{W}tbl"), None) is not None:
        return None
    kind, shown = _kind(properties), "".join(text.text or "" for text in content.iter(f"{W}t")).strip()
    if kind is Kind.TEXT and shown and not (_shows_placeholder(properties) or is_placeholder(shown)):
        return None
    choices = next(properties.iterchildren(f"{W}dropDownList", f"{W}comboBox"), None)
    return Control(element, kind, val(properties, "alias"), () if choices is None else _items(choices), shown)


def _shows_placeholder(properties: etree._Element) -> bool:
    placeholder = properties.find(f"{W}showingPlcHdr")
    return placeholder is not None and placeholder.get(f"{W}val", "1") in ("1", "true", "on")


def _kind(properties: etree._Element) -> Kind:
    if properties.find(f"{W14}checkbox") is not None:
        return Kind.CHECKBOX
    if properties.find(f"{W}date") is not None:
        return Kind.DATE
    choices = properties.find(f"{W}dropDownList")
    return Kind.CHOICE if choices is not None and _items(choices) else Kind.TEXT


def _items(choices: etree._Element) -> tuple[str, ...]:
    """What a list shows, without the entry that only tells people to choose, which has no value."""
    items = choices.iter(f"{W}listItem")
    shown = (item.get(f"{W}displayText") or item.get(f"{W}value") or "" for item in items if item.get(f"{W}value"))
    return tuple(dict.fromkeys(filter(None, shown)))


def val(element: etree._Element | None, path: str) -> str:
    """What the element at a path of names is set to; empty if there is none."""
    found = None if element is None else element.find("/".join(f"{W}{name}" for name in path.split("/")))
    return "" if found is None else found.get(f"{W}val", "")


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
            case _ if node.tag == SYMBOL and (drawn := _box(node)):
                paragraph.texts.append((self._length, node))
                self._put(drawn)
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


def _box(symbol: etree._Element) -> str:
    """The box that a symbol draws, as a character; empty if it draws something else."""
    is_known = symbol.get(f"{W}font", "").startswith("Wingdings")
    return BOX_CODES.get(symbol.get(f"{W}char", "").upper(), "") if is_known else ""


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


@dataclass(frozen=True)
class Range:
    """Characters of a paragraph that give way to the answer."""

    paragraph: Paragraph
    start: int
    end: int


@dataclass(frozen=True)
class TextSpot:
    """A placeholder, in each of its places; ``cleared`` are further lines that were left free for the same answer."""

    ranges: list[Range]
    cleared: list[Range] = field(default_factory=list)


@dataclass(frozen=True)
class EmptySpot:
    """An empty paragraph, in a cell or below a question."""

    element: etree._Element


@dataclass(frozen=True)
class BelowSpot:
    """A paragraph that asks for something, below which the form leaves no line: one is made."""

    element: etree._Element


@dataclass(frozen=True)
class BoxSpot:
    """Boxes that are drawn as characters, and cells that take a cross, by what they stand for."""

    boxes: tuple[tuple[str, Range | etree._Element], ...]


# A control, a form field, or a paragraph that is a label and is written behind.
Spot: TypeAlias = TextSpot | EmptySpot | BelowSpot | BoxSpot | Paragraph | Control | FormField
