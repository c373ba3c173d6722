"""The table of contents of a Word document.

Only Word knows on which page a heading comes to stand: it sets the page numbers when it updates the field. The entries
are there before, with the pages that the headings have in our PDF, for previews and readers that update no fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

from docx.document import Document
from docx.enum.text import WD_TAB_ALIGNMENT, WD_TAB_LEADER
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.oxml.text.paragraph import CT_P
from docx.shared import Cm, Length
from docx.text.paragraph import Paragraph
from docx.text.parfmt import ParagraphFormat
from lxml.etree import _Element

from .chapters import DEPTH, numbers

_INSTRUCTION = f' TOC \\o "1-{DEPTH}" \\h \\z \\u '
_STYLE = f"{qn('w:pPr')}/{qn('w:pStyle')}"
_LEVELS = {f"Heading {level}": level for level in range(1, 10)}


@dataclass(frozen=True)
class _Entry:
    level: int
    words: str
    bookmark: str
    page: int | None


def add_contents(document: Document, title: str, pages: Sequence[int]) -> None:
    """Put the contents on a page of their own behind the cover, and begin the text on a new page.

    ``pages`` has the page of each heading; else the entries stand without numbers.
    """
    styles, levels, headings = _style_ids(document), _levels(document), headings_of(document)
    if not headings:
        return
    known = pages if len(pages) == len(headings) else [None] * len(headings)
    entries = list(_entries(headings, levels, known))
    heading = _paragraph(styles.get("TOC Heading", "TOCHeading"), _run(title))
    for paragraph in (heading, *_field(entries, styles, _text_width(document))):
        headings[0].addprevious(paragraph)
    for paragraph in (heading, headings[0]):
        Paragraph(paragraph, document).paragraph_format.page_break_before = True


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


def _text_width(document: Document) -> Length:
    section = document.sections[0]
    sides = (section.page_width or Cm(21), section.left_margin or Cm(2.5), section.right_margin or Cm(2.5))
    return Length(sides[0] - sides[1] - sides[2])


def _style_ids(document: Document) -> dict[str, str]:
    """The ids of styles by name: Word translates the ids, and keeps the names of its own styles in English."""
    return {str(style.name): style.style_id for style in document.styles if style.style_id}


def _entries(headings: Sequence[CT_P], levels: Mapping[str, int], pages: Sequence[int | None]) -> Iterator[_Entry]:
    all_levels = [levels[heading.style or ""] for heading in headings]
    for index, (heading, level, number) in enumerate(zip(headings, all_levels, numbers(all_levels), strict=True)):
        if level <= DEPTH:
            bookmark = f"_Toc{index + 1:06d}"
            _mark(heading, bookmark, 900_000 + index)
            yield _Entry(level, f"{number}  {heading.text}", bookmark, pages[index])


def _mark(heading: CT_P, name: str, identifier: int) -> None:
    start = _element("w:bookmarkStart", {"w:id": str(identifier), "w:name": name})
    heading.get_or_add_pPr().addnext(start)
    heading.append(_element("w:bookmarkEnd", {"w:id": str(identifier)}))


def _field(entries: Sequence[_Entry], styles: Mapping[str, str], width: Length) -> Iterator[CT_P]:
    """One field over all entries: it begins in the first and ends in the last."""
    lines = {level: _line(styles.get(f"toc {level}", f"TOC{level}"), width) for level in range(1, DEPTH + 1)}
    for index, entry in enumerate(entries):
        content = [_link(entry)]
        if index == 0:
            content = [_character("begin", dirty=True), _instruction(_INSTRUCTION), _character("separate"), *content]
        if index == len(entries) - 1:
            content.append(_character("end"))
        paragraph = deepcopy(lines[entry.level])  # to set its style and tabs anew takes ten times as long
        paragraph.extend(content)
        yield paragraph


def _line(style: str, width: Length) -> CT_P:
    paragraph = _paragraph(style)
    ParagraphFormat(paragraph).tab_stops.add_tab_stop(width, WD_TAB_ALIGNMENT.RIGHT, WD_TAB_LEADER.DOTS)
    return paragraph


def _link(entry: _Entry) -> _Element:
    link = _element("w:hyperlink", {"w:anchor": entry.bookmark, "w:history": "1"})
    link.append(_run(entry.words))
    if entry.page is not None:
        link.append(_run_of(_element("w:tab")))
        link.extend(_page_number(entry.bookmark, entry.page))
    return link


def _page_number(bookmark: str, page: int) -> Iterator[_Element]:
    yield _character("begin")
    yield _instruction(f" PAGEREF {bookmark} \\h ")
    yield _character("separate")
    yield _run(str(page))
    yield _character("end")


def _paragraph(style: str, *content: _Element) -> CT_P:
    paragraph = _element("w:p")
    assert isinstance(paragraph, CT_P)
    paragraph.style = style
    for element in content:
        paragraph.append(element)
    return paragraph


def _run(words: str) -> _Element:
    element = _element("w:t", {qn("xml:space"): "preserve"})
    element.text = words
    return _run_of(element)


def _instruction(words: str) -> _Element:
    element = _element("w:instrText", {qn("xml:space"): "preserve"})
    element.text = words
    return _run_of(element)


def _character(kind: str, *, dirty: bool = False) -> _Element:
    values = {"w:fldCharType": kind} | ({"w:dirty": "true"} if dirty else {})
    return _run_of(_element("w:fldChar", values))


def _run_of(element: _Element) -> _Element:
    run = _element("w:r")
    run.append(element)
    return run


def _element(tag: str, values: dict[str, str] | None = None) -> _Element:
    element: _Element = OxmlElement(tag)
    for name, value in (values or {}).items():
        element.set(name if name.startswith("{") else qn(name), value)
    return element
