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
_DROPPED = re.compile(r"[\s*_`\\'\"<>\[\](){}|~^#ʼ‘’‚‛“”„‟«»「」『』\u00ad]+")
_FROM_KANA_ON = re.compile("[\u3040-\U0010ffff]")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―", "-"))
_END = ".,;:!?-。、，；：！？·"


def spelled(text: str) -> str:
    """The text as it is compared: two that say the same word for word have the same spelling."""
    plain = unicodedata.normalize("NFKC", html.unescape(_MARKUP.sub("", text))).casefold()
    return _DROPPED.sub("", plain).translate(_DASHES).rstrip(_END)


def caseless(text: str) -> str:
    """A form in which all is the same that an expression takes for the same when it ignores case: also a Turkish i."""
    return text.casefold().replace("i\u0307", "i").replace("ı", "i")


def letters(spelling: str) -> int:
    """How many letters a text has; an ideograph says as much as two."""
    return sum(map(str.isalpha, spelling)) + sum(map(str.isalpha, _FROM_KANA_ON.findall(spelling)))
