"""The pandoc document tree: plain JSON nodes ``{"t": type, "c": content}``, read and rebuilt.

Paths below follow pandoc-types 1.23: ``Header`` holds level, attributes and inlines, and so on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from .errors import ConversionError

Node = dict[str, Any]
MAX_DEPTH = 64
_WORDS = ("Str", "Space")
_BREAKING = re.compile(r"[ \t\r\n\f\v]+")
API_VERSION = [1, 23, 1]


def node(kind: str, *content: Any) -> Node:
    if not content:
        return {"t": kind}
    return {"t": kind, "c": content[0] if len(content) == 1 else list(content)}


def text(words: str) -> list[Node]:
    """Plain text as inlines; nothing in it has a meaning. Spaces that do not break stay in their word."""
    inlines: list[Node] = []
    for word in filter(None, _BREAKING.split(words)):
        inlines += [node("Space"), node("Str", word)]
    return inlines[1:]


def meta(**values: str) -> dict[str, Node]:
    return {name: node("MetaInlines", text(value)) for name, value in values.items() if value}


def attributes(identifier: str = "", *classes: str, **values: str) -> list[Any]:
    """The attributes of a node; underscores in names become dashes."""
    return [identifier, list(classes), [[name.replace("_", "-"), value] for name, value in values.items()]]


def parse(data: bytes) -> list[Node]:
    """The blocks of a document as pandoc writes it; raises `ConversionError` for one nested too deeply."""
    try:
        blocks: list[Node] = json.loads(data)["blocks"]
    except RecursionError:
        raise ConversionError("nested_too_deeply") from None
    if _depth(blocks) > MAX_DEPTH:
        raise ConversionError("nested_too_deeply")
    return blocks


def _depth(blocks: list[Node]) -> int:
    """How many nodes lie in each other at most; without recursion, because this guards it."""
    deepest = 0
    waiting: list[tuple[Any, int]] = [(blocks, 0)]
    while waiting:
        value, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(value, dict):
            waiting.append((value.get("c"), depth + 1))
        elif isinstance(value, list):
            waiting += [(item, depth) for item in value if isinstance(item, list | dict)]
    return deepest


def serialize(blocks: list[Node], meta: dict[str, Node]) -> bytes:
    return json.dumps({"pandoc-api-version": API_VERSION, "meta": meta, "blocks": blocks}).encode()


def rewrite(value: Any, edit: Callable[[Node], list[Node]]) -> Any:
    """A copy in which every node is replaced by what ``edit`` makes of it, the inner ones first.

    Words and the spaces between them stay as they are: they are most of a document.
    """
    if isinstance(value, dict):
        return _with_content(value, edit)
    if not isinstance(value, list):
        return value
    new: list[Any] = []
    for item in value:
        if isinstance(item, dict):
            if item["t"] in _WORDS:
                new.append(item)
            else:
                new += edit(_with_content(item, edit))
        else:
            new.append(rewrite(item, edit) if isinstance(item, list) else item)
    return new


def _with_content(item: Node, edit: Callable[[Node], list[Node]]) -> Node:
    content = item.get("c")
    if not isinstance(content, list):
        return item
    return {**item, "c": rewrite(content, edit)}


def walk_markup(value: Any) -> Iterator[Node]:
    """Every node inside but words and the spaces between them, the outer ones first.

    It is asked for all of a text several times, so it does not ask itself for each node.
    """
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting.append(item.get("c"))
        elif isinstance(item, list):
            waiting += [one for one in reversed(item) if isinstance(one, list) or _is_markup(one)]


def _is_markup(value: Any) -> bool:
    return isinstance(value, dict) and value["t"] not in _WORDS


def walk(value: Any) -> Iterator[Node]:
    """Every node inside, the outer ones first."""
    if isinstance(value, list):
        for item in value:
            yield from walk(item)
    elif isinstance(value, dict):
        yield value
        yield from walk(value.get("c"))


def plain(value: Any) -> str:
    """The text of inlines or blocks without their footnotes, words separated as in the source."""
    if isinstance(value, list):
        return "".join([plain(item) for item in value])
    match value:
        case {"t": "Str", "c": str(words)} | {"t": "Code" | "Math" | "CodeBlock", "c": [_, str(words)]}:
            return words
        case {"t": "Space" | "SoftBreak" | "LineBreak"}:
            return " "
        case {"t": "Note" | "RawInline" | "RawBlock"}:
            return ""
        case {"t": "Para" | "Plain", "c": inlines}:
            return plain(inlines) + " "
        case {"c": content}:
            return plain(content)
        case _:
            return ""
