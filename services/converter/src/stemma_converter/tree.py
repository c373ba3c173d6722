"""The pandoc document tree: plain JSON nodes ``{"t": type, "c": content}``, read and rebuilt.

Paths below follow pandoc-types 1.23: ``Header`` holds level, attributes and inlines, and so on.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

Node = dict[str, Any]
T = TypeVar("T")
_WORDS = ("Str", "Space")
_BREAKING = re.compile(r"[ \t\r\n\f\v]+")


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


def rewrite(value: T, edit: Callable[[Node], list[Node]]) -> T:
    """A copy in which every node is replaced by what ``edit`` makes of it, the inner ones first.

    Words and the spaces between them stay as they are: they are most of a document.
    """
    new: Any = value
    if isinstance(value, dict):
        new = _with_content(value, edit)
    elif isinstance(value, list):
        new = []
        for item in value:
            if is_markup(item):
                new += edit(_with_content(item, edit))
            else:
                new.append(rewrite(item, edit) if isinstance(item, list) else item)
    rewritten: T = new
    return rewritten


def _with_content(item: Node, edit: Callable[[Node], list[Node]]) -> Node:
    content = item.get("c")
    return {**item, "c": rewrite(content, edit)} if isinstance(content, list) else item


def walk(value: Any, *, words: bool = True) -> Iterator[Node]:
    """Every node inside, the outer ones first; without words and the spaces between them if they do not matter."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting.append(item.get("c"))
        elif isinstance(item, list):
            waiting += [one for one in reversed(item) if words or isinstance(one, list) or is_markup(one)]


def is_markup(value: Any) -> bool:
    """Whether something is a node, and no word or space: these are most of a document."""
    return isinstance(value, dict) and value["t"] not in _WORDS


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
