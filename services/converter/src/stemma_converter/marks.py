"""Marks in a document tree that say where a change begins and ends; in the Word package they become tracked changes."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

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


def changed_blocks(change: Change, blocks: Sequence[Node]) -> list[Node]:
    """Whole blocks between marks."""
    return [begin_blocks(change), *blocks, end_blocks()]


def changed_words(change: Change, inlines: Sequence[Node]) -> list[Node]:
    """Inlines between marks; nothing for none."""
    begin, end = (node("RawInline", "openxml", xml) for xml in (_begin(change, Scope.WORDS), _end(Scope.WORDS)))
    return [begin, *inlines, end] if inlines else []


def begin_blocks(change: Change) -> Node:
    """The mark before blocks that came or went."""
    return node("RawBlock", "openxml", _begin(change, Scope.BLOCKS))


def end_blocks() -> Node:
    """The mark behind them."""
    return node("RawBlock", "openxml", _end(Scope.BLOCKS))


def row_mark(change: Change) -> Node:
    """The mark in the first cell of a row that came or went."""
    return node("RawBlock", "openxml", _begin(change, Scope.ROW))


def read_mark(name: str) -> tuple[Scope, Change | None] | None:
    """What a mark says: its scope, and what begins; nothing if the name is not that of a mark."""
    if not name.startswith(PREFIX):
        return None
    scope, change = name.removeprefix(PREFIX).split(":")
    return Scope(scope), Change(change) if change else None


def _begin(change: Change, scope: Scope) -> str:
    return _ELEMENT.format(name=f"{PREFIX}{scope}:{change}")


def _end(scope: Scope) -> str:
    return _ELEMENT.format(name=f"{PREFIX}{scope}:")
