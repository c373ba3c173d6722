"""Marks in a Word template such as ``{title}``, and what they become; also in content controls and in fields."""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy

from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml.etree import _Element

MARK = re.compile("{([a-z_]+)}")
_PAGES = {"{page}": "PAGE", "{pages}": "NUMPAGES"}
_PAGE = re.compile("({pages?})")
_PROPERTY = re.compile(r'\s*(?:DOCPROPERTY\s+"?([\w ]+?)"?|(TITLE|AUTHOR))\s*(?:\\.*)?')
# What Word's own cover pages are bound to, by the last step of the path.
_BOUND = {"creator": "author", "publishdate": "date"}
_STEP = re.compile(r"(?:\w+:)?(\w+)(?:\[\d+\])?$")
_BLOCKS = (qn("w:p"), qn("w:tbl"), qn("w:sdt"))


def fill(root: _Element, values: Mapping[str, str]) -> None:
    """Fill in the marks of a part; a line, or a row of a table, all of whose marks have no value goes.

    ``page_of`` and the like may hold ``{page}`` and ``{pages}``, which become fields.
    """
    for paragraph in list(root.iter(qn("w:p"))):
        found = {name for name in marks_of(paragraph) if name in values}
        if found and not any(values[name] for name in found):
            _remove_line(paragraph, values)
        elif found:
            _fill_paragraph(paragraph, values)
        for run in [text.getparent() for text in _texts(paragraph) if _PAGE.search(text.text or "")]:
            if run is not None and run.getparent() is not None:
                _with_page_fields(run)


def marks_of(element: _Element) -> list[str]:
    """The names of the marks in the text of an element, one paragraph at a time."""
    inside = element.iter(qn("w:p"))
    return [name for one in inside for name in MARK.findall("".join(text.text or "" for text in _texts(one)))]


def controls_as_marks(root: _Element, names: Mapping[str, str]) -> None:
    """Let content controls and fields with a known name hold its mark; controls are no longer bound to anything."""
    for control in root.iter(qn("w:sdt")):
        properties, content = control.find(qn("w:sdtPr")), control.find(qn("w:sdtContent"))
        if properties is not None and content is not None and (name := _control_name(properties, names)):
            _hold(list(content.iter(qn("w:t"))), content, name)
            for tag in ("w:dataBinding", "w:showingPlcHdr", "w15:dataBinding", "w:date"):
                for old in properties.findall(qn(tag)) if not tag.startswith("w15") else ():
                    properties.remove(old)
            for style in list(content.iter(qn("w:rStyle"))):
                _parent(style).remove(style)
    for field in root.iter(qn("w:fldSimple")):
        if name := _field_name(field.get(qn("w:instr"), ""), names):
            _hold(list(field.iter(qn("w:t"))), field, name)
    for paragraph in root.iter(qn("w:p")):
        for code, shown in _fields(paragraph):
            if name := _field_name(code, names):
                _hold(shown, None, name)


def _texts(paragraph: _Element) -> list[_Element]:
    """The texts of a paragraph, without those of paragraphs in frames within it."""
    return [text for text in paragraph.iter(qn("w:t")) if next(text.iterancestors(qn("w:p")), None) is paragraph]


def _parent(element: _Element) -> _Element:
    parent = element.getparent()
    assert parent is not None
    return parent


def _control_name(properties: _Element, names: Mapping[str, str]) -> str:
    said = [one.get(qn("w:val"), "") for tag in ("w:tag", "w:alias") for one in properties.findall(qn(tag))]
    for binding in properties.findall(qn("w:dataBinding")):
        step = _STEP.search(binding.get(qn("w:xpath"), ""))
        said.append(step[1] if step else "")
    found = (_BOUND.get(word.casefold(), word.casefold()) for word in said)
    return next((name for name in found if name in names), "")


def _field_name(code: str, names: Mapping[str, str]) -> str:
    found = _PROPERTY.fullmatch(code)
    name = (found[1] or found[2]).casefold() if found else ""
    return name if name in names else ""


def _fields(paragraph: _Element) -> Iterator[tuple[str, list[_Element]]]:
    """The codes of the fields that begin and end in a paragraph, with the texts that show their result."""
    code, shown, is_result = "", list[_Element](), False
    for element in paragraph.iter(qn("w:fldChar"), qn("w:instrText"), qn("w:t")):
        kind = element.get(qn("w:fldCharType"))
        if kind == "begin":
            code, shown, is_result = "", [], False
        elif kind == "separate":
            is_result = True
        elif kind == "end":
            yield code, shown
            is_result = False
        elif element.tag == qn("w:instrText"):
            code += element.text or ""
        elif is_result:
            shown.append(element)


def _hold(texts: list[_Element], content: _Element | None, name: str) -> None:
    if not texts and content is not None:
        place = next(content.iter(qn("w:p")), content)
        run, text = OxmlElement("w:r"), OxmlElement("w:t")
        run.append(text)
        place.append(run)
        texts = [text]
    for number, text in enumerate(texts):
        text.text = "" if number else f"{{{name}}}"


def _fill_paragraph(paragraph: _Element, values: Mapping[str, str]) -> None:
    """Word may cut a mark into several runs: its value stands where it begins."""
    texts = _texts(paragraph)
    said = "".join(text.text or "" for text in texts)
    for mark in reversed([one for one in MARK.finditer(said) if one[1] in values]):
        start, at = mark.start(), 0
        value = values[mark[1]]
        for text in texts:
            words = text.text or ""
            first, last = max(mark.start() - at, 0), min(mark.end() - at, len(words))
            if first < last:
                here = value if at <= start < at + len(words) else ""
                text.text = words[:first] + here + words[last:]
                text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            at += len(words)


def _with_page_fields(run: _Element) -> None:
    """The run as several, with fields in the place of ``{page}`` and ``{pages}``."""
    for child in [child for child in run if child.tag != qn("w:rPr")]:
        pieces = _PAGE.split(child.text or "") if child.tag == qn("w:t") else [None]
        for piece in pieces:
            if piece == "":
                continue
            own = _like(run)
            if piece is None:
                own.append(child)
            else:
                text = OxmlElement("w:t")
                text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
                text.text = "1" if piece in _PAGES else piece
                own.append(text)
            run.addprevious(_in_field(_PAGES[piece], own) if piece in _PAGES else own)
    _parent(run).remove(run)


def _like(run: _Element) -> _Element:
    new, look = OxmlElement("w:r"), run.find(qn("w:rPr"))
    if look is not None:
        new.append(deepcopy(look))
    return new


def _in_field(code: str, run: _Element) -> _Element:
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), f" {code} ")
    field.append(run)
    return field


def _remove_line(paragraph: _Element, values: Mapping[str, str]) -> None:
    row = next(paragraph.iterancestors(qn("w:tr")), None)
    if row is not None and len(list(_parent(row).iterchildren(qn("w:tr")))) > 1:
        known = [name for name in marks_of(row) if name in values]
        if not any(values[name] for name in known):
            _parent(row).remove(row)
            return
    if paragraph.find(f"{qn('w:pPr')}/{qn('w:sectPr')}") is not None or not _remove_block(paragraph):
        _fill_paragraph(paragraph, values)


def _remove_block(block: _Element) -> bool:
    """Remove a block, with the control around it if that holds nothing else; a cell and a header keep their last."""
    parent = block.getparent()
    if parent is None:
        return True
    others = [other for other in parent if other is not block and other.tag in _BLOCKS]
    if not others and parent.tag == qn("w:sdtContent"):
        return _remove_block(_parent(parent))
    if not others and parent.tag != qn("w:body"):
        return False
    parent.remove(block)
    return True
