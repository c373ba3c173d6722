"""What changed between two lines of text, word by word, whatever emphasis, links or notes they hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from stemma_converter.tree import Node, node

from .align import Budget, Opcode
from .markers import Change, changed_words

# Where the inlines of a wrapper lie in its content; the others are nothing but their inlines.
_INLINES_AT = {"Link": 1, "Quoted": 1}
_WRAPPERS = {"Emph", "Strong", "Strikeout", "Superscript", "Subscript", "SmallCaps", "Underline", *_INLINES_AT}
_SPACE = node("Space")
_GAP = ((), json.dumps(_SPACE))


class _Token(NamedTuple):
    """A word, a space or another inline without inlines.

    ``around`` are its wrappers as JSON, the outermost first; ``word`` says what the leaf is.
    """

    around: tuple[str, ...]
    word: str
    leaf: Node


def reworded(old: list[Node], new: list[Node], budget: Budget) -> list[Node]:
    """Both lines as one, with marks around what went and what came."""
    before, after = list(_tokens(old)), list(_tokens(new))
    merged: list[Node] = []
    opcodes = budget.opcodes([token[:2] for token in before], [token[:2] for token in after], gap=_GAP)
    for name, a, b, c, d in _whole_phrases(before, list(opcodes)):
        if name == "equal":
            merged += _rebuilt(after[c:d])
        else:
            merged += changed_words(Change.DELETED, _rebuilt(before[a:b]))
            merged += changed_words(Change.INSERTED, _rebuilt(after[c:d]))
    return merged


def relined(old: str, new: str, budget: Budget) -> list[Node]:
    """Both pieces of code as one line of inlines, line by line."""
    return reworded(_code(old), _code(new), budget)


def _code(text: str) -> list[Node]:
    lines = [[node("Code", ["", [], []], line), node("LineBreak")] for line in text.rstrip("\n").split("\n")]
    return [inline for line in lines for inline in line][:-1]


def _tokens(inlines: Sequence[Node], around: tuple[str, ...] = ()) -> Iterator[_Token]:
    for item in inlines:
        inside = _inside(item)
        if inside:
            yield from _tokens(inside, (*around, json.dumps(_with_inside(item, []))))
        else:
            leaf = _SPACE if item["t"] == "SoftBreak" else item
            yield _Token(around, f"={leaf['c']}" if leaf["t"] == "Str" else json.dumps(leaf), leaf)


def _rebuilt(tokens: Sequence[_Token], depth: int = 0) -> list[Node]:
    inlines: list[Node] = []
    for wrapper, group in groupby(tokens, key=lambda token: token.around[depth : depth + 1]):
        if wrapper:
            inlines.append(_with_inside(json.loads(wrapper[0]), _rebuilt(list(group), depth + 1)))
        else:
            inlines += (token.leaf for token in group)
    return inlines


def _inside(item: Node) -> list[Node]:
    if item["t"] not in _WRAPPERS:
        return []
    place = _INLINES_AT.get(item["t"])
    inlines: list[Node] = item["c"] if place is None else item["c"][place]
    return inlines


def _with_inside(item: Node, inlines: list[Node]) -> Node:
    place = _INLINES_AT.get(item["t"])
    if place is None:
        return {"t": item["t"], "c": inlines}
    content: list[Any] = list(item["c"])
    content[place] = inlines
    return {"t": item["t"], "c": content}


def _whole_phrases(old: Sequence[_Token], opcodes: list[Opcode]) -> Iterator[Opcode]:
    """The opcodes without islands: a space that stayed between two changes belongs to both."""
    previous: Opcode | None = None
    for position, opcode in enumerate(opcodes):
        name, a, b, c, d = opcode
        between = 0 < position < len(opcodes) - 1
        island = name == "equal" and between and all(token.leaf["t"] == "Space" for token in old[a:b])
        current = ("replace", a, b, c, d) if name != "equal" or island else opcode
        if previous and previous[0] == current[0] == "replace":
            previous = ("replace", previous[1], b, previous[3], d)
        else:
            if previous:
                yield previous
            previous = current
    if previous:
        yield previous
