"""One form of a text for all spellings of it: without spaces, markup, marks of footnotes and shapes of letters."""

from __future__ import annotations

import html
import re
import unicodedata

from .quotations import FOLDS

_MARKUP = re.compile(
    r"\\?\[\\?\^[\w-]{1,40}\\?\]"  # the mark of a footnote
    r"|\]\([^()\s]{0,2000}(?:\s\"[^\"\n]{0,200}\")?\)|!(?=\[)"
    r"|\{%[^{}\n]{0,500}%\}|</?[a-zA-Z][\w-]{0,20}(?=[\s/>])[^<>\n]{0,500}>"
    r"|https?://"
)
_DROPPED = re.compile(r"[\s*_`\\'\"<>\[\](){}|~^#ʼ]+")
_END = ".,;:!?-。、，；：！？·"


def spelled(text: str) -> str:
    """The text as it is compared: two that say the same word for word have the same spelling."""
    plain = _MARKUP.sub("", text)
    if "&" in plain:
        plain = html.unescape(plain)
    plain = unicodedata.normalize("NFKC", plain).casefold().translate(FOLDS)
    return _DROPPED.sub("", plain).rstrip(_END)


def letters(spelling: str) -> int:
    """How many letters a text has; an ideograph says as much as two."""
    counted = sum(map(str.isalpha, spelling))
    if spelling.isascii():
        return counted
    return counted + sum(character >= "\u3040" and character.isalpha() for character in spelling)
