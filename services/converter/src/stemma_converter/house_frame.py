"""A converted document in the template of a house: its cover, what it puts before and after the text, its pages.

``{text}`` in the template says where the text stands, ``{contents}`` or a table of contents of its own where the
contents do. A template without any mark in its text gives none of it, and its last page layout.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import count

from docx import Document
from docx.document import Document as DocumentType
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part, XmlPart
from docx.opc.rel import _Relationship
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from docx.oxml.text.paragraph import CT_P
from docx.shared import Cm
from lxml.etree import _Element

from .contents import headings_of, text_width
from .filling import controls_as_marks, fill, marks_of

_TEXT, _CONTENTS = "text", "contents"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
# Bookmarks of a template get numbers that none of the text or of its contents has.
_FIRST_BOOKMARK = 700_000
_CELL_PADDING = Cm(0.4)
COVER = ("Title", "Subtitle", "Author", "Date")
_REPLACED = (RELATIONSHIP_TYPE.STYLES, RELATIONSHIP_TYPE.NUMBERING)
_RUNNING = (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER)
_NUMBERED = (qn("w:bookmarkStart"), qn("w:bookmarkEnd"))
_GALLERY = f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}"


@dataclass(frozen=True)
class Framed:
    """A document, the headings of its text, and the paragraph that stands for its contents if a template has one."""

    document: DocumentType
    headings: Sequence[CT_P]
    contents: CT_P | None = None

    def pages(self, numbers: Sequence[int]) -> Mapping[_Element, int]:
        """The page of each heading, if all are known."""
        return dict(zip(self.headings, numbers, strict=True)) if len(numbers) == len(self.headings) else {}

    def end(self) -> None:
        """Remove what stood for the contents."""
        if self.contents is not None:
            _empty(self.contents)


def unframed(made: bytes) -> Framed:
    """A document in the default template, which has no text."""
    document = Document(BytesIO(made))
    return Framed(document, headings_of(document))


def framed(made: bytes, template: bytes, values: Mapping[str, str]) -> Framed:
    """The text of a document in a template with all styles, from which pandoc made it."""
    house, text = Document(BytesIO(template)), Document(BytesIO(made))
    body = house.element.body
    controls_as_marks(body, values)
    contents = _place_of_contents(body)
    marks = {name for name in marks_of(body) if name in values or name in (_TEXT, _CONTENTS)}
    if not marks:
        for element in [one for one in body if one.tag != qn("w:sectPr")]:
            body.remove(element)
    place = _place(body, _TEXT)
    fill(body, values)
    _renumber(body)
    blocks, headings = [one for one in text.element.body if one.tag != qn("w:sectPr")], headings_of(text)
    cover = list(_cover(text, blocks))
    _bring_parts(house, text)
    _bring_relations(blocks, text.part, house.part)
    start = contents if contents is not None and _stands_before(contents, place) else place
    for block in cover if "title" not in marks else ():
        start.addprevious(block)
    for block in blocks[len(cover) :]:
        place.addprevious(block)
    _fit_drawings(blocks, house)
    _empty(place)
    _number_drawings(house)
    _name_parts(house)
    return Framed(house, headings, contents)


def fill_running_parts(document: DocumentType, values: Mapping[str, str]) -> None:
    """Fill in the marks of all headers and footers."""
    for root in _running(document):
        controls_as_marks(root, values)
        fill(root, values)


def _running(document: DocumentType) -> Iterator[_Element]:
    parts = (one.target_part for one in document.part.rels.values() if one.reltype in _RUNNING)
    yield from (part.element for part in parts if isinstance(part, XmlPart))


def _place(body: _Element, name: str) -> _Element:
    """The block that stands for something; at the end if there is none."""
    found = _block_of(body, name)
    if found is not None:
        return found
    new = OxmlElement("w:p")
    last = body.find(qn("w:sectPr"))
    body.append(new) if last is None else last.addprevious(new)
    return new


def _block_of(body: _Element, name: str) -> _Element | None:
    return next((block for block in body if marks_of(block) == [name]), None)


def _place_of_contents(body: _Element) -> CT_P | None:
    block = _block_of(body, _CONTENTS)
    listed = list(_own_contents(body)) if block is None else [block]
    if not listed:
        return None
    place = OxmlElement("w:p")
    assert isinstance(place, CT_P)
    listed[0].addprevious(place)
    for one in listed:
        body.remove(one)
    return place


def _own_contents(body: _Element) -> Iterator[_Element]:
    """The blocks of the table of contents that a template has: a control of Word's gallery, or a field alone."""
    depth = 0
    for block in list(body):
        gallery = block.find(_GALLERY) if block.tag == qn("w:sdt") else None
        if gallery is not None and gallery.get(qn("w:val")) == "Table of Contents":
            yield block
            return
        code = "".join(text.text or "" for text in block.iter(qn("w:instrText"))).strip()
        if not depth and not code.startswith("TOC "):
            continue
        kinds = [one.get(qn("w:fldCharType")) for one in block.iter(qn("w:fldChar"))]
        depth += kinds.count("begin") - kinds.count("end")
        yield block
        if not depth:
            return


