"""What may stand within a line of Markdown: no markup of another language."""

from __future__ import annotations

import re

from .inline_changes import outside_code

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


def without_html(line: str) -> str:
    """The line, but for its code, without HTML; bare addresses become links, a break at its end stays one."""
    broken = _BREAK_AT_END.search(line)
    text = outside_code(line[: broken.start()] if broken else line, _without_html)
    return f"{text}\\" if broken and text.strip() else text


def _without_html(text: str) -> str:
    raised = _RAISED.sub(lambda found: found[1].translate(_RAISED_DIGITS), text)
    # Before the last end of a comment none begins that has no end: each is looked at once.
    commented, end, rest = raised.rpartition("-->")
    plain = _TAG.sub("", _BREAK.sub(" ", _COMMENT.sub("", commented + end) + rest))
    return _BARE.sub(lambda found: f"<{found.group()}>", plain)
