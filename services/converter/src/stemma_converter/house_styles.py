"""The styles of a house's template: each that a conversion uses is there, in the look of the house.

What a house has is kept. A style that it lacks is taken from the default template without its font and colour, a
heading from the next higher one of the house.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cached_property
from io import BytesIO

from docx import Document
from docx.document import Document as DocumentType
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from lxml.etree import _Element
from stemma_languages import english_style
from stemma_ooxml import Package, PackageError

_HEADING = re.compile(r"heading ([1-9])")
_CONTENTS = ("paragraph", "toc heading")
_NO_HEADINGS = ("title", "toc heading")
_CODE = ("source code", "verbatim char")
_LOOKS = ("w:rFonts", "w:color", "w:pBdr", "w:shd")
_SIZES = ("w:sz", "w:szCs")
_WORDS_SIZE = "20"
"""Of text whose size nothing says, in half points."""
_REFERENCES = ("w:basedOn", "w:next", "w:link")
_TYPES, _DOCUMENT, _TEMPLATE = "[Content_Types].xml", "document.main", "template.main"
_MOST_BYTES = 300 << 20
# Word 2010 kept its styles twice, and takes a file for damaged whose copies differ.
_COPY_OF_STYLES = "http://schemas.microsoft.com/office/2007/relationships/stylesWithEffects"
# Pandoc looks for these parts by these names; other programs number them.
_NAMES = {
    RELATIONSHIP_TYPE.STYLES: "/word/styles.xml",
    RELATIONSHIP_TYPE.NUMBERING: "/word/numbering.xml",
    RELATIONSHIP_TYPE.SETTINGS: "/word/settings.xml",
    RELATIONSHIP_TYPE.THEME: "/word/theme/theme1.xml",
    RELATIONSHIP_TYPE.FONT_TABLE: "/word/fontTable.xml",
}


def completed(template: bytes, default: bytes) -> bytes:
    """The template of a house, a DOCX or DOTX, with all styles of the default one.

    Raises `PackageError` for what is none, and for one with macros, which no document of ours shall have.
    """
    house = Document(BytesIO(as_document(template)))
    _Completion(house, Document(BytesIO(default))).run()
    house.part.partname = PackURI("/word/document.xml")
    for name, relationship in list(house.part.rels.items()):
        if relationship.reltype == _COPY_OF_STYLES:
            del house.part.rels[name]
        elif relationship.reltype in _NAMES:
            relationship.target_part.partname = PackURI(_NAMES[relationship.reltype])
    buffer = BytesIO()
    house.save(buffer)
    return buffer.getvalue()


def as_document(template: bytes) -> bytes:
    """A DOCX or DOTX as a document; raises `PackageError`."""
    package = Package(template, _MOST_BYTES, _MOST_BYTES)
    kind = package.content_type(package.main)
    if package.has_macros or not kind.endswith((f"{_DOCUMENT}+xml", f"{_TEMPLATE}+xml")):
        raise PackageError("damaged", "The file is no Word document without macros.")
    types = package.read(_TYPES).replace(f"{_TEMPLATE}+xml".encode(), f"{_DOCUMENT}+xml".encode())
    return package.with_parts({_TYPES: types})


class _Completion:
    def __init__(self, house: DocumentType, ours: DocumentType) -> None:
        self._house, self._ours = house, ours
        self._root = house.styles.element
        _use_english_names(self._root)
        self._there = {(_kind(style), _name(style)): style for style in _styles(self._root)}
        self._ids = {_id(style) for style in _styles(self._root)}
        self._based_on_house = set[str]()

    def run(self) -> None:
        _add_defaults(self._root)
        ours = _styles(self._ours.styles.element)
        added = [style for style in ours if (_kind(style), _name(style)) not in self._there]
        made = [self._added(style) for style in added]
        for style in made:
            self._refer(style)
        # It is mostly based on a heading, and would have a number where that has.
        contents = next(style for style in self._house.styles if style.element is self._there[_CONTENTS])
        contents.element.get_or_add_pPr().get_or_add_numPr().get_or_add_numId().val = 0

    def _added(self, theirs: _Element) -> _Element:
        style = deepcopy(theirs)
        style.attrib.pop(qn("w:default"), "")
        identifier = _id(style)
        while identifier in self._ids:
            identifier += "x"
        style.set(qn("w:styleId"), identifier)
        self._ids.add(identifier)
        heading = _HEADING.fullmatch(_name(style)) if _kind(style) == "paragraph" else None
        like = self._like(int(heading[1])) if heading else None
        if heading and like is not None:
            _make_like(style, like, int(heading[1]))
            self._based_on_house.add(identifier)
        elif _name(style) not in _CODE:
            self._make_plain(style)
        self._root.append(style)
        self._there[_kind(style), _name(style)] = style
        return style

    def _like(self, level: int) -> _Element | None:
        """What a heading that the house lacks is like: its style of that level of the outline, or a higher heading."""
        for style in _styles(self._root):
            if _outline(style) == level and _name(style) not in _NO_HEADINGS:
                return style
        higher = (self._there.get(("paragraph", f"heading {one}")) for one in range(level - 1, 0, -1))
        return next((style for style in higher if style is not None), None)

    def _make_plain(self, style: _Element) -> None:
        """Leave font, colour and size of text to the house; with no heading of its own it gets our numbers."""
        for tag in _LOOKS:
            for old in list(style.iter(qn(tag))):
                _remove(old)
        for size in list(style.iter(*map(qn, _SIZES))):
            size.set(qn("w:val"), str(round(int(size.get(qn("w:val"), "22")) * self._scale)))
        if _attribute(style, "w:pPr/w:numPr/w:numId", "w:val") not in ("", "0"):
            _set(style, "w:pPr/w:numPr/w:numId", self._numbering)

    @cached_property
    def _scale(self) -> float:
        """How much larger the text of the house is than ours."""
        sizes = [
            _attribute(root, "w:docDefaults/w:rPrDefault/w:rPr/w:sz", "w:val")
            for root in (self._root, self._ours.styles.element)
        ]
        normal = self._there.get(("paragraph", "normal"))
        own = "" if normal is None else _attribute(normal, "w:rPr/w:sz", "w:val")
        return int(own or sizes[0] or _WORDS_SIZE) / int(sizes[1] or _WORDS_SIZE)

    @cached_property
    def _numbering(self) -> str:
        """The number that our outline of headings has in the house's numbering."""
        ours = self._ours.part.numbering_part
        number = _attribute(self._ours.styles["Heading 1"].element, "w:pPr/w:numPr/w:numId", "w:val")
        if not any(one.reltype == RELATIONSHIP_TYPE.NUMBERING for one in self._house.part.rels.values()):
            self._house.part.relate_to(ours, RELATIONSHIP_TYPE.NUMBERING)
            return number
        house = self._house.part.numbering_part.element
        item = deepcopy(_numbered(ours.element, "w:num", "w:numId", number))
        base = _attribute(item, "w:abstractNumId", "w:val")
        outline = deepcopy(_numbered(ours.element, "w:abstractNum", "w:abstractNumId", base))
        base, number = _free(house, "w:abstractNum", "w:abstractNumId"), _free(house, "w:num", "w:numId")
        outline.set(qn("w:abstractNumId"), base)
        item.set(qn("w:numId"), number)
        _set(item, "w:abstractNumId", base)
        items = list(house.iterfind(qn("w:num")))
        items[0].addprevious(outline) if items else house.append(outline)
        items[-1].addnext(item) if items else outline.addnext(item)
        return number

    def _refer(self, style: _Element) -> None:
        """Let a style that was added refer to others by the ids that they have in the house."""
        by_id = {_id(one): one for one in _styles(self._ours.styles.element)}
        for tag in _REFERENCES:
            reference = style.find(qn(tag))
            if reference is None or (tag == "w:basedOn" and _id(style) in self._based_on_house):
                continue
            meant = by_id.get(reference.get(qn("w:val"), ""))
            found = None if meant is None else self._there.get((_kind(meant), _name(meant)))
            if found is None:
                _remove(reference)
            else:
                reference.set(qn("w:val"), _id(found))


