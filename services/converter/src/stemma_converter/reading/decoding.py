"""Bytes of text in whatever encoding."""

from __future__ import annotations

import codecs
import re

from .code_pages import best_page

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 64 * 1024
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decoded(data: bytes) -> tuple[str, str] | None:
    """The text with line ends of one kind, and the name of its encoding; none if the bytes are no text."""
    encoding = encoding_of(data)
    if encoding is None:
        return None
    mark = next((mark for mark, name in _MARKS if name == encoding and data.startswith(mark)), b"")
    text = data[len(mark) :].decode(encoding, "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def encoding_of(data: bytes) -> str | None:
    """The name of the encoding by marks, by zeros, by validity, and at last by what comes out; none for no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    if encoding := _wide_without_mark(data):
        return encoding
    if _CONTROL.search(data[:_SAMPLE]):
        return None
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        return best_page(data[:_SAMPLE])


def _wide_without_mark(data: bytes) -> str:
    """UTF-16 by its zeros: text of Latin letters has one in every other byte, and on one side alone."""
    sample = data[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if len(data) % 2 or max(even, odd) < len(sample) * 0.3 or min(even, odd) > len(sample) * 0.02:
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"
