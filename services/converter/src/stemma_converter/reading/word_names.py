"""The names in the parts of a Word document."""

from __future__ import annotations

from lxml import etree

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_OFF = ("0", "false", "off", "none")


def tag(element: etree._Element) -> str:
    """The name of an element without its namespace; empty for comments and instructions."""
    name = element.tag
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def value(element: etree._Element | None, name: str = "val") -> str:
    """An attribute of an element that may not be there."""
    if element is None:
        return ""
    return element.get(f"{{{_W}}}{name}") or element.get(f"{{{_STRICT}}}{name}") or ""


def child(element: etree._Element | None, path: str) -> etree._Element | None:
    """The first element at a path of names, divided by ``/``."""
    return None if element is None else element.find("/".join(f"{{*}}{name}" for name in path.split("/")))


def is_on(element: etree._Element | None) -> bool:
    """Whether a property is there and not switched off."""
    return element is not None and value(element).lower() not in _OFF


def number(text: str, otherwise: int = 0) -> int:
    """A number from a file, or another if it is none."""
    try:
        return int(text)
    except ValueError:
        return otherwise
