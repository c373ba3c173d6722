"""The pandoc document tree: plain JSON nodes ``{"t": type, "c": content}``, read and rebuilt.

Paths below follow pandoc-types 1.23: ``Header`` holds level, attributes and inlines, and so on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import cycle
from typing import Any

from .errors import ConversionError

Node = dict[str, Any]
Pieces = Callable[[str], list[str]]
MAX_DEPTH = 64
_WORDS = ("Str", "Space")
_SPACE: Node = {"t": "Space"}
_PIECES = re.compile(r"[^ ]+(?: [^\W_][^ ]*){,15}")
"""Words as one, no more than a line: pandoc writes Typst in a time that grows with the square of the length of a word,
which is three times as long for a paragraph in one, and twice as long for its words one by one."""
_BREAKING = re.compile(r"[ \t\r\n\f\v]+")
API_VERSION = [1, 23, 1]


class Words(dict[str, Node]):
    """A node for each word, made when it is asked for first: a text has few words, each of them often."""

    def __missing__(self, word: str) -> Node:
        made = self[word] = node("Str", word)
        return made


class Phrase(list[Node]):
    """Inlines that are nothing but words, each with one space before the next: most of a document.

    Nobody changes them, so that they are passed on as they are and looked at as one text.
    """

    @classmethod
    def of(cls, words: str, nodes: Mapping[str, Node]) -> Phrase:
        """The phrase that a text is, of the nodes of its words."""
        split = words.split(" ")
        phrase = cls([_SPACE] * (2 * len(split) - 1))
        phrase[::2] = map(nodes.__getitem__, split)
        phrase.text = words
        return phrase

    @cached_property
    def text(self) -> str:
        """All of them."""
        return " ".join([word["c"] for word in self[::2]])

    @cached_property
    def joined(self) -> list[Node]:
        """As `condensed` gives them: a DOCX is written after its pages, of the same phrases."""
        return _joined(self.text)


def node(kind: str, *content: Any) -> Node:
    """A node of a type whose content is one value or a list of values."""
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
    """Metadata under the names of a template's variables; every value is plain text, empty ones are left out."""
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
    return blocks


def with_phrases(blocks: list[Node]) -> list[Node]:
    """The blocks with a `Phrase` for words, in place; raises `ConversionError` if they are nested too deeply."""
    if _gathered(blocks) > MAX_DEPTH:
        raise ConversionError("nested_too_deeply")
    return blocks


def _gathered(blocks: list[Node]) -> int:
    """Make a `Phrase` of words, in place; how many nodes lie in each other at most.

    Without recursion, because this guards it.
    """
    deepest = 0
    waiting: list[tuple[Any, int]] = [(blocks, 0)]
    while waiting:
        value, depth = waiting.pop()
        inner = depth + isinstance(value, dict)
        deepest = max(deepest, depth)
        for place, item in enumerate(value) if isinstance(value, list) else [("c", value.get("c"))]:
            if isinstance(item, list) and _are_words(item):
                value[place] = item if isinstance(item, Phrase) else Phrase(item)
                deepest = max(deepest, inner)
            elif isinstance(item, dict) and item["t"] in _WORDS:
                deepest = max(deepest, inner)
            elif isinstance(item, list | dict):
                waiting.append((item, inner))
    return deepest


def _are_words(value: list[Any]) -> bool:
    if isinstance(value, Phrase):
        return True
    if len(value) % 2 == 0:
        return False
    kinds = zip(value, cycle(_WORDS), strict=False)
    return all(isinstance(item, dict) and item["t"] == kind and not _is_spaced(item) for item, kind in kinds)


def _is_spaced(item: Node) -> bool:
    """Whether it is a word that would be another one among spaces: one that entities make."""
    return item["t"] == "Str" and (not item["c"] or " " in item["c"])


def serialize(blocks: list[Node], meta: dict[str, Node]) -> bytes:
    """A document as pandoc reads it."""
    return json.dumps({"pandoc-api-version": API_VERSION, "meta": meta, "blocks": blocks}).encode()


def rewrite(value: Any, edit: Callable[[Node], list[Node]]) -> Any:
    """A copy in which every node is replaced by what ``edit`` makes of it, the inner ones first.

    Words and the spaces between them stay as they are: they are most of a document.
    """
    if isinstance(value, dict):
        return _with_content(value, edit)
    if isinstance(value, Phrase) or not isinstance(value, list):
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
    if not isinstance(content, list) or isinstance(content, Phrase):
        return item
    return {**item, "c": rewrite(content, edit)}


def condensed(value: Any, pieces: Pieces | None = None, but: Sequence[str] = ()) -> Any:
    """A copy for a writer to which spaces in a word are spaces between words: it has far less to read.

    ``pieces`` are those of words that follow each other, each a word to the writer; ``but`` are types of nodes that
    stay as they are, as words do that are nothing or hold spaces of their own.
    """
    if isinstance(value, Phrase):
        return _joined(value.text, pieces) if pieces else value.joined
    if isinstance(value, dict):
        stays = value["t"] in but or not isinstance(value.get("c"), list)
        return value if stays else {**value, "c": condensed(value["c"], pieces, but)}
    return list(_condensed(value, pieces, but)) if isinstance(value, list) else value


def _condensed(items: list[Any], pieces: Pieces | None, but: Sequence[str]) -> Iterator[Any]:
    words: list[str] = []
    gap: Node | None = None
    for item in items:
        kind = item["t"] if isinstance(item, dict) and not _is_spaced(item) else None
        if kind == "Str" and (gap or not words):
            words.append(item["c"])
            gap = None
        elif kind == "Space" and words and not gap:
            gap = item
        else:
            yield from (*_joined(" ".join(words), pieces), *([gap] if gap else []))
            words, gap = [], None
            if kind == "Str":
                words.append(item["c"])
            else:
                yield condensed(item, pieces, but)
    yield from (*_joined(" ".join(words), pieces), *([gap] if gap else []))


def _joined(words: str, pieces: Pieces | None = None) -> list[Node]:
    """Words with one space before the next, several in a node where they mean nothing but themselves.

    What stands first can mean something else to a writer than what follows, and so can a sign before a word.
    """
    first, gap, others = words.partition(" ")
    rest = (pieces or in_lines)(others) if gap else []
    return [item for piece in (first, *rest) for item in (_SPACE, node("Str", piece))][1:] if words else []


def in_lines(words: str) -> list[str]:
    """Words as few pieces, none longer than a line."""
    found: list[str] = _PIECES.findall(words)
    return found


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
        elif isinstance(item, list) and not isinstance(item, Phrase):
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
    if isinstance(value, Phrase):
        return value.text
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
