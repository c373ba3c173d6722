"""The table of contents of a Word document.

Only Word knows on which page a heading comes to stand: it adds the page numbers when it updates the field.
The entries are there before, so that previews and readers that do not update fields show them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from docx.document import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.oxml.text.paragraph import CT_P
from lxml.etree import _Element

DEPTH = 2
TITLE = "Contents"
_INSTRUCTION = f' TOC \\o "1-{DEPTH}" \\h \\z \\u '
_LEVELS = {f"Heading {level}": level for level in range(1, 10)}


@dataclass(frozen=True)
class _Entry:
    level: int
    words: str
    bookmark: str


def add_contents(document: Document) -> None:
    """Put the contents behind the title block and begin the text on a new page."""
    styles = _style_ids(document)
    levels = {styles[name]: level for name, level in _LEVELS.items() if name in styles}
    paragraphs = [element for element in document.element.body if isinstance(element, CT_P)]
    headings = [p for p in paragraphs if p.style in levels]
    if not headings:
        return
    place = headings[0]
    entries = list(_entries(headings, levels))
    for paragraph in (_paragraph(styles.get("TOC Heading", "TOCHeading"), _run(TITLE)), *_field(entries, styles)):
        place.addprevious(paragraph)
    first = next(paragraph for paragraph in document.paragraphs if paragraph._p is place)
    first.paragraph_format.page_break_before = True


def _style_ids(document: Document) -> dict[str, str]:
    """The ids of styles by name: Word translates the ids, and keeps the names of its own styles in English."""
    return {str(style.name): style.style_id for style in document.styles if style.style_id}


def _entries(headings: list[CT_P], levels: Mapping[str, int]) -> Iterator[_Entry]:
    counters: list[int] = []
    for index, heading in enumerate(headings):
        level = levels[heading.style or ""]
        counters = [*counters[:level], *([0] * (level - len(counters)))]
        counters[level - 1] += 1
        if level <= DEPTH:
            bookmark = f"_Toc{index + 1:06d}"
            _mark(heading, bookmark, 900_000 + index)
            number = ".".join(map(str, counters))
            yield _Entry(level, f"{number}  {heading.text}", bookmark)


def _mark(heading: CT_P, name: str, identifier: int) -> None:
    start = _element("w:bookmarkStart", {"w:id": str(identifier), "w:name": name})
    heading.get_or_add_pPr().addnext(start)
    heading.append(_element("w:bookmarkEnd", {"w:id": str(identifier)}))


def _field(entries: list[_Entry], styles: Mapping[str, str]) -> Iterator[CT_P]:
    """One field over all entries: it begins in the first and ends in the last."""
    for index, entry in enumerate(entries):
        content = [_link(entry)]
        if index == 0:
            content = [_character("begin", dirty=True), _instruction(_INSTRUCTION), _character("separate"), *content]
        if index == len(entries) - 1:
            content.append(_character("end"))
        yield _paragraph(styles.get(f"toc {entry.level}", f"TOC{entry.level}"), *content)


def _link(entry: _Entry) -> _Element:
    link = _element("w:hyperlink", {"w:anchor": entry.bookmark, "w:history": "1"})
    link.append(_run(entry.words))
    return link


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