def _cover(text: DocumentType, blocks: Sequence[_Element]) -> Iterator[_Element]:
    styles = {style.style_id for style in text.styles if style.name in COVER}
    for block in blocks:
        used = block.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        if used is None or used.get(qn("w:val")) not in styles:
            return
        yield block


def _stands_before(one: _Element, other: _Element) -> bool:
    return any(behind is other for behind in one.itersiblings())


def _empty(place: _Element) -> None:
    """Remove what stood for the text; where it ends a section of pages it stays, without words."""
    if place.find(f"{qn('w:pPr')}/{qn('w:sectPr')}") is None:
        place.getparent().remove(place)  # type: ignore[union-attr]
        return
    for child in [child for child in place if child.tag != qn("w:pPr")]:
        place.remove(child)


def _renumber(body: _Element) -> None:
    numbers: dict[str, str] = {}
    for mark in body.iter(*_NUMBERED):
        old = mark.get(qn("w:id"), "")
        mark.set(qn("w:id"), numbers.setdefault(old, str(_FIRST_BOOKMARK + len(numbers))))


def _number_drawings(house: DocumentType) -> None:
    roots = (house.element.body, *_running(house))
    for number, drawing in enumerate((one for root in roots for one in root.iter(qn("wp:docPr"))), 1):
        drawing.set("id", str(number))


def _fit_drawings(blocks: Sequence[_Element], house: DocumentType) -> None:
    """Make pictures as narrow as the pages of the house, and the cell that pandoc puts around each, allow."""
    most = text_width(house) - _CELL_PADDING
    for drawing in (one for block in blocks for one in block.iter(qn("wp:inline"))):
        extents = list(drawing.iter(qn("wp:extent"), qn("a:ext")))
        share = min(1.0, *(most / max(1, int(extent.get("cx", "1"))) for extent in extents))
        for extent in extents:
            for side in ("cx", "cy"):
                extent.set(side, str(int(int(extent.get(side, "0")) * share)))


def _bring_relations(blocks: Sequence[_Element], old: Part, new: Part) -> None:
    """Let references to pictures and addresses lead there from another part."""
    for element in (element for block in blocks for element in block.iter()):
        for name, value in element.attrib.items():
            if str(name).startswith(_RELATION) and str(value) in old.rels:
                relation = old.rels[str(value)]
                element.set(name, new.relate_to(_target(relation), relation.reltype, relation.is_external))


def _target(relation: _Relationship) -> Part | str:
    return relation.target_ref if relation.is_external else relation.target_part


def _related(part: Part, kind: str) -> tuple[str, Part] | None:
    return next(((name, one.target_part) for name, one in part.rels.items() if one.reltype == kind), None)


def _replace(part: Part, kind: str, target: Part) -> None:
    if old := _related(part, kind):
        del part.rels[old[0]]
    part.relate_to(target, kind)


def _bring_parts(house: DocumentType, text: DocumentType) -> None:
    """Take over the styles and lists, to which pandoc added, and the notes of the text, with those of the template."""
    for kind in _REPLACED:
        if found := _related(text.part, kind):
            _replace(house.part, kind, found[1])
    ours = _related(text.part, RELATIONSHIP_TYPE.FOOTNOTES)
    if ours is None:
        return
    theirs = _related(house.part, RELATIONSHIP_TYPE.FOOTNOTES)
    references = list(house.element.body.iter(qn("w:footnoteReference")))
    notes = _joined_notes(ours[1], theirs[1], references) if theirs and references else ours[1]
    _replace(house.part, RELATIONSHIP_TYPE.FOOTNOTES, notes)
    for separator in house.settings.element.iterfind(f"{qn('w:footnotePr')}/{qn('w:footnote')}"):
        separator.getparent().remove(separator)


def _joined_notes(ours: Part, theirs: Part, references: Sequence[_Element]) -> Part:
    root, old = parse_xml(ours.blob), parse_xml(theirs.blob)
    notes = {note.get(qn("w:id")): note for note in old}
    free = count(max(int(note.get(qn("w:id"), "0")) for note in root) + 1)
    joined = XmlPart(ours.partname, ours.content_type, root, ours.package)
    for name, relation in ours.rels.items():
        joined.load_rel(relation.reltype, _target(relation), name, relation.is_external)
    for reference in references:
        note, number = notes.get(reference.get(qn("w:id"))), str(next(free))
        if note is not None:
            _bring_relations([note], theirs, joined)
            root.append(note)
            for numbered in (note, reference):
                numbered.set(qn("w:id"), number)
    return joined


def _name_parts(house: DocumentType) -> None:
    """Give parts that came together names of their own."""
    taken = set[str]()
    for part in house.part.package.iter_parts():
        name = part.partname
        if name in taken:
            stem = str(name).removesuffix(f".{name.ext}").rstrip("0123456789")
            names = (f"{stem}{number}.{name.ext}" for number in count(1))
            part.partname = PackURI(next(one for one in names if one not in taken))
        taken.add(str(part.partname))
