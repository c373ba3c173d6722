"""Sentences of plain text."""

from __future__ import annotations

import re

_END = re.compile(r"([.!?…]+[\"'”’)\]]*)\s+|([。！？]+[」』”）]*)\s*")
_ABBREVIATIONS = frozenset(
    """mr mrs ms dr prof st sr jr vs etc e.g i.e cf approx no nos fig vol p pp ca inc ltd co corp dept est min max sec
    art para jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k a.m p.m""".split()
)
LONGEST = 420
SHORTEST = 12


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph in their order; abbreviations, initials and numbers do not end one."""
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if match.group(1) and not _ends_here(text, start, match):
            continue
        sentences.append(text[start : match.end()].strip())
        start = match.end()
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences


def _ends_here(text: str, start: int, match: re.Match[str]) -> bool:
    following = text[match.end() : match.end() + 1]
    if following.islower():
        return False
    if match.group(1)[0] != ".":
        return True
    before = text[start : match.start()].rsplit(None, 1)[-1:]
    word = before[0].lower().lstrip("(\"'“‘[") if before else ""
    return word not in _ABBREVIATIONS and not (len(word) == 1 and word.isalpha() and following.isupper())


def is_sentence(text: str) -> bool:
    """Whether a text can stand in a paragraph: it ends like a sentence and has a readable length."""
    return SHORTEST <= len(text) <= LONGEST and text.rstrip("\"'”’)]」』）").endswith((".", "!", "?", "。", "！", "？"))


def as_sentence(text: str) -> str:
    """The text with a closing mark, and a capital where it begins with a plain word."""
    text = text.strip().rstrip(",;:–—-").strip()
    if text and not text.rstrip("\"'”’)").endswith((".", "!", "?", "…", "。", "！", "？")):
        text += "."
    return text[:1].upper() + text[1:]


def shorten_to_words(text: str, limit: int) -> str:
    """At most ``limit`` words of the text."""
    words = text.split()
    return text if len(words) <= limit else " ".join(words[:limit]).rstrip(",;:") + " …"
