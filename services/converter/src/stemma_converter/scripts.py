"""The scripts that a text is written in: which fonts Word takes for them, and what a missing one is called."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from docx.document import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml.etree import _Element

from .manuscript import Manuscript
from .tree import plain

# Word finds no font for these scripts by itself; all of them come with Office on every system.
_FONTS = {"ja": "Yu Mincho", "zh": "SimSun", "ko": "Batang"}
_LOCALES = {"ja": "ja-JP", "zh": "zh-CN", "ko": "ko-KR"}
# Han alone is Chinese; kana and Hangul tell that Han is Japanese or Korean.
_TELLING = (("HIRAGANA", "ja"), ("KATAKANA", "ja"), ("HANGUL", "ko"), ("CJK UNIFIED", "zh"))


def script_of(character: str) -> str:
    """The script of a character as Unicode names it, such as ``Thai``; characters outside of any are symbols."""
    words = unicodedata.name(character, "").split()
    if not words or not character.isalpha():
        return "symbols"
    return "Han" if words[0] == "CJK" else words[0].capitalize()


def by_script(characters: Iterable[str]) -> Mapping[str, str]:
    """Characters by their script, both in the order of the alphabet."""
    found: dict[str, str] = {}
    for character in sorted(set(characters)):
        found[script_of(character)] = found.get(script_of(character), "") + character
    return dict(sorted(found.items()))


def east_asian(manuscript: Manuscript) -> str | None:
    """The East Asian language of a document, or of what it quotes; none if it has no such characters."""
    primary = manuscript.tag.partition("-")[0]
    if primary in _FONTS:
        return primary
    names = {unicodedata.name(character, "") for character in set(manuscript.title + plain(manuscript.blocks))}
    return next((tag for start, tag in _TELLING if any(name.startswith(start) for name in names)), None)


def set_language(document: Document, manuscript: Manuscript) -> None:
    """The language of the text, and the font of East Asian characters if the template has none for them."""
    properties = document.styles.element.find(f".//{qn('w:rPrDefault')}/{qn('w:rPr')}")
    if properties is None:
        return
    asian = east_asian(manuscript)
    latin = "en-US" if asian and manuscript.tag.startswith(asian) else _locale(manuscript)
    language = _child(properties, "w:lang")
    language.set(qn("w:val"), latin)
    if asian:
        language.set(qn("w:eastAsia"), _LOCALES[asian])
        fonts = _child(properties, "w:rFonts")
        if not {qn("w:eastAsia"), qn("w:eastAsiaTheme")} & set(fonts.keys()):
            fonts.set(qn("w:eastAsia"), _FONTS[asian])


def _locale(manuscript: Manuscript) -> str:
    spoken = manuscript.language
    return spoken.locale if spoken.tag == manuscript.tag else manuscript.tag


def _child(properties: _Element, tag: str) -> _Element:
    """The property of that name; where it must be made, fonts go first and the language last."""
    found = properties.find(qn(tag))
    if found is None:
        found = OxmlElement(tag)
        properties.insert(0 if tag == "w:rFonts" else len(properties), found)
    return found