def _styles(root: _Element) -> Iterator[_Element]:
    return root.iterfind(qn("w:style"))


def _name(style: _Element) -> str:
    return _attribute(style, "w:name", "w:val").casefold()


def _kind(style: _Element) -> str:
    return str(style.get(qn("w:type"), "paragraph"))


def _id(style: _Element) -> str:
    return str(style.get(qn("w:styleId"), ""))


def _outline(style: _Element) -> int:
    """The level of the headings that have a style; 0 for text."""
    found = _attribute(style, "w:pPr/w:outlineLvl", "w:val")
    return int(found) + 1 if found.isdecimal() and _kind(style) == "paragraph" else 0


def _find(element: _Element, path: str) -> _Element | None:
    return element.find("/".join(map(qn, path.split("/"))))


def _attribute(element: _Element, path: str, name: str) -> str:
    found = _find(element, path)
    return "" if found is None else str(found.get(qn(name), ""))


def _set(element: _Element, path: str, value: str) -> None:
    if (found := _find(element, path)) is not None:
        found.set(qn("w:val"), value)


def _remove(element: _Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _numbered(root: _Element, tag: str, attribute: str, number: str) -> _Element:
    return next(one for one in root.iterfind(qn(tag)) if one.get(qn(attribute)) == number)


def _free(root: _Element, tag: str, attribute: str) -> str:
    """A number that none of those elements has."""
    taken = [int(one.get(qn(attribute), "0")) for one in root.iterfind(qn(tag))]
    return str(max(taken, default=0) + 1)


def _use_english_names(root: _Element) -> None:
    """Word writes the names of its own styles in English, other programs in the language of the user."""
    there = {_name(style) for style in _styles(root)}
    for style in _styles(root):
        english = english_style(_name(style))
        if english and english.casefold() not in there:
            _set(style, "w:name", english)
            style.attrib.pop(qn("w:customStyle"), "")
            there.add(english.casefold())


def _add_defaults(root: _Element) -> None:
    """Where a template says nothing of all text, there is no place for its language."""
    if root.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}") is not None:
        return
    defaults = root.find(qn("w:docDefaults"))
    if defaults is None:
        defaults = OxmlElement("w:docDefaults")
        root.insert(0, defaults)
    for old in defaults.findall(qn("w:rPrDefault")):
        defaults.remove(old)
    defaults.insert(0, parse_xml(f"<w:rPrDefault {nsdecls('w')}><w:rPr/></w:rPrDefault>"))


def _make_like(style: _Element, like: _Element, level: int) -> None:
    """Make a heading as the house's own of another level or name; it is numbered one level deeper if that is."""
    for old in [*style.findall(qn("w:pPr")), *style.findall(qn("w:rPr"))]:
        style.remove(old)
    _set(style, "w:basedOn", _id(like))
    number, numbered = _attribute(like, "w:pPr/w:numPr/w:numId", "w:val"), ""
    if number and _outline(like) != level:
        numbered = f'<w:numPr><w:ilvl w:val="{level - 1}"/><w:numId w:val="{number}"/></w:numPr>'
    style.append(parse_xml(f'<w:pPr {nsdecls("w")}>{numbered}<w:outlineLvl w:val="{level - 1}"/></w:pPr>'))
