"""How updates of a state field are merged. Every field that more than one node writes names one of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, TypeVar

T = TypeVar("T")
Entry = dict[str, Any]


class Change(TypedDict, total=False):
    """An update for `add_or_remove`: entries to add, and references to remove; what is in both stays."""

    add: list[Entry]
    remove: list[str]


def replace(_old: T, new: T) -> T:
    """The last writer wins."""
    return new


def append(old: list[T] | None, new: list[T]) -> list[T]:
    """Adds to the end of a list."""
    return [*(old or []), *new]


def merge_by_section(old: Mapping[str, T] | None, new: Mapping[str, T]) -> dict[str, T]:
    """Replaces the entries of the sections that the update names and keeps the others."""
    return {**(old or {}), **new}


def add_or_remove(old: list[Entry] | None, change: Change | list[Entry]) -> list[Entry]:
    """Removes and adds entries, each once by its ``reference``; a plain list is added."""
    wanted: Change = change if isinstance(change, dict) else {"add": change}
    kept = [entry for entry in old or [] if entry["reference"] not in wanted.get("remove", [])]
    return list({entry["reference"]: entry for entry in [*kept, *wanted.get("add", [])]}.values())
