"""What may stand within a line of the document: no markup of another language, no link that leads nowhere."""

from __future__ import annotations

import re
from collections.abc import Callable

from stemma_markdown import links

_CODE = re.compile(r"(?<!`)(`++).*?(?<!`)\1(?!`)")
_KEPT_LINK = re.compile(r"https?:|mailto:|//", re.IGNORECASE)
_BREAK = re.compile(r"(?<!\s)\s*+<br\s*+/?>\s*+", re.IGNORECASE)
_BREAK_AT_END = re.compile(f"{_BREAK.pattern}$", re.IGNORECASE)
_RAISED = re.compile(r"<sup\b[^<>]*+>\s*+(?:<a\b[^<>]*+>)?\s*+(\d{1,9})\s*+(?:</a>)?\s*+</sup>", re.IGNORECASE)
_RAISED_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_COMMENT = re.compile(r"<!--.*?-->")
_TAG = re.compile(r"</?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![<(\[\"'\w/.:@])(?:https?://[^\s<>()\[\]|]+[^\s<>()\[\]|.,;:!?]|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})",
    re.ASCII,
)


def without_inner_links(text: str) -> str:
    """The text with the words of its links that lead neither to the web nor to a mailbox; images and code stay."""
    kept, at = list[str](), 0
    for link in links(text):
        markup = text[link.start : link.end]
        if markup.endswith(")") and not _KEPT_LINK.match(link.target):
            kept += [text[at : link.start], markup[1 : markup.rfind("](")]]
            at = link.end
    return "".join([*kept, text[at:]])


def formed(line: str) -> str:
    """The line, but for its code, without HTML; bare addresses become links, a break at its end stays one."""
    broken = _BREAK_AT_END.search(line)
    text = _outside_code(line[: broken.start()] if broken else line, _formed)
    return f"{text}\\" if broken and text.strip() else text


def _formed(text: str) -> str:
    raised = _RAISED.sub(lambda found: found[1].translate(_RAISED_DIGITS), text)
    # Before the last end of a comment none begins that has no end: each is looked at once.
    commented, end, rest = raised.rpartition("-->")
    plain = _TAG.sub("", _BREAK.sub(" ", _COMMENT.sub("", commented + end) + rest))
    return _BARE.sub(lambda found: f"<{found.group()}>", plain)


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts, last = list[str](), 0
    for code in _CODE.finditer(text):
        parts += [change(text[last : code.start()]), code.group()]
        last = code.end()
    return "".join([*parts, change(text[last:])])
