"""How updates of a state field are merged. Every field that more than one node writes names one of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict, TypeVar

T = TypeVar("T")


class Change(TypedDict, total=False):
    """An update for `add_or_remove`; what is removed and added at once stays."""

    add: list[str]
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


def add_or_remove(old: list[str] | None, change: Change | list[str]) -> list[str]:
    """Removes and adds entries of a list without repeating one; a plain list is added."""
    wanted: Change = change if isinstance(change, dict) else {"add": change}
    kept = [entry for entry in old or [] if entry not in wanted.get("remove", [])]
    return _unique([*kept, *wanted.get("add", [])])


def _unique(entries: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(entries))
