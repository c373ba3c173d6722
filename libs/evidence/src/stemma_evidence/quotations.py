"""Words that a text puts between quotation marks or sets off as a quotation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_MARKS = re.compile(
    r"[„“]([^„“”\n]{1,2000}+(?:\n[^„“”\n]{1,2000}+){0,20})[“”]|”([^”\n]{1,2000}+)”|«([^«»]{1,4000}+)»|»([^«»]{1,4000}+)«"
    r'|「([^「」]{1,4000}+)」|『([^『』]{1,4000}+)』|(?<!\w)"([^"\n]{1,2000}+(?:\n[^"\n]{1,2000}+){0,20})"(?!\w)'
)
_WORD = re.compile(r"\w+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LEAST_WORDS = 4
_LEAST_IDEOGRAPHS = 10
FOLDS = {ord(mark): "'" for mark in "‘’‚‛´"} | {ord(mark): '"' for mark in "“”„‟«»「」『』"}
FOLDS |= {ord(mark): "-" for mark in "‐‑‒–—―"} | {ord("…"): "...", ord("\u00ad"): "", ord("*"): "", ord("`"): ""}


def quotations(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and folded words of what stands between quotation marks and is long enough to be somebody's words."""
    for match in _MARKS.finditer(text):
        group = match.lastindex or 0
        if _is_wording(match[group]):
            yield match.start(), match.end(), folded(match[group])


def folded(text: str) -> str:
    """``text`` with its spaces, dashes, quotation marks and emphasis in one form, so that wordings can be compared."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(FOLDS).replace("\n>", "\n").split())


def _is_wording(quoted: str) -> bool:
    ideographs = len(_CJK.findall(quoted))
    if ideographs:
        return ideographs >= _LEAST_IDEOGRAPHS
    return len(_WORD.findall(quoted)) >= _LEAST_WORDS
