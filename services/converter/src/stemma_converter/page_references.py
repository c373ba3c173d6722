"""Links that say on which page of the document their target stands, where a format has pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from docx.document import Document
from docx.oxml.ns import qn
from lxml.etree import _Element
from stemma_languages import Words

from .tree import Node, attributes, node, rewrite, text

_CLASS = "with-page"
_FIELD = '<w:fldSimple w:instr=" PAGEREF "><w:r><w:t></w:t></w:r></w:fldSimple>'
"""Which bookmark it is about, and its page, are set in the finished document, where pandoc has named the bookmarks."""


def paged_link(words: str, identifier: str, spoken: Words) -> list[Node]:
    """A link to a heading; formats with pages add the page behind it, in the words of the language."""
    around = spoken.cited_page.partition("{number}")
    classes = attributes("", _CLASS, before=around[0], after=around[2])
    return [node("Link", classes, text(words), [f"#{identifier}", ""])]


def with_typst_pages(blocks: list[Node]) -> list[Node]:
    return _with_pages(blocks, "typst", lambda name: f"#context counter(page).at(label({json.dumps(name)})).first()")


def with_word_fields(blocks: list[Node]) -> list[Node]:
    return _with_pages(blocks, "openxml", lambda _: _FIELD)


def _with_pages(blocks: list[Node], format: str, page_of: Callable[[str], str]) -> list[Node]:
    def edit(item: Node) -> list[Node]:
        match item:
            case {"t": "Link", "c": [[_, classes, values], inlines, [str(target), title]]} if _CLASS in classes:
                named = dict(values)
                page = node("RawInline", format, page_of(target[1:]))
                link = node("Link", attributes(), inlines, [target, title])
                return [link, node("Str", ","), node("Space"), *_around(page, named["before"], named["after"])]
            case _:
                return [item]

    edited: list[Node] = rewrite(blocks, edit)
    return edited


def _around(page: Node, before: str, after: str) -> list[Node]:
    space = [node("Space")] if before.endswith(" ") else []
    return [*text(before), *space, page, *text(after)]


def set_page_fields(document: Document, headings: Sequence[_Element], pages: Sequence[int]) -> None:
    """Give each field the bookmark of the link before it, and its page, which Word updates; ``pages`` of headings."""
    numbers = _pages_by_bookmark(document, headings, pages)
    for field in list(document.element.body.iter(qn("w:fldSimple"))):
        link = field.getprevious()
        while link is not None and link.tag != qn("w:hyperlink"):
            link = link.getprevious()
        if link is not None and field.get(qn("w:instr"), "").strip() == "PAGEREF":
            name = link.get(qn("w:anchor"), "")
            field.set(qn("w:instr"), f" PAGEREF {name} \\h ")
            field.find(f"{qn('w:r')}/{qn('w:t')}").text = numbers.get(name, "…")


def _pages_by_bookmark(document: Document, headings: Sequence[_Element], pages: Sequence[int]) -> Mapping[str, str]:
    if len(pages) != len(headings):
        return {}
    found, waiting = dict[str, str](), list[str]()
    page_of = dict(zip(headings, pages, strict=True))
    for element in document.element.body.iter(qn("w:bookmarkStart"), qn("w:p")):
        if element.tag == qn("w:bookmarkStart"):
            waiting.append(element.get(qn("w:name"), ""))
        elif element in page_of:
            inside = [mark.get(qn("w:name"), "") for mark in element.iter(qn("w:bookmarkStart"))]
            found |= dict.fromkeys((*waiting, *inside), str(page_of[element]))
            waiting.clear()
    return found
