"""What a Word document says, unseen, of where it comes from: of which document it is, and what each paragraph shows.

People send it back changed, and what they did is found by that.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from xml.etree import ElementTree

from docx.document import Document
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from stemma_markdown import document_of, in_order, match_parts
from stemma_ooxml.word import ORIGIN, Mark, Paragraph, WordFile, marked

from .assembly import Manuscript, Source
from .objects import Objects, objects_in

_ITEM, _PROPERTIES = "/customXml/item{}.xml", "/customXml/itemProps{}.xml"
_STORE = (
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?><ds:datastoreItem ds:itemID="{B1F4C7A2-6E1D-4C53-9C0B-53544D'
    '4D4101}" xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml"><ds:schemaRefs>'
    f'<ds:schemaRef ds:uri="{ORIGIN}"/></ds:schemaRefs></ds:datastoreItem>'
)


def add_origin(document: Document) -> None:
    """Make room for the part that says of which document, and of which versions of its sections, a file is."""
    package = document.part.package
    taken = {str(part.partname) for part in package.iter_parts()}
    number = next(number for number in count(1) if _ITEM.format(number) not in taken)
    item = Part(PackURI(_ITEM.format(number)), CONTENT_TYPE.XML, f'<document xmlns="{ORIGIN}"/>'.encode(), package)
    store = PackURI(_PROPERTIES.format(number))
    properties = Part(store, CONTENT_TYPE.OFC_CUSTOM_XML_PROPERTIES, _STORE.encode(), package)
    item.relate_to(properties, RELATIONSHIP_TYPE.CUSTOM_XML_PROPS)
    document.part.relate_to(item, RELATIONSHIP_TYPE.CUSTOM_XML)


def marked_parts(package: bytes, manuscript: Manuscript) -> dict[str, bytes]:
    """The parts of a Word document that say where it comes from.

    Each paragraph with words has a bookmark that says what it shows; the part of `add_origin` names the sections, and
    what of their drafts no paragraph shows.
    """
    sources = manuscript.sources
    if not sources:
        return {}
    file = WordFile(package)
    paragraphs = file.paragraphs(lambda _: True)
    shown = [paragraph for paragraph in paragraphs if paragraph.text.strip()]
    marks = list(_marks(shown, sources))
    objects = objects_in(_placed(paragraphs, iter(marks)))
    root = ElementTree.Element("document", {"xmlns": ORIGIN, "id": manuscript.document_id})
    for place, source in enumerate(sources):
        there = {mark.number for mark in marks if mark.section == place and not mark.is_own}
        absent = " ".join(str(number) for number in range(len(_prose(source))) if number not in there)
        about = {"id": source.section_id, "version": str(source.version), "digest": source.digest}
        about |= objects.get(place, Objects()).said | ({"absent": absent} if absent else {})
        ElementTree.SubElement(root, "section", about)
    content = ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return file.with_marks(list(zip(shown, marks, strict=True))) | {file.origin_part: content}


def _placed(paragraphs: Sequence[Paragraph], marks: Iterator[Mark]) -> Iterator[tuple[int, list[int], Paragraph]]:
    section = 0
    for paragraph in paragraphs:
        mark = next(marks) if paragraph.text.strip() else None
        section = mark.section if mark else section
        yield section, [mark.number] if mark and not mark.is_own else [], paragraph


def _marks(shown: Sequence[Paragraph], sources: Sequence[Source]) -> Iterator[Mark]:
    proses = [
        (place, number, prose)
        for place, one in enumerate(sources)
        for number, prose in enumerate(document_of(one.text).prose)
    ]
    units = [(place, number) for place, number, _ in proses]
    partners = dict[int, int]()
    # A note may say what a cell says, and stands elsewhere in Word than in the draft.
    for is_note in (False, True):
        old = [number for number, (_, _, prose) in enumerate(proses) if prose.in_footnote == is_note]
        new = [number for number, paragraph in enumerate(shown) if bool(paragraph.note) == is_note]
        pairs = match_parts([proses[number][2].text for number in old], [shown[number].text for number in new])
        partners |= {new[one]: old[other] for one, other in pairs.items()}
    kept = in_order(partners[number] for number in sorted(partners) if not shown[number].note)
    last = 0
    for number, paragraph in enumerate(shown):
        partner = partners.get(number)
        if partner is not None and (partner in kept or paragraph.note):
            last, unit = units[partner]
            yield marked(last, sources[last].digest, unit, paragraph.text)
        else:
            yield marked(last, sources[last].digest, number, paragraph.text, is_own=True)


def _prose(source: Source) -> tuple[str, ...]:
    return tuple(one.text for one in document_of(source.text).prose)
