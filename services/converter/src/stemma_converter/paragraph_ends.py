"""Where a paragraph ends in a tracked change.

Words that come at the end of a paragraph, and paragraphs that come after it, are one insertion to a word processor:
it begins before the end of the old paragraph, and the end of the last new one is the old one's. Said otherwise,
LibreOffice joins the paragraphs around it when the insertion is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy

from docx.oxml.ns import qn
from lxml import etree

_BETWEEN = (qn("w:bookmarkStart"), qn("w:bookmarkEnd"))
_MARK = f"{qn('w:rPr')}/{qn('w:ins')}"


def with_moved_ends(root: etree._Element, change_like: Callable[[str, etree._Element], etree._Element]) -> None:
    """Move the mark of the last inserted paragraph to the old one, if its words end in an insertion as well.

    ``change_like`` makes an element of the name given that says of whom a change is as another one does.
    """
    for paragraph in root.iter(qn("w:p")):
        if paragraph.find(_path(_MARK)) is None and len(paragraph) and paragraph[-1].tag == qn("w:ins"):
            for last in list(_inserted_after(paragraph))[-1:]:
                _move(_properties(last), _properties(paragraph), change_like("w:pPrChange", paragraph[-1]))


def _path(below: str) -> str:
    return f"{qn('w:pPr')}/{below}"


def _inserted_after(paragraph: etree._Element) -> Iterator[etree._Element]:
    following = paragraph.getnext()
    while following is not None and (following.tag in _BETWEEN or following.find(_path(_MARK)) is not None):
        if following.tag not in _BETWEEN:
            yield following
        following = following.getnext()


def _properties(paragraph: etree._Element) -> etree._Element:
    properties = paragraph.find(qn("w:pPr"))
    if properties is None:
        properties = etree.Element(qn("w:pPr"))
        paragraph.insert(0, properties)
    return properties


def _move(source: etree._Element, target: etree._Element, change: etree._Element) -> None:
    """The end of a paragraph is what holds its style: where it was another one's, the style of that is kept."""
    old = etree.SubElement(change, qn("w:pPr"))
    old.extend(deepcopy(child) for child in target)
    mark = source.find(qn("w:rPr"))
    assert mark is not None
    target.append(mark)
    source.append(change)
