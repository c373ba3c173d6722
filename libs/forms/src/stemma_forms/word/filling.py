"""Answers written into the body of a document, in the formatting that the place has."""

import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from datetime import date
from typing import assert_never

from lxml import etree
from stemma_ooxml import serialize_xml

from stemma_forms.field import Field, Kind, as_date, chosen, is_checked
from stemma_forms.words import CHECKED, CROSS, UNCHECKED

from .paragraph import (
    SPACE,
    SYMBOL,
    W14,
    BelowSpot,
    BoxSpot,
    Control,
    EmptySpot,
    FormField,
    Paragraph,
    Range,
    Spot,
    TextSpot,
    W,
    val,
)

_PART = re.compile(r"yyyy|yy|MM|M|dd|d|'[^']*'|[^yMd']+")


def shown_date(day: date, form: str) -> str:
    """A day in the format of a control, such as dd.MM.yyyy; as ISO 8601 has it if the format has names of months."""
    if not form or re.search(r"MMM|ddd", form):
        return day.isoformat()
    parts = {
        "yyyy": f"{day.year:04}",
        "yy": f"{day.year % 100:02}",
        "MM": f"{day.month:02}",
        "M": str(day.month),
        "dd": f"{day.day:02}",
        "d": str(day.day),
    }
    return "".join(parts.get(part, part.strip("'")) for part in _PART.findall(form))


_NOT_OF_TEXT = {f"{W}ins", f"{W}del", f"{W}moveFrom", f"{W}moveTo", f"{W}rPrChange"}
_CHECKED, _UNCHECKED = "2612", "2610"


def fill_document(root: etree._Element, answers: Iterable[tuple[Field, Spot, str]]) -> bytes:
    """The document with the answers in it."""
    texts: list[tuple[Range, str]] = []
    for field, spot, answer in answers:
        match spot:
            case TextSpot():
                texts += [(each, answer) for each in spot.ranges] + [(each, "") for each in spot.cleared]
            case EmptySpot():
                _write_empty(spot.element, answer)
            case BelowSpot():
                _write_below(spot.element, answer)
            case BoxSpot():
                texts += _check_boxes(spot, field, answer)
            case Paragraph():
                _write_after(spot, answer)
            case Control():
                _write_control(spot, field, answer)
            case FormField():
                _write_field(spot, field, answer)
            case _:
                assert_never(spot)
    # From the end: a replaced text moves only what comes after it.
    for each, answer in sorted(texts, key=lambda text: text[0].start, reverse=True):
        _replace(each, answer)
    return serialize_xml(root)


def _replace(place: Range, answer: str) -> None:
    """Put the answer in the place of some characters, in the formatting of the first."""
    first = True
    for begin, element in place.paragraph.texts:
        if element.tag == SYMBOL:
            if begin == place.start:
                element.set(f"{W}char", "F0FE" if answer == CHECKED else "F0A8")
            continue
        text = element.text or ""
        start, end = max(place.start - begin, 0), min(place.end - begin, len(text))
        if start >= end:
            continue
        before, after = text[:start], text[end:]
        _set_lines(element, [*(before + answer).split("\n")] if first else [before], after)
        first = False


def _set_lines(element: etree._Element, lines: list[str], after: str) -> None:
    """Make a text hold lines with breaks between them, and then ``after``."""
    run = element.getparent()
    assert run is not None
    _set_text(element, lines[0] + (after if len(lines) == 1 else ""))
    at = run.index(element) + 1
    for index, text in enumerate(lines[1:], 1):
        further = etree.Element(f"{W}t")
        _set_text(further, text + (after if index == len(lines) - 1 else ""))
        run.insert(at, etree.Element(f"{W}br"))
        run.insert(at + 1, further)
        at += 2


def _set_text(element: etree._Element, text: str) -> None:
    element.text = text
    if text != text.strip():
        element.set(SPACE, "preserve")


def _run(answer: str, properties: etree._Element | None) -> etree._Element:
    run = etree.Element(f"{W}r")
    if properties is not None and len(properties):
        run.append(properties)
    text = etree.SubElement(run, f"{W}t")
    _set_lines(text, answer.split("\n"), "")
    return run


def _copied(properties: etree._Element | None, without: Iterable[str] = ()) -> etree._Element | None:
    """Formatting for a run, without what is said of changes and of placeholders."""
    if properties is None:
        return None
    copy = deepcopy(properties)
    copy.tail = None
    for child in [c for c in copy if c.tag in _NOT_OF_TEXT or c.tag in without]:
        copy.remove(child)
    return copy


def _write_empty(paragraph: etree._Element, answer: str) -> None:
    paragraph.append(_run(answer, _copied(paragraph.find(f"{W}pPr/{W}rPr"))))


def _write_below(asked: etree._Element, answer: str) -> None:
    """Write a paragraph of its own below one, as that is laid out, but for its number and its style of a heading."""
    if not answer:
        return
    made = etree.Element(f"{W}p")
    layout = _copied(
        asked.find(f"{W}pPr"), (f"{W}numPr", f"{W}pStyle", f"{W}outlineLvl", f"{W}sectPr", f"{W}pPrChange")
    )
    if layout is not None and len(layout):
        made.append(layout)
    made.append(_run(answer, None))
    asked.addnext(made)


def _check_boxes(spot: BoxSpot, field: Field, answer: str) -> Iterator[tuple[Range, str]]:
    """The characters that change, for one box to be checked of several; a cell takes a cross."""
    meant = chosen(field, answer) if field.kind is Kind.CHOICE else spot.boxes[0][0] if is_checked(answer) else None
    for label, place in spot.boxes:
        if isinstance(place, Range):
            is_so = place.paragraph.text[place.start] in "☒☑"
            if is_so != (label == meant):
                yield place, CHECKED if label == meant else UNCHECKED
        elif label == meant:
            _write_empty(place, CROSS)


