"""Styles and lists of a DOCX: what a paragraph and a run look like, and which number an item has."""

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache

from lxml import etree

from . import Package

_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_ROMAN: tuple[tuple[int, str], ...] = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"))
_ROMAN += ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_BODY_LEVEL, _DEEPEST = 9, 20
WORDPROCESSING = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFF = ("0", "false", "off", "none")


@dataclass(frozen=True)
class _Level:
    format: str = "bullet"
    text: str = ""
    start: int = 1
    restarts: bool = True


@dataclass(frozen=True)
class Numbered:
    """A number of a list as it is shown, and how deep in the list; ``label`` is empty for a bullet."""

    depth: int
    label: str


class Styles:
    def __init__(self, root: etree._Element | None) -> None:
        found = list(root.iterfind("{*}style")) if root is not None else []
        self._styles = {value(style, "styleId"): style for style in found}
        self._default = next((value(s, "styleId") for s in found if _is_default(s)), "")
        self._defaults = child(root, "docDefaults/rPrDefault")
        self._looks: dict[tuple[str, str, str], etree._Element | None] = {}

    def name(self, paragraph: etree._Element) -> str:
        """The name of the style of a paragraph; empty if it has none."""
        return next((value(child(style, "name")) for style in self._chain(paragraph)), "")

    def heading(self, paragraph: etree._Element) -> int:
        """The level of a heading, or 0: by what the paragraph says itself, then by its style and that one's bases."""
        direct = child(paragraph, "pPr/outlineLvl")
        if direct is not None:
            return _outline(direct)
        for style in self._chain(paragraph):
            name = value(child(style, "name"))
            if name.lower() == "title":
                return 1
            if found := _HEADING.match(name):
                return min(int(found[1]), 6)
            if (level := child(style, "pPr/outlineLvl")) is not None:
                return _outline(level)
        return 0

    def numbering(self, paragraph: etree._Element) -> tuple[str, int] | None:
        depth: int | None = None
        for source in (paragraph, *self._chain(paragraph)):
            properties = child(source, "pPr/numPr")
            if depth is None and child(properties, "ilvl") is not None:
                depth = number(value(child(properties, "ilvl")))
            if identifier := value(child(properties, "numId")):
                return (identifier, depth or 0) if identifier != "0" else None
        return None

    def is_bullet(self, paragraph: etree._Element) -> bool:
        return any(value(child(style, "name")).lower().startswith("list bullet") for style in self._chain(paragraph))

    def look(self, run: etree._Element, style: str, name: str) -> etree._Element | None:
        """A property of a run in a paragraph of a style: its own, or that of its styles."""
        own = child(run, f"rPr/{name}")
        if own is not None:
            return own
        key = value(child(run, "rPr/rStyle")), style or self._default, name
        if key not in self._looks:
            chain = [*self._bases(key[0]), *self._bases(key[1]), *([] if self._defaults is None else [self._defaults])]
            found = (child(one, f"rPr/{name}") for one in chain)
            self._looks[key] = next((one for one in found if one is not None), None)
        return self._looks[key]

    def is_shaded(self, name: str) -> bool:
        """Whether a style, as of a table, has a background anywhere; without a name, that of paragraphs."""
        return any(style.find(".//{*}shd") is not None for style in self._bases(name or self._default))

    def _chain(self, paragraph: etree._Element) -> list[etree._Element]:
        return self._bases(value(child(paragraph, "pPr/pStyle")))

    def _bases(self, name: str) -> list[etree._Element]:
        chain: list[etree._Element] = []
        while (style := self._styles.get(name)) is not None and len(chain) < _DEEPEST:
            chain.append(style)
            name = value(child(style, "basedOn"))
        return chain


def _is_default(style: etree._Element) -> bool:
    return value(style, "type") == "paragraph" and value(style, "default") in ("1", "true")


