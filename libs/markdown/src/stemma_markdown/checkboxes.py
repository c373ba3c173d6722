"""Options of a form: one that is not ticked says nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .document import Document
from .tokens import Leaf, Token

_EMPTY, _TICKED = "☐□◻⬜", "☑☒■✅✔✓"
_UNTICKED = re.compile(
    rf"(?:[{_EMPTY}]|^[ \t>]*\[ \](?=\s))(?:(?!^[ \t>]*\[[ xX]\]\s)[^{_EMPTY}{_TICKED}])*+|^[ \t>]*\[[xX]\][ \t]+",
    re.MULTILINE,
)
"""An option in a paragraph, as far as the next one; of one that is ticked in letters the mark."""
_BOX = re.compile(rf"\[[ xX]\]|[{_EMPTY}]")
_SAID = re.compile(r"[^\r\n>]")


def without_unticked(text: str) -> str:
    """The text without options that are not ticked and what stands below them; lines keep their numbers.

    In a table they stay: the box in the cell says how it is.
    """
    if not _BOX.search(text):
        return text
    kept, at = list[str](), 0
    for start, end in _ranges(Document(text).tokens, text):
        kept += [text[at:start], _SAID.sub("", text[start:end])]
        at = end
    return "".join([*kept, text[at:]])


def _ranges(tokens: Sequence[Token], text: str) -> Iterator[tuple[int, int]]:
    """Where the options are: of an item that begins with one, all of the item; else as far as the paragraph says."""
    open_item: tuple[int, int] | None = None
    before: Token | None = None
    for token in tokens:
        if open_item and token.depth <= open_item[1]:
            yield _stripped(text, open_item[0], token.start)
            open_item = None
        if not open_item and isinstance(token, Leaf) and token.kind == "paragraph":
            first, words = token.inner_start, text[token.inner_start : token.inner_end]
            if before and before.kind == "item" and _UNTICKED.fullmatch(words):
                open_item = before.start, before.depth
            else:
                yield from ((first + found.start(), first + found.end()) for found in _UNTICKED.finditer(words))
        before = token
    if open_item:
        yield _stripped(text, open_item[0], len(text))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without the indentation, or the marks of quotes, before what comes next."""
    return start, start + len(text[start:end].rstrip(" \t\r\n>"))
