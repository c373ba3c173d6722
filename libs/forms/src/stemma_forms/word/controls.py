"""Content controls: what they are called, and what they accept."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from stemma_forms.field import Kind
from stemma_forms.placeholders import is_placeholder

from .names import W14, W, is_on

# Controls that hold something else than an answer.
_OTHERS = {
    f"{W}{name}" for name in ("bibliography", "citation", "docPartList", "docPartObj", "equation", "group", "picture")
} | {"{http://schemas.microsoft.com/office/word/2012/wordml}repeatingSection"}
_LOCKED = ("contentLocked", "sdtContentLocked")


@dataclass(frozen=True)
class Control:
    """A control that waits for an answer; ``items`` are what a list shows, ``shown`` is the text in it now."""

    element: etree._Element
    kind: Kind
    title: str
    items: tuple[str, ...]
    shown: str


def read_control(element: etree._Element) -> Control | None:
    """The control that an element is; None if it is not there to be filled.

    Such are a table of contents, a locked control, one with others in it, and one for text that has been written.
    """
    properties, content = element.find(f"{W}sdtPr"), element.find(f"{W}sdtContent")
    if properties is None or content is None or any(child.tag in _OTHERS for child in properties):
        return None
    if _is_locked(properties) or next(content.iter(f"{W}sdt", f"{W}tbl"), None) is not None:
        return None
    kind, shown = _kind(properties), "".join(text.text or "" for text in content.iter(f"{W}t")).strip()
    if kind is Kind.TEXT and shown and not (_shows_placeholder(properties) or is_placeholder(shown)):
        return None
    choices = _first(properties, f"{W}dropDownList", f"{W}comboBox")
    return Control(element, kind, _value(properties, "alias"), () if choices is None else _items(choices), shown)


def _is_locked(properties: etree._Element) -> bool:
    lock = properties.find(f"{W}lock")
    return lock is not None and lock.get(f"{W}val") in _LOCKED


def _shows_placeholder(properties: etree._Element) -> bool:
    placeholder = properties.find(f"{W}showingPlcHdr")
    return placeholder is not None and is_on(placeholder.get(f"{W}val"))


def _kind(properties: etree._Element) -> Kind:
    if properties.find(f"{W14}checkbox") is not None:
        return Kind.CHECKBOX
    if properties.find(f"{W}date") is not None:
        return Kind.DATE
    choices = properties.find(f"{W}dropDownList")
    return Kind.CHOICE if choices is not None and _items(choices) else Kind.TEXT


def _items(choices: etree._Element) -> tuple[str, ...]:
    """What a list shows, without the entry that only tells people to choose, which has no value."""
    items = choices.iter(f"{W}listItem")
    shown = (item.get(f"{W}displayText") or item.get(f"{W}value") or "" for item in items if item.get(f"{W}value"))
    return tuple(dict.fromkeys(filter(None, shown)))


def _first(properties: etree._Element, *names: str) -> etree._Element | None:
    return next((child for child in properties if child.tag in names), None)


def _value(properties: etree._Element, name: str) -> str:
    child = properties.find(f"{W}{name}")
    return "" if child is None else child.get(f"{W}val", "")
