"""What waits for an answer inside a paragraph: controls, form fields, placeholders, lines to write on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lxml import etree

from stemma_forms.field import Field, Kind, Limit, Unit, line
from stemma_forms.placeholders import Placeholder, placeholders

from .paragraph import OBJECT, Control, ControlSpot, FieldSpot, FormField, Paragraph, Range, Spot, TextSpot, W, all_text

_CONTROL, _BLANK, _LONE_BLANK = 0.95, 0.85, 0.4
_PAGE_NUMBER = re.compile(r"\s*\d{1,4}\s*$")
_FIELD_KINDS = {"number": Kind.NUMBER, "date": Kind.DATE}


@dataclass(frozen=True)
class Around:
    """The heading and the text above a place, and the row and the column of its table."""

    place: str
    heading: str = ""
    above: str = ""
    row: str = ""
    column: str = ""

    @property
    def asked(self) -> str:
        """What is asked in a place that has no words of its own."""
        if self.row and self.column and self.column not in self.row:
            return f"{self.row} ({self.column})"
        return self.row or self.column or self.above


@dataclass(frozen=True)
class Inline:
    """A field without its place; ``name`` is what a placeholder is called that means the same wherever it stands."""

    field: Field
    spot: Spot
    name: str = ""


@dataclass(frozen=True)
class _Item:
    start: int
    end: int
    what: Control | FormField | Placeholder


def inlines(paragraph: Paragraph, around: Around) -> Iterator[Inline]:
    """What waits in a paragraph, in its order."""
    items = sorted(_items(paragraph), key=lambda item: item.start)
    first_label = ""
    for index, item in enumerate(items):
        before = _words(paragraph.text[items[index - 1].end if index else 0 : item.start])
        after = _words(paragraph.text[item.end : items[index + 1].start if index + 1 < len(items) else None])
        first_label = first_label or (before if index == 0 else "")
        asked = replace(around, row=around.row or first_label) if index else around
        match item.what:
            case Control() as control:
                yield _control(control, before, after, asked)
            case FormField() as field:
                yield _form_field(field, before, after, asked)
            case Placeholder() as placeholder:
                yield from _placeholder(paragraph, placeholder, before, after, asked)


def _items(paragraph: Paragraph) -> Iterator[_Item]:
    yield from (_Item(start, start + 1, control) for start, control in paragraph.controls)
    yield from (_Item(start, start + 1, field) for start, field in paragraph.fields)
    yield from (_Item(found.start, found.end, found) for found in placeholders(paragraph.text))


def _words(text: str) -> str:
    return " ".join(text.replace(OBJECT, " ").split())


def _control(control: Control, before: str, after: str, around: Around) -> Inline:
    question = _question(control.kind, control.title, before, after, around)
    return Inline(control_field(control, question), ControlSpot(control))


def control_field(control: Control, question: str) -> Field:
    """The field that a control is; what a list shows is what it allows, or suggests if other text is allowed too."""
    is_choice = control.kind is Kind.CHOICE
    return Field(
        "", "", "",
        question,
        control.kind,
        allowed=control.items if is_choice else (),
        suggested=() if is_choice else control.items,
        current=line(control.shown),
        confidence=_CONTROL,
    )  # fmt: skip


def _form_field(form_field: FormField, before: str, after: str, around: Around) -> Inline:
    data = form_field.data
    kind, items = Kind.TEXT, tuple[str, ...]()
    if data.find(f"{W}checkBox") is not None:
        kind = Kind.CHECKBOX
    elif entries := [entry.get(f"{W}val", "") for entry in data.iter(f"{W}listEntry")]:
        kind, items = Kind.CHOICE, tuple(dict.fromkeys(filter(None, entries)))
    else:
        kind = _FIELD_KINDS.get(_value(data, f"{W}textInput/{W}type"), Kind.TEXT)
    longest = _value(data, f"{W}textInput/{W}maxLength")
    field = Field(
        "", "", "",
        _question(kind, _hint(data), before, after, around),
        kind,
        items,
        limit=Limit(int(longest), Unit.CHARACTERS) if longest.isdigit() and int(longest) else None,
        current=line(" ".join(all_text(run) for run in form_field.result)),
        confidence=_CONTROL,
    )  # fmt: skip
    return Inline(field, FieldSpot(form_field))


def _hint(data: etree._Element) -> str:
    hints = (data.find(f"{W}{name}") for name in ("statusText", "helpText"))
    return next((text for h in hints if h is not None and (text := h.get(f"{W}val", "").strip())), "")


def _value(data: etree._Element, path: str) -> str:
    found = data.find(path)
    return "" if found is None else found.get(f"{W}val", "")


def _question(kind: Kind, title: str, before: str, after: str, around: Around) -> str:
    if kind is Kind.CHECKBOX:
        label = title or after or before
        return f"{around.asked.rstrip(' :')}: {label}" if around.asked and label != around.asked else label
    beside = f"{around.row}: {before}" if around.row and before and before != around.row else before
    return beside or title or around.asked


def _placeholder(paragraph: Paragraph, found: Placeholder, before: str, after: str, around: Around) -> Iterator[Inline]:
    spot = TextSpot([Range(paragraph, found.start, found.end)])
    written = paragraph.text[found.start : found.end]
    if found.words:
        label = before if before.endswith(":") and len(before) <= 80 else ""
        question = f"{label} {found.words}" if label else found.words
        field = Field("", "", "", question, current=line(written), confidence=found.confidence)
        yield Inline(field, spot, found.words.casefold() if found.is_name else "")
    elif not (before and _PAGE_NUMBER.fullmatch(paragraph.text[found.end :])):
        question = before or after.strip("() ") or around.asked
        confidence = _BLANK if before or after else _LONE_BLANK
        yield Inline(Field("", "", "", question, confidence=confidence), spot)
