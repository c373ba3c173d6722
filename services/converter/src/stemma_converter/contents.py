"""The table of contents of a Word document, and the pages of its links.

Only Word knows on which page a heading comes to stand: it sets the page numbers when it updates the field. The entries
are there before, with the pages that the headings have in our PDF, for previews and readers that update no fields.
"""

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.oxml.text.paragraph import CT_P
from docx.shared import Cm, Length
from docx.text.paragraph import Paragraph
from lxml.etree import _Element
from stemma_ooxml.word_styles import Numbering, Styles

from .chapters import DEPTH

_STYLE = f"{qn('w:pPr')}/{qn('w:pStyle')}"
_LEVELS = {f"Heading {level}": level for level in range(1, 10)}
_SEPARATE, _END = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("separate", "end"))
_CODE = '<w:r><w:fldChar w:fldCharType="begin"{}/></w:r><w:r><w:instrText xml:space="preserve">{}</w:instrText></w:r>'
_BEGIN = _CODE.format(' w:dirty="true"', f' TOC \\o "1-{DEPTH}" \\h \\z \\u ') + _SEPARATE
_RUN = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
_PAGES_OF_OURS = 2


def add_contents(
    document: Document, title: str, pages: Mapping[_Element, int], first: CT_P | None, place: CT_P | None = None
) -> None:
    """Put the contents on a page of their own before ``first``, the first heading of the text, or in a place.

    The text begins on a new page. ``pages`` has those of headings; the entries of others stand without numbers.
    """
    styles, headings = _style_ids(document), headings_of(document)
    if first is None:
        return
    entries = list(_entries(document, headings, pages, styles))
    heading = _paragraph(styles.get("TOC Heading", "TOCHeading"), _RUN.format(escape(title)))
    # One field over all entries: it begins in the first and ends in the last.
    if entries:
        entries[0] = entries[0].replace("<w:hyperlink", f"{_BEGIN}<w:hyperlink", 1)
        entries[-1] = entries[-1].removesuffix("</w:p>") + f"{_END}</w:p>"
    block = parse_xml(f"<w:body {nsdecls('w')}>{heading}{''.join(entries)}</w:body>")
    paragraphs = [paragraph for paragraph in block if isinstance(paragraph, CT_P)]
    for paragraph in paragraphs:
        (first if place is None else place).addprevious(paragraph)
    for paragraph in (paragraphs[0], first):
        if not _begins_page(paragraph):
            Paragraph(paragraph, document).paragraph_format.page_break_before = True


def _begins_page(paragraph: CT_P) -> bool:
    """Whether a template has a new page there: a break, a section of pages that ends, or the very beginning."""
    before = paragraph.getprevious()
    while before is not None and before.tag in (qn("w:bookmarkStart"), qn("w:bookmarkEnd")):
        before = before.getprevious()
    if before is None or before.find(f"{qn('w:pPr')}/{qn('w:sectPr')}") is not None:
        return True
    parts = [one for one in before.iter(qn("w:br"), qn("w:t")) if one.tag == qn("w:br") or one.text]
    return bool(parts) and parts[-1].get(qn("w:type")) == "page"


def further_pages(first: CT_P, place: CT_P | None) -> int:
    """How many pages more than our PDF, where cover and contents begin one each, a template begins before the text.

    They are counted by its breaks and sections; what of its own words takes more than a page is not known here.
    """
    before = list(first.itersiblings(preceding=True))
    breaks = sum(one.get(qn("w:type")) == "page" for block in before for one in block.iter(qn("w:br")))
    ended = sum(1 for block in before for _ in block.iter(qn("w:sectPr")))
    sections = next(first.iterancestors(qn("w:body"))).iter(qn("w:sectPr"))
    begun = [one.find(qn("w:type")) for one in sections][1 : ended + 1]
    paged = sum(one is None or one.get(qn("w:val")) != "continuous" for one in begun)
    brought = [not _begins_page(first if place is None else place), place is None or not _begins_page(first)]
    return breaks + paged + sum(brought) - _PAGES_OF_OURS


def headings_of(document: Document) -> list[CT_P]:
    levels = _levels(document)
    return [element for element in document.element.body if isinstance(element, CT_P) and _style_of(element) in levels]


