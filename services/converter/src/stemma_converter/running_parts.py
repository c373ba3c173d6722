"""Header and footer of a Word document: marks in braces that a template has there are filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from docx.document import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.section import _Footer, _Header
from lxml.etree import _Element

from .manuscript import Manuscript

_PAGE_OF = "{page_of}"
_MARK = re.compile("{([a-z]+)}")
_FIELDS = {"{page}": "PAGE", "{pages}": "NUMPAGES"}
_FIELD = re.compile("({page}|{pages})")


def fill_running_parts(document: Document, manuscript: Manuscript) -> None:
    """Fill in ``{title}``, ``{company}``, ``{author}``, ``{date}``, ``{origin}`` and ``{page_of}``."""
    section = document.sections[0]
    parts = (section.header, section.footer, section.first_page_header, section.first_page_footer)
    for part in (part for part in parts if not part.is_linked_to_previous):
        _fill(part, manuscript.running(), manuscript.language.words.page_of)


def _fill(part: _Header | _Footer, values: Mapping[str, str], page_of: str) -> None:
    def filled(words: str) -> str:
        return _MARK.sub(lambda mark: values.get(mark[1], mark[0]), words)

    for run in [run for paragraph in part.paragraphs for run in paragraph.runs]:
        before, mark, after = run.text.partition(_PAGE_OF)
        if mark or _MARK.search(before):
            run.text = filled(before)
            behind = run.element
            for element in _pieces(page_of if mark else "", filled(after)):
                behind.addnext(element)
                behind = element


def _pieces(*texts: str) -> Iterator[_Element]:
    """The numbers of pages as fields, in words of the language, and what stands behind them."""
    for piece in (piece for words in texts for piece in _FIELD.split(words) if piece):
        code = _FIELDS.get(piece)
        run = _run("1" if code else piece)
        if code is None:
            yield run
        else:
            field = OxmlElement("w:fldSimple")
            field.set(qn("w:instr"), f" {code} ")
            field.append(run)
            yield field


def _run(words: str) -> _Element:
    run, element = OxmlElement("w:r"), OxmlElement("w:t")
    element.set(qn("xml:space"), "preserve")
    element.text = words
    run.append(element)
    return run
