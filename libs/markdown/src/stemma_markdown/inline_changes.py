"""Changes within the lines of a text: of its links, and of what is no code."""

from __future__ import annotations

import re
from collections.abc import Callable

from .document import links

_CODE = re.compile(r"(?<!`)(`++).*?(?<!`)\1(?!`)")
_KEPT_LINK = re.compile(r"https?:|mailto:|//", re.IGNORECASE)


def without_inner_links(text: str) -> str:
    """The text with the words of its links that lead neither to the web nor to a mailbox; images and code stay."""
    kept, at = list[str](), 0
    for link in links(text):
        markup = text[link.start : link.end]
        if markup.endswith(")") and not _KEPT_LINK.match(link.target):
            kept += [text[at : link.start], markup[1 : markup.rfind("](")]]
            at = link.end
    return "".join([*kept, text[at:]])


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """A line with a change made to all that is no code in it."""
    parts, last = list[str](), 0
    for code in _CODE.finditer(text):
        parts += [change(text[last : code.start()]), code.group()]
        last = code.end()
    return "".join([*parts, change(text[last:])])