def _style_of(paragraph: CT_P) -> str | None:
    """As ``paragraph.style`` of python-docx, in a fifth of the time: all paragraphs are asked."""
    style = paragraph.find(_STYLE)
    return None if style is None else style.get(qn("w:val"))


def _levels(document: Document) -> dict[str, int]:
    styles = _style_ids(document)
    return {styles[name]: level for name, level in _LEVELS.items() if name in styles}


def text_width(document: Document) -> Length:
    """Of the pages at the end, where the text stands."""
    section = document.sections[-1]
    sides = (section.page_width or Cm(21), section.left_margin or Cm(2.5), section.right_margin or Cm(2.5))
    return Length(sides[0] - sides[1] - sides[2])


def _style_ids(document: Document) -> dict[str, str]:
    """The ids of styles by name: Word translates the ids, and keeps the names of its own styles in English."""
    return {str(style.name): style.style_id for style in document.styles if style.style_id}


def _entries(
    document: Document, headings: Sequence[CT_P], pages: Mapping[_Element, int], styles: Mapping[str, str]
) -> Iterator[str]:
    names, tab = _levels(document), f'<w:tab w:pos="{text_width(document).twips}" w:val="right" w:leader="dot"/>'
    for index, (heading, number) in enumerate(zip(headings, _numbers(document, headings), strict=True)):
        level, page = names[heading.style or ""], pages.get(heading)
        if level > DEPTH:
            continue
        bookmark = f"_Toc{index + 1:06d}"
        _mark(heading, bookmark, 900_000 + index)
        words = _RUN.format(escape(f"{number}  {heading.text}".strip()))
        if page is not None:
            field = _CODE.format("", f" PAGEREF {bookmark} \\h ") + _SEPARATE + _RUN.format(page) + _END
            words += f"<w:r><w:tab/></w:r>{field}"
        link = f'<w:hyperlink w:anchor="{bookmark}" w:history="1">{words}</w:hyperlink>'
        yield _paragraph(styles.get(f"toc {level}", f"TOC{level}"), link, f"<w:tabs>{tab}</w:tabs>")


def _numbers(document: Document, headings: Sequence[CT_P]) -> Iterator[str]:
    """The numbers of headings as Word shows them: of which kind they are, or that there are none, their styles say."""
    lists = [one.target_part for one in document.part.rels.values() if one.reltype == RELATIONSHIP_TYPE.NUMBERING]
    styles, numbering = Styles(document.styles.element), Numbering(lists[0].element if lists else None)
    for heading in headings:
        listed = styles.numbering(heading)
        yield numbering.next(*listed).label if listed else ""


def _paragraph(style: str, content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr><w:pStyle w:val={quoteattr(style)}/>{properties}</w:pPr>{content}</w:p>"


def _mark(heading: CT_P, name: str, identifier: int) -> None:
    start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
    for mark in (start, end):
        mark.set(qn("w:id"), str(identifier))
    start.set(qn("w:name"), name)
    heading.get_or_add_pPr().addnext(start)
    heading.append(end)


def set_page_fields(document: Document, pages: Mapping[_Element, int]) -> None:
    """Give each field the bookmark of the link before it, and its page, which Word updates; ``pages`` of headings."""
    numbers = _pages_by_bookmark(document, pages)
    for field in list(document.element.body.iter(qn("w:fldSimple"))):
        link = field.getprevious()
        while link is not None and link.tag != qn("w:hyperlink"):
            link = link.getprevious()
        if link is not None and field.get(qn("w:instr"), "").strip() == "PAGEREF":
            name = link.get(qn("w:anchor"), "")
            field.set(qn("w:instr"), f" PAGEREF {name} \\h ")
            field.find(f"{qn('w:r')}/{qn('w:t')}").text = numbers.get(name, "…")


def _pages_by_bookmark(document: Document, pages: Mapping[_Element, int]) -> Mapping[str, str]:
    found, waiting = dict[str, str](), list[str]()
    for element in document.element.body.iter(qn("w:bookmarkStart"), qn("w:p")) if pages else ():
        if element.tag == qn("w:bookmarkStart"):
            waiting.append(element.get(qn("w:name"), ""))
        elif element in pages:
            inside = [mark.get(qn("w:name"), "") for mark in element.iter(qn("w:bookmarkStart"))]
            found |= dict.fromkeys((*waiting, *inside), str(pages[element]))
            waiting.clear()
    return found
