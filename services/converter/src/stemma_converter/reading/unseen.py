"""HTML and ODT without what nobody sees in them, for pandoc, which reads all of it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree, html
from stemma_ooxml import Package

_MAYBE = re.compile(
    r"<(?:template|rt|rp)\b|\bhidden\b|(?:display|visibility|font-size|opacity|color|text-decoration)[\w-]*\s*:", re.I
)
_HIDDEN = re.compile(
    r"(?:^|;)(?:display:none|visibility:hidden|font-size:0(?:px|pt)?(?=;|$)|opacity:0(?:\.0+)?(?=;|$))"
)
_WHITE = re.compile(r"(?:^|;)color:(?:#fff(?:fff)?\b|white\b|rgb\(255,255,255\))")
_OWN = re.compile(r"(?:^|;)(?:font-size:(?!0(?:px|pt)?(?:;|$))|visibility:visible)")
_UNDONE = re.compile("font-size|visibility")
_STRUCK = re.compile(r"(?:^|;)text-decoration(?:-line)?:[^;]*line-through")
_LOOKS = ("background", "bgcolor", "class")
_SPOKEN = ("template", "rt", "rp")


@dataclass(frozen=True)
class Seen:
    content: bytes
    hidden: int


def seen_html(text: str) -> Seen:
    data = text.encode("utf-8", "replace")
    if not _MAYBE.search(text):
        return Seen(data, 0)
    try:
        root = html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return Seen(data, 0)
    has_sheet = root.find(".//style") is not None or root.find(".//link") is not None
    found = [element for element in root.iter() if isinstance(element.tag, str)]
    seen, hidden = _with_own_looks(found), 0
    for element in found:
        style = _style(element)
        if element.tag in _SPOKEN:
            _drop(element)
        elif (
            "hidden" in element.attrib
            or ((hides := _HIDDEN.search(style)) and not (element in seen and _UNDONE.search(hides[0])))
            or (_WHITE.search(style) and not has_sheet and _bare(element))
        ):
            hidden += _drop(element)
        elif _STRUCK.search(style) and element.tag == "span":
            element.tag = "s"
    return Seen(etree.tostring(root, encoding="utf-8", method="html"), hidden)


def _style(element: etree._Element) -> str:
    return re.sub(r"\s+", "", element.get("style", "")).lower()


def _with_own_looks(elements: Iterable[etree._Element]) -> set[etree._Element]:
    """What holds something that is seen all the same, as in mails whose tables have letters of no size."""
    found = set[etree._Element]()
    for element in elements:
        above = element.getparent() if _OWN.search(_style(element)) else None
        while above is not None and above not in found:
            found.add(above)
            above = above.getparent()
    return found


def _bare(element: etree._Element) -> bool:
    """Whether nothing around an element may have given it a background."""
    around = (element, *element.iterancestors())
    return not any("background" in one.get("style", "") or any(map(one.get, _LOOKS)) for one in around)


def _drop(element: etree._Element) -> int:
    """Take an element out, and give how many words were in it; what follows it stays."""
    parent = element.getparent()
    if parent is None:
        return 0
    words = len("".join(str(text) for text in element.itertext()).split())
    before, tail = element.getprevious(), element.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)
    return words


def seen_odt(package: Package) -> Seen:
    content, styles = package.xml("content.xml"), package.xml_if_there("styles.xml")
    # Automatic styles are numbered anew in each part: those of headers have names that others have in the text.
    named = [] if styles is None else list(styles.iterfind("{*}styles"))
    is_shaded = any(map(_is_shaded, content.iter())) or (styles is not None and any(map(_is_shaded, styles.iter())))
    unseen = set(_unseen_styles([content, *named], is_shaded=is_shaded))
    hidden = 0
    for element in list(content.iter("{*}span", "{*}p", "{*}h", "{*}section", "{*}hidden-text", "{*}hidden-paragraph")):
        if _value(element, "style-name") in unseen or _value(element, "display") == "none" or _is_hidden(element):
            hidden += _drop(element)
    for ruby in list(content.iter("{*}ruby-text")):
        _drop(ruby)
    for ruby in content.iter("{*}ruby", "{*}ruby-base"):
        ruby.tag = f"{{{etree.QName(ruby).namespace}}}span"
    return Seen(package.with_parts({"content.xml": etree.tostring(content)}), hidden)


def edges_of_odt(package: Package) -> dict[str, list[str]]:
    """The paragraphs above and below the text of each page, by ``header`` and ``footer``."""
    styles = package.xml_if_there("styles.xml")
    if styles is None:
        return {}
    return {
        kind: ["".join(map(str, line.itertext())) for edge in styles.iter(f"{{*}}{kind}") for line in edge.iter("{*}p")]
        for kind in ("header", "footer")
    }


def _is_hidden(element: etree._Element) -> bool:
    return etree.QName(element).localname.startswith("hidden-") and _value(element, "is-hidden") == "true"


def _is_shaded(element: etree._Element) -> bool:
    """Whether something gives a text, a table, a page or a shape a background."""
    if _value(element, "background-color") not in ("", "transparent", "#ffffff"):
        return True
    return _value(element, "fill") not in ("", "none") or _value(element, "run-through") == "background"


def _unseen_styles(roots: Iterable[etree._Element], *, is_shaded: bool) -> Iterator[str]:
    """The names of styles that hide their text, or make it white in a file without any background."""
    for properties in (element for root in roots for element in root.iter("{*}text-properties")):
        white = _value(properties, "color").lower() == "#ffffff" and not is_shaded
        style = properties.getparent()
        if style is not None and (white or _value(properties, "display") == "none"):
            yield _value(style, "name")


def _value(element: etree._Element, name: str) -> str:
    return next((str(value) for key, value in element.attrib.items() if etree.QName(key).localname == name), "")
