"""The Markdown of a draft before it is parsed."""

from __future__ import annotations

import re
import unicodedata

from .errors import ConversionError

MAX_SOURCE_BYTES = 16 * 1024 * 1024
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
_DEFINITION = re.compile(r"^[ >]*\[\^[^\]\s]+\]:")
_REFERENCE = re.compile(r"\[\^(?=[^\]\s]+\])")


def decode(data: bytes) -> str:
    """Text in UTF-8 without byte order mark, control characters and foreign line ends.

    Raises `ConversionError` for more than 16 MiB.
    """
    if len(data) > MAX_SOURCE_BYTES:
        raise ConversionError("source_too_large")
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    return _FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str, limit: int = 300) -> str:
    """A title: one line of printable text."""
    printable = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text)
    return " ".join(printable.split())[:limit].rstrip()


def flatten_footnotes(text: str) -> str:
    """Escape references to footnotes inside footnotes: resolving them takes exponential time."""
    lines: list[str] = []
    inside = lazy = False
    for line in text.split("\n"):
        definition = _DEFINITION.match(line)
        inside = bool(definition) or (inside and (lazy or not line.strip() or line.startswith((" ", "\t", ">"))))
        lazy = bool(line.strip())
        start = definition.end() if definition else 0
        lines.append(line[:start] + _REFERENCE.sub(r"\\[^", line[start:]) if inside else line)
    return "\n".join(lines)