class Numbering:
    def __init__(self, root: etree._Element | None) -> None:
        abstract = {} if root is None else {value(a, "abstractNumId"): a for a in root.iterfind("{*}abstractNum")}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._base: dict[str, str] = {}
        for item in root.iterfind("{*}num") if root is not None else ():
            identifier, base = value(item, "numId"), value(child(item, "abstractNumId"))
            self._base[identifier] = base if child(item, "lvlOverride") is None else f"{base}/{identifier}"
            levels = _levels(abstract.get(base)) | _levels(item, "{*}lvlOverride/{*}lvl")
            for override in item.iterfind("{*}lvlOverride"):
                depth = number(value(override, "ilvl"))
                if (first := child(override, "startOverride")) is not None:
                    levels[depth] = replace(levels.get(depth, _Level()), start=number(value(first), 1))
            self._levels[identifier] = levels
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def next(self, identifier: str, depth: int) -> Numbered:
        levels = self._levels.get(identifier, {})
        level, counts = levels.get(depth, _Level()), self._counts[self._base.get(identifier, identifier)]
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [other for other in counts if other > depth and levels.get(other, _Level()).restarts]:
            del counts[deeper]
        if level.format in ("bullet", "none"):
            return Numbered(depth, "")
        label = level.text
        for other in range(depth + 1):
            shape = levels.get(other, _Level("decimal"))
            label = label.replace(f"%{other + 1}", _written(counts.get(other, shape.start), shape.format))
        return Numbered(depth, label.strip())


def styles_of(package: Package, related: dict[str, tuple[str, str]]) -> tuple[Styles, Numbering]:
    parts = dict(related.values())
    return Styles(package.xml_if_there(parts.get("styles", ""))), Numbering(
        package.xml_if_there(parts.get("numbering", ""))
    )


def _outline(level: etree._Element) -> int:
    found = number(value(level), _BODY_LEVEL)
    return min(found + 1, 6) if 0 <= found < _BODY_LEVEL else 0


def _levels(root: etree._Element | None, path: str = "{*}lvl") -> dict[int, _Level]:
    found = {}
    for item in root.iterfind(path) if root is not None else ():
        start = number(value(child(item, "start")), 1)
        shape = value(child(item, "numFmt")) or "decimal"
        restarts = value(child(item, "lvlRestart")) != "0"
        found[number(value(item, "ilvl"))] = _Level(shape, value(child(item, "lvlText")), start, restarts)
    return found


def _written(count: int, shape: str) -> str:
    match shape:
        case "lowerLetter" | "upperLetter":
            letters = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1) if 0 < count < 1000 else str(count)
            return letters if shape == "lowerLetter" else letters.upper()
        case "lowerRoman" | "upperRoman":
            return _roman(count) if shape == "lowerRoman" else _roman(count).upper()
        case "decimalZero":
            return f"{count:02}"
        case _:
            return str(count)


def _roman(count: int) -> str:
    if not 0 < count < 4000:
        return str(count)
    written = ""
    for worth, letters in _ROMAN:
        written += letters * (count // worth)
        count %= worth
    return written


def tag(element: etree._Element) -> str:
    """The name of an element without its namespace; empty for comments and instructions."""
    name = element.tag
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def value(element: etree._Element | None, name: str = "val") -> str:
    if element is None:
        return ""
    return element.get(f"{{{WORDPROCESSING}}}{name}", "")


def child(element: etree._Element | None, path: str) -> etree._Element | None:
    """The first element at a path of names, divided by ``/``."""
    return None if element is None else element.find(_in_any_namespace(path))


@cache
def _in_any_namespace(path: str) -> str:
    return "/".join(f"{{*}}{name}" for name in path.split("/"))


def is_on(element: etree._Element | None) -> bool:
    return element is not None and value(element).lower() not in _OFF


def number(text: str, otherwise: int = 0) -> int:
    """A number from a file, or another if it is none."""
    try:
        return int(text)
    except ValueError:
        return otherwise
