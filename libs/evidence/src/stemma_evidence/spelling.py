"""One form of a text for all spellings of it: without spaces, markup, marks of footnotes and shapes of letters."""

from __future__ import annotations

import html
import re
import unicodedata

_MARKUP = re.compile(
    r"\\?\[\\?\^[\w-]{1,40}\\?\]"  # the mark of a footnote
    r"|\]\([^()\s]{0,2000}(?:\s\"[^\"\n]{0,200}\")?\)|!(?=\[)"
    r"|\{%[^{}\n]{0,500}%\}|</?[a-zA-Z][\w-]{0,20}(?=[\s/>])[^<>\n]{0,500}>"
    r"|https?://"
)
_IN_MARKUP = ("[", "]", "<", "{", "://")
"""One of them is in all markup; to look for them takes a hundredth of the time."""
_DROPPED = re.compile(r"[\s*_`\\'\"<>\[\](){}|~^#ʼ‘’‚‛“”„‟«»「」『』\u00ad]+")
_FROM_KANA_ON = re.compile("[\u3040-\U0010ffff]")
_DASHES_WRITTEN = "‐‑‒–—―"
_DASHES = {ord(dash): "-" for dash in _DASHES_WRITTEN}
_END = ".,;:!?-。、，；：！？·"
_ASCII = [chr(code) for code in range(128)]
_ASCII_FOLDS = {ord(mark): None if _DROPPED.match(mark) else mark.lower() for mark in _ASCII}
_ASCII_LETTERS = {ord(mark): mark if mark.isalpha() else None for mark in _ASCII}


def spelled(text: str) -> str:
    """The text as it is compared: two that say the same word for word have the same spelling."""
    plain = _MARKUP.sub("", text) if has_markup(text) else text
    if "&" in plain:
        plain = html.unescape(plain)
    if plain.isascii():
        return plain.translate(_ASCII_FOLDS).rstrip(_END)
    plain = _DROPPED.sub("", unicodedata.normalize("NFKC", plain).casefold())
    if any(dash in plain for dash in _DASHES_WRITTEN):
        plain = plain.translate(_DASHES)
    return plain.rstrip(_END)


def caseless(text: str) -> str:
    """A form in which all is the same that an expression takes for the same when it ignores case: also a Turkish i."""
    return text.casefold().replace("i\u0307", "i").replace("ı", "i")


def has_markup(text: str) -> bool:
    """Whether a text may have markup, which is no part of its spelling."""
    return any(map(text.__contains__, _IN_MARKUP))


def letters(spelling: str) -> int:
    """How many letters a text has; an ideograph says as much as two."""
    if spelling.isascii():
        return len(spelling.translate(_ASCII_LETTERS))
    return sum(map(str.isalpha, spelling)) + sum(map(str.isalpha, _FROM_KANA_ON.findall(spelling)))
