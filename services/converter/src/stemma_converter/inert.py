"""Markdown that stays text wherever it is read: other converters take more for markup than GitHub's does.

Attributes and raw blocks in braces, fenced divisions, metadata between dashes, TeX commands and templates are escaped
where they are words; signs of markup in formulas have their names of TeX; titles of links, written as they are, go.
"""

from __future__ import annotations

import re
from typing import Any

from .tree import Node, attributes, node

_LIVE = re.compile(r"^(?:-(?=--$)|:(?=::))|\{%?|(?<=%)\}|\\(?=[A-Za-z])")
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9_+#.-]{0,39}")
_SIGNS = {"<": r"\lt ", ">": r"\gt "}


def inert(value: Any) -> Any:
    """Blocks or inlines in which nothing but their own markup means anything."""
    if isinstance(value, list):
        return [piece for item in value for piece in _pieces(item)]
    if not isinstance(value, dict):
        return value
    match value:
        case {"t": "Math", "c": [kind, str(formula)]}:
            return node("Math", kind, re.sub("[<>]", lambda sign: _SIGNS[sign[0]], formula))
        case {"t": "CodeBlock", "c": [[_, classes, _], str(code)]}:
            return node("CodeBlock", attributes("", *filter(_LANGUAGE.fullmatch, classes[:1])), code)
        case {"t": "Link", "c": [attrs, inlines, [target, _]]}:
            return node("Link", attrs, inert(inlines), [target, ""])
        case {"c": content}:
            return {**value, "c": inert(content)}
        case _:
            return value


def _pieces(item: Any) -> list[Any]:
    if not (isinstance(item, dict) and item["t"] == "Str"):
        return [inert(item)]
    pieces: list[Node] = []
    words, at = str(item["c"]), 0
    for live in _LIVE.finditer(words):
        escaped = "".join(f"\\{sign}" for sign in live[0])
        pieces += [node("Str", words[at : live.start()]), node("RawInline", "markdown", escaped)]
        at = live.end()
    return [*pieces, node("Str", words[at:])] if pieces else [item]
