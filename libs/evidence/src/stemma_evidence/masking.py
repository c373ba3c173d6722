"""A Markdown text in which what is no prose is blank; every character keeps its place."""

from __future__ import annotations

import html
import re

from stemma_markdown import fences

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,10});")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,500}>")
_DATA = re.compile(r"data:[^\s)]{100,}")
_SAME_WIDTH = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if code not in map(ord, "（）「」、。，！？：；～￥")}
    | {0x3000: " ", 0xA0: " ", 0x202F: " ", 0x2009: " ", 0x2007: " ", 0x2011: "-", ord("*"): " ", ord("\t"): " "}
    | {ord("\\"): " ", ord("`"): " ", 0xFF5E: "~"}
)


def prose(text: str) -> str:
    """``text`` with code blocks, comments and tags blank, full-width forms and entities as ASCII."""
    shown = _without_code(text)
    if "<" in shown:
        shown = _TAG.sub(blank, _without_comments(shown))
    if "&" in shown:
        shown = _ENTITY.sub(_unescaped, shown)
    if "data:" in shown:
        shown = _DATA.sub(blank, shown)
    return shown.translate(_SAME_WIDTH)


def _without_code(text: str) -> str:
    if "```" not in text and "~~~" not in text:
        return text
    parts, position = [], 0
    for fence in fences(text):
        parts += [text[position : fence.start], _blanked(text[fence.start : fence.end])]
        position = fence.end
    return "".join([*parts, text[position:]])


def _without_comments(text: str) -> str:
    # Without an end in sight the expression would look for one from every beginning.
    end = text.rfind("-->") + 3
    return _COMMENT.sub(blank, text[:end]) + text[end:] if end > 2 else text


def _blanked(text: str) -> str:
    return "".join("\n" if character == "\n" else " " for character in text)


def blank(match: re.Match[str]) -> str:
    """Spaces instead of what was matched; its line ends stay."""
    return _blanked(match[0])


def _unescaped(match: re.Match[str]) -> str:
    character = html.unescape(match[0])
    return character.ljust(len(match[0])) if len(character) == 1 else match[0]
