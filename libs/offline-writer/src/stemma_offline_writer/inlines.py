"""What may stand within a line of the document: no markup of another language, no link that leads nowhere."""

from __future__ import annotations

import re
from collections.abc import Callable

_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_INNER_LINK = re.compile(
    r"(?<!!)\[((?:(?!\n\s*\n)[^\[\]]){0,1000})\]\(\s*<?(?![a-z][a-z0-9+.-]*:|//)[^()\s]*>?[^()]*\)", re.IGNORECASE
)
_BREAK_AT_END = re.compile(r"\s*<br\s*/?>\s*$", re.IGNORECASE)
_BREAK = re.compile(r"\s*<br\s*/?>\s*", re.IGNORECASE)
_RAISED = re.compile(r"<sup\b[^<>]*>\s*(?:<a\b[^<>]*>)?\s*(\d{1,9})\s*(?:</a>)?\s*</sup>", re.IGNORECASE)
_RAISED_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_TAG = re.compile(r"<!--.*?-->|</?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![<(\[\"'\w/.:@])(?:https?://[^\s<>()\[\]|]+[^\s<>()\[\]|.,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)", re.ASCII
)


def without_inner_links(text: str) -> str:
    """The text with the words of its links to headings and files of the input; images and code stay."""
    return _outside_code(text, lambda part: _INNER_LINK.sub(r"\1", part))


def formed(line: str) -> str:
    """The line, but for its code, without HTML; bare addresses become links, a break at its end stays one."""
    broken = _BREAK_AT_END.search(line)
    text = _outside_code(line[: broken.start()] if broken else line, _formed)
    return f"{text}\\" if broken and text.strip() else text


def _formed(text: str) -> str:
    raised = _RAISED.sub(lambda found: found[1].translate(_RAISED_DIGITS), text)
    plain = _TAG.sub("", _BREAK.sub(" ", raised))
    return _BARE.sub(lambda found: f"<{found.group()}>", plain)


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts, last = list[str](), 0
    for code in _CODE.finditer(text):
        parts += [change(text[last : code.start()]), code.group()]
        last = code.end()
    return "".join([*parts, change(text[last:])])