def _write_after(paragraph: Paragraph, answer: str) -> None:
    """Write after a label, in the formatting of the paragraph's end, else in that of the label."""
    own = paragraph.element.find(f"{W}pPr/{W}rPr")
    run = paragraph.texts[-1][1].getparent() if paragraph.texts else None
    label = None if run is None else run.find(f"{W}rPr")
    space = "" if paragraph.text.endswith((" ", "\t", "\u00a0")) or not answer else " "
    paragraph.element.append(_run(space + answer, _copied(label if own is None else own)))


def _write_control(control: Control, field: Field, answer: str) -> None:
    properties, content = control.element.find(f"{W}sdtPr"), control.element.find(f"{W}sdtContent")
    assert properties is not None
    assert content is not None
    _detach(properties)
    if field.kind is Kind.CHECKBOX:
        _check(properties, content, bool(is_checked(answer)))
        return
    was_placeholder = properties.find(f"{W}showingPlcHdr")
    if was_placeholder is not None:
        properties.remove(was_placeholder)
    shown = _shown(properties, field, answer)
    formatting = _control_formatting(properties, content, was_placeholder is not None)
    _replace_content(content, _run(shown, formatting))


def _detach(properties: etree._Element) -> None:
    """Let go of the store from which Word would put an older text back into the control."""
    for binding in properties.findall(f"{W}dataBinding"):
        properties.remove(binding)


def _shown(properties: etree._Element, field: Field, answer: str) -> str:
    """What a control shows for an answer; what Word keeps beside it, the day and the chosen value, is set."""
    if field.kind is Kind.CHOICE:
        return chosen(field, answer) or answer
    date, day = properties.find(f"{W}date"), as_date(answer)
    if date is None or day is None:
        return answer
    date.set(f"{W}fullDate", f"{day.isoformat()}T00:00:00Z")
    return shown_date(day, val(date, "dateFormat"))


def _control_formatting(
    properties: etree._Element, content: etree._Element, was_placeholder: bool
) -> etree._Element | None:
    """The formatting that the control sets, else that of the text in it; that of a placeholder is not the answer's."""
    own = properties.find(f"{W}rPr")
    if own is not None:
        return _copied(own)
    first = next(content.iter(f"{W}r"), None)
    inside = None if first is None else first.find(f"{W}rPr")
    return _copied(inside, (f"{W}rStyle", f"{W}color") if was_placeholder else ())


def _replace_content(content: etree._Element, run: etree._Element) -> None:
    """Make a control hold one run: in its first paragraph if it has paragraphs, else by itself."""
    paragraphs = list(content.iter(f"{W}p"))
    if not paragraphs:
        for child in list(content):
            content.remove(child)
        content.append(run)
        return
    for further in paragraphs[1:]:
        if (above := further.getparent()) is not None:
            above.remove(further)
    for child in [c for c in paragraphs[0] if c.tag != f"{W}pPr"]:
        paragraphs[0].remove(child)
    paragraphs[0].append(run)


def _check(properties: etree._Element, content: etree._Element, checked: bool) -> None:
    box = properties.find(f"{W14}checkbox")
    assert box is not None
    state = box.find(f"{W14}checked")
    if state is None:
        state = etree.Element(f"{W14}checked")
        box.insert(0, state)
    state.set(f"{W14}val", "1" if checked else "0")
    look = box.find(f"{W14}{'checkedState' if checked else 'uncheckedState'}")
    character = chr(_code(look, _CHECKED if checked else _UNCHECKED))
    text = next(content.iter(f"{W}t"), None)
    if text is None:
        _replace_content(content, _run(character, None))
    else:
        text.text = character


def _code(look: etree._Element | None, otherwise: str) -> int:
    value = otherwise if look is None else look.get(f"{W14}val", otherwise)
    try:
        code = int(value, 16)
    except ValueError:
        return int(otherwise, 16)
    return code if 0x20 <= code < 0xD800 else int(otherwise, 16)


def _write_field(form_field: FormField, field: Field, answer: str) -> None:
    match field.kind:
        case Kind.CHECKBOX:
            box = form_field.data.find(f"{W}checkBox")
            assert box is not None
            _set_child(box, f"{W}checked", "1" if is_checked(answer) else "0")
        case Kind.CHOICE:
            choices = form_field.data.find(f"{W}ddList")
            assert choices is not None
            entries = [entry.get(f"{W}val", "") for entry in choices.iter(f"{W}listEntry")]
            _set_child(choices, f"{W}result", str(entries.index(chosen(field, answer) or answer)), first=True)
        case _:
            _write_result(form_field, answer)


def _set_child(parent: etree._Element, name: str, value: str, *, first: bool = False) -> None:
    child = parent.find(name)
    if child is None:
        child = etree.Element(name)
        parent.insert(0 if first else len(parent), child)
    child.set(f"{W}val", value)


def _write_result(form_field: FormField, answer: str) -> None:
    """Write the result of a field: in its first run, whose formatting stays; the others are emptied."""
    texts = [text for run in form_field.result for text in run.iter(f"{W}t")]
    if not texts:
        run = _run(answer, _copied(form_field.end.find(f"{W}rPr")))
        _before_end(form_field, run)
        return
    for text in texts[1:]:
        text.text = ""
    _set_lines(texts[0], answer.split("\n"), "")


def _before_end(form_field: FormField, run: etree._Element) -> None:
    if form_field.separator is None:
        separator = deepcopy(form_field.end)
        for mark in separator.iter(f"{W}fldChar"):
            mark.set(f"{W}fldCharType", "separate")
        form_field.end.addprevious(separator)
    form_field.end.addprevious(run)
