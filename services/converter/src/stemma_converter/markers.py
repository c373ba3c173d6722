"""Marks in a document tree that say where a change begins and ends; in the Word package they become tracked changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from .tree import Node, node

_ELEMENT = '<w:bookmarkStart w:id="0" w:name="{name}"/>'
# No name of a heading holds a colon.
PREFIX = "stemma:"


class Change(StrEnum):
    """What happened to a piece of text; the values are the names of Word's elements."""

    INSERTED = "ins"
    DELETED = "del"


class Scope(StrEnum):
    """What a mark is about: all blocks or all words up to the next end, or the table row that it stands in."""

    BLOCKS = "blocks"
    WORDS = "words"
    ROW = "row"


class Mark(NamedTuple):
    """What a mark says: what begins, none where it ends, and the numbers of those who did it, if that is known."""

    scope: Scope
    change: Change | None
    makers: tuple[int, ...] = ()


class Maker(NamedTuple):
    """Who changed something, and when, if that is known."""

    author: str
    made_at: datetime | None = None


def changed_blocks(change: Change, blocks: Sequence[Node]) -> list[Node]:
    return [begin_blocks(change), *blocks, end_blocks()]


def changed_words(change: Change, inlines: Sequence[Node]) -> list[Node]:
    begin, end = (node("RawInline", "openxml", xml) for xml in (_begin(change, Scope.WORDS), _end(Scope.WORDS)))
    return [begin, *inlines, end] if inlines else []


def begin_blocks(change: Change) -> Node:
    return node("RawBlock", "openxml", _begin(change, Scope.BLOCKS))


def end_blocks() -> Node:
    return node("RawBlock", "openxml", _end(Scope.BLOCKS))


def row_mark(change: Change) -> Node:
    return node("RawBlock", "openxml", _begin(change, Scope.ROW))


def end_row() -> Node:
    return node("RawBlock", "openxml", _end(Scope.ROW))


def made_by(mark: Node, makers: Sequence[int]) -> Node:
    found = mark_of(mark)
    assert found
    assert found.change
    return node(mark["t"], "openxml", _begin(found.change, found.scope, makers))


def mark_of(item: Node) -> Mark | None:
    match item:
        case {"t": "RawBlock" | "RawInline", "c": ["openxml", str(xml)]}:
            return read_mark(xml.partition('w:name="')[2].partition('"')[0])
        case _:
            return None


def read_mark(name: str) -> Mark | None:
    if not name.startswith(PREFIX):
        return None
    scope, change, makers = name.removeprefix(PREFIX).split(":")
    return Mark(Scope(scope), Change(change) if change else None, tuple(map(int, filter(None, makers.split("+")))))


def _begin(change: Change, scope: Scope, makers: Sequence[int] = ()) -> str:
    return _ELEMENT.format(name=f"{PREFIX}{scope}:{change}:{'+'.join(map(str, makers))}")


def _end(scope: Scope) -> str:
    return _ELEMENT.format(name=f"{PREFIX}{scope}::")
