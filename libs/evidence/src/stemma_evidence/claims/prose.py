"""A Markdown text in which what is no prose is blank; every character keeps its place."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from stemma_markdown import Document, Fence, Prose

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,10});")
_CELL_ENDS = re.compile(r"</?(?:tr|td|th)\b[^<>]{0,500}>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_COMMENT_MARK = re.compile(r"<!--|-->")
_TEXT = frozenset(("", "md", "markdown", "text", "txt", "plain"))
_WORDS = re.compile(r"[^\W\d_]{2,}(?:[ ][^\W\d_]{1,}){2}(?!\w)")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,500}>")
_DATA = re.compile(r"data:[^\s)]{100,}")
_ESCAPED_NOTE = re.compile(r"\\\[\\?\^[\w-]{1,40}\\?\]")
_UNDERLINE = re.compile(r"\n[ >]{0,12}[=-]")
_SAME_WIDTH = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if code not in map(ord, "（）「」、。，！？：；～￥")}
    | {0x3000: " ", 0xA0: " ", 0x202F: " ", 0x2009: " ", 0x2007: " ", 0x2011: "-", ord("*"): " ", ord("\t"): " "}
    | {ord("\\"): " ", ord("`"): " ", 0xFF5E: "~"}
)


def prose(document: Document, *, code: bool = False, comments: bool = False) -> str:
    """A text with code blocks, comments and tags blank, full-width forms and entities as ASCII.

    With ``code`` the text of code blocks without a language or an end counts, and lines of words in others; with
    ``comments`` that of comments.
    """
    shown = document.text
    if "```" in shown or "~~~" in shown:
        ranges = chain.from_iterable(_code_of(fence, shown, counts=code) for fence in document.fences)
        shown = _without(shown, ranges)
    shown = _COMMENT_MARK.sub(_blank, shown) if comments else _without_comments(shown)
    shown = _TAG.sub(_blank, _CELL_ENDS.sub(_bar, shown))
    shown = _DATA.sub(_blank, _ENTITY.sub(_unescaped, shown))
    return _ESCAPED_NOTE.sub(_blank, shown.replace("\\|", "  ")).translate(_SAME_WIDTH)


def headings_of(document: Document) -> Iterator[Prose]:
    """The headings of a text, also those in quotes; the text is not parsed if it can have none."""
    if "#" in document.text or _UNDERLINE.search(document.text):
        yield from (piece for piece in document.prose if piece.kind == "heading")


def without_headings(shown: str, document: Document) -> str:
    """The prose of a text with its headings blank."""
    return _without(shown, ((piece.start, piece.end) for piece in headings_of(document)))


def _code_of(fence: Fence, text: str, *, counts: bool) -> Iterator[tuple[int, int]]:
    """The parts of a code block that hold no prose."""
    if not counts:
        yield fence.start, fence.end
        return
    is_code = fence.is_closed and fence.language.casefold() not in _TEXT
    last, position = fence.last_line - fence.line, fence.start
    for number, line in enumerate(text[fence.start : fence.end].split("\n")):
        if number == 0 or (number == last and fence.is_closed) or (is_code and not _WORDS.search(line)):
            yield position, position + len(line)
        position += len(line) + 1


def _without(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    parts, position = [], 0
    for start, end in ranges:
        parts += [text[position:start], _blanked(text[start:end])]
        position = end
    return "".join([*parts, text[position:]])


def _without_comments(text: str) -> str:
    # Without an end in sight the expression would look for one from every beginning.
    end = text.rfind("-->") + 3
    return _COMMENT.sub(_blank, text[:end]) + text[end:] if end > 2 else text


def _blanked(text: str) -> str:
    return "".join("\n" if character == "\n" else " " for character in text)


def _blank(match: re.Match[str]) -> str:
    return _blanked(match[0])


def _bar(match: re.Match[str]) -> str:
    return "|" + _blank(match)[1:]


def _unescaped(match: re.Match[str]) -> str:
    character = html.unescape(match[0])
    return character.ljust(len(match[0])) if len(character) == 1 else match[0]
