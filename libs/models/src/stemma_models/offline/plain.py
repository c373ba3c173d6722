"""Text from outside made harmless: inline Markdown to plain words, and plain words to safe Markdown."""

from __future__ import annotations

import html
import re

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SCRIPT = re.compile(r"<(script|style|iframe|svg|object)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,400}>|<![^<>]{0,400}>")
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\](?:\([^()]{0,500}\)|\[[^\[\]]{0,100}\])")
_LINK = re.compile(r"\[([^\[\]]{0,300})\](?:\([^()]{0,500}\)|\[[^\[\]]{0,100}\])")
_FOOTNOTE = re.compile(r"\[\^[^\[\]]{1,60}\]")
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|\*|___|__|~~)(?=\S)(.{1,300}?)(?<=\S)\1")
_UNDERSCORE = re.compile(r"(?<!\w)_(?=\S)([^_]{1,300})(?<=\S)_(?!\w)")
_CODE = re.compile(r"(`{1,3})(?!`)([^`]{1,200})(?<!`)\1(?!`)")
_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")
_SPACE = re.compile(r"\s+")
_SPACE_BEFORE_MARK = re.compile(r" +([,.;:!?])(?=\s|$)")
_MARKUP = re.compile(r"[\[\]<>*_~`\\&]")
_SEPARATOR = re.compile("[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
# Control characters, marks of direction, joiners, private use, tags and other characters that nobody sees.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\ufff0-\uffff\U000e0000-\U0010ffff]"
)
# What others wrote as a mark for later would pass for a gap of the new document.
_PLACEHOLDERS = (
    (re.compile(r"\bTBD\b", re.I), "to be decided"),
    (re.compile(r"\bTODO\b", re.I), "to do"),
    (re.compile(r"\bXXX+\b", re.I), "…"),
    (re.compile(r"\blorem\s+ipsum\b", re.I), "sample text"),
    (re.compile(r"\{\{|\}\}"), ""),
    (re.compile(r"\[(insert\b[^\[\]]*)\]", re.I), r"(\1)"),
)
_PLACEHOLDER_MARKS = ("tbd", "todo", "xxx", "lorem", "{{", "}}", "[insert")
_LOOSE_MARKS = tuple(f" {mark}" for mark in ",.;:!?")
_SPECIAL = re.compile(r"([\\`*_\[\]<>~^|{}])")
_LINE_START = re.compile(r"^(?:([#+>=-])|(\d{1,9})([.)])(?=\s|$))")
_NUMBERING = re.compile(
    r"^(?:(?:section|sec|chapter|part|appendix|article)\.?\s+[\dIVX]+(?:\.\d+)*[.):]?"
    r"|\d+(?:\.\d+)*[.):]?|[IVX]+[.):]|\([a-z]\))\s+(?=\S)",
    re.I,
)
_BARE_ADDRESS = re.compile(r"\S*(?:://|@|www\.)\S*")
_DOMAIN = re.compile(r"\w\.(?:com|org|net|gov|io|eu|de)\b", re.I)


def without_markup_blocks(text: str) -> str:
    """A document without comments, scripts and control characters; line ends are single line feeds."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<" in text:
        text = _SCRIPT.sub(" ", _COMMENT.sub(" ", text))
    return _INVISIBLE.sub("", _SEPARATOR.sub(" ", text))


def plain(text: str) -> str:
    """The words of a piece of Markdown: no links, images, HTML, emphasis, footnote marks or code ticks."""
    if _MARKUP.search(text):
        text = _without_markup(text)
    lowered = text.lower()
    if any(mark in lowered for mark in _PLACEHOLDER_MARKS):
        for pattern, words in _PLACEHOLDERS:
            text = pattern.sub(words, text)
    if not (text.isascii() and text.isprintable()):
        text = _INVISIBLE.sub("", text)
    text = " ".join(text.split())
    return _SPACE_BEFORE_MARK.sub(r"\1", text) if any(mark in text for mark in _LOOSE_MARKS) else text


def _without_markup(text: str) -> str:
    text = _LINK.sub(r"\1", _FOOTNOTE.sub("", _IMAGE.sub("", text)))
    text = _TAG.sub(" ", text)
    for _ in range(2):
        text = _EMPHASIS.sub(r"\2", text)
    text = _CODE.sub(r"\2", _UNDERSCORE.sub(r"\1", text))
    return html.unescape(_BACKSLASH.sub(r"\1", text))


def has_address(text: str) -> bool:
    """Whether a web or mail address stands in the text: such sentences point elsewhere and are not taken."""
    return "://" in text or "@" in text or "www." in text or _DOMAIN.search(text) is not None


def without_addresses(text: str) -> str:
    """Plain words without web and mail addresses, which may not stand bare in a text."""
    return _SPACE.sub(" ", _BARE_ADDRESS.sub("", text)).strip()


def safe(text: str) -> str:
    """Plain words as Markdown that reads the same: nothing in them is taken for markup."""
    text = _SPECIAL.sub(r"\\\1", text)
    return _LINE_START.sub(_escape_start, text)


_BARE = str.maketrans(
    {"*": "", "#": "", "`": "'", "[": "(", "]": ")", "<": "‹", ">": "›", "|": "/", "\\": "/", "_": " ", "~": "-"}
)


def bare(text: str) -> str:
    """Plain words for a place that escapes in its own way: no character in them is markup."""
    return _SPACE.sub(" ", text.translate(_BARE)).strip()


def _escape_start(match: re.Match[str]) -> str:
    mark, number, delimiter = match.groups()
    return f"\\{mark}" if mark else f"{number}\\{delimiter}"


_LABEL = re.compile(
    r"^(?:(?:(?:section|sec|chapter|part|appendix|article|exhibit|table|figure)\.?\s+)?[\dIVX]+(?:\.\d+)*[.):]?\s+(?=\S)"
    r"|(?:requirements?|attachment \w+|appendix)\s*[–—:-]\s*(?=\S)|\([a-z]\)\s+(?=\S))",
    re.I,
)
_LONGEST_HEADING = 110
_SHARE = re.compile(r"\s*\(\d+ ?%\)\s*$")


def heading_text(text: str) -> str:
    """Words for a heading: plain, without numbering and closing punctuation, not longer than a line."""
    words = plain(text).lstrip("#").strip()
    if label := _LABEL.match(words):
        words = words[label.end() :]
    if words.endswith(")"):
        words = _SHARE.sub("", words)
    words = words.strip(" .,:;!?-–—*_#|").replace("|", " ")
    if len(words) > 5 and words.isupper():
        words = words.capitalize()
    return words if len(words) <= _LONGEST_HEADING else words[:_LONGEST_HEADING].rsplit(" ", 1)[0]
