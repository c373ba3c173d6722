"""Finds what would break readers or old messages when the schema of a contract changes in its version.

Services are deployed one by one and the log is kept: a newer reader must be able to read what an older writer
wrote, and it must mean the same. Of all but requests an older reader must be able to read what a newer writer
writes, too. A request may take more than before: an older service rejects it and says why.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from stemma_contracts import Entry, Family

from .parties import readers
from .shapes import ANYTHING, Schema, alternatives, as_map, default_of, kind_of, narrowed, shown, widened


@dataclass(frozen=True)
class Break:
    """A change that a contract must not make inside its version; ``field`` is a dotted path."""

    field: str
    what: str


def breaks(old: Schema, new: Schema, family: Family) -> list[Break]:
    """Every breaking change from one schema of a contract to the next."""
    directions = [_NewerReads] if family is Family.REQUEST else [_NewerReads, _OlderReads]
    comparisons = [direction(old.get("$defs", {}), new.get("$defs", {})) for direction in directions]
    return list(dict.fromkeys(found for c in comparisons for found in c.compare(old, new, "")))


def report(entry: Entry, found: list[Break]) -> list[str]:
    """One line per breaking change: contract, field, change, and the services that read it."""
    read_by = ", ".join(readers(entry))
    return [f"{entry.ce_type}: {b.field or 'the whole'}: {b.what}; read by {read_by}" for b in found]


class _Comparison(ABC):
    """Whether a reader of one schema reads what a writer of the other one writes, and as it is meant."""

    def __init__(self, old_defs: Schema, new_defs: Schema) -> None:
        self._old_defs, self._new_defs = old_defs, new_defs
        self._open: set[tuple[int, int]] = set()

    def compare(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        pair = (id(old), id(new))
        if pair in self._open:  # a type that has itself inside
            return
        self._open.add(pair)
        yield from self._variants(alternatives(old, self._old_defs), alternatives(new, self._new_defs), path)
        self._open.discard(pair)

    @abstractmethod
    def _variants(self, before: list[Schema], after: list[Schema], path: str) -> Iterator[Break]:
        """What breaks for the variants that are written, each with the one that reads it best."""

    def _fields(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        yield from self._properties(old, new, path)
        before, after = as_map(old), as_map(new)
        for key, mark in (("items", "[]"), ("propertyNames", ".*"), ("additionalProperties", ".*")):
            if key in before or key in after:
                yield from self.compare(before.get(key, {}), after.get(key, {}), path + mark)

    def _properties(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        before, after = old.get("properties", {}), new.get("properties", {})
        was_required, is_required = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted(before.keys() - after.keys()):
            yield Break(_join(path, name), "was removed")
        for name in sorted(is_required - was_required):
            yield Break(_join(path, name), "is required now")
        for name in sorted((before.keys() & after.keys()) - was_required - is_required):
            yield from self._default(before[name], after[name], _join(path, name))
        for name in sorted(before.keys() & after.keys()):
            yield from self.compare(before[name], after[name], _join(path, name))

    def _default(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        if default_of(old, self._old_defs) != default_of(new, self._new_defs):
            yield Break(path, f"the default is {shown(new)} now and was {shown(old)}")


class _NewerReads(_Comparison):
    def _variants(self, before: list[Schema], after: list[Schema], path: str) -> Iterator[Break]:
        for old in before:
            offered = [list(self._reads(old, new, path)) for new in after if _takes(new, kind_of(old))]
            yield from min(offered, key=len, default=[Break(path, f"no longer takes {kind_of(old)}")])

    def _reads(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        yield from (Break(path, what) for what in narrowed(old, new))
        if kind_of(new) != ANYTHING:
            yield from self._fields(old, new, path)


class _OlderReads(_Comparison):
    def _variants(self, before: list[Schema], after: list[Schema], path: str) -> Iterator[Break]:
        for new in after:
            offered = [list(self._reads(old, new, path)) for old in before if _takes(old, kind_of(new))]
            yield from min(offered, key=len, default=[Break(path, f"may be {kind_of(new)} now")])

    def _reads(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        yield from (Break(path, what) for what in widened(old, new))
        if kind_of(old) != ANYTHING:
            yield from self._presence(old, new, path)
            yield from self._fields(old, new, path)

    def _presence(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        before, after = old.get("properties", {}), new.get("properties", {})
        was_required, is_required = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted((was_required - is_required) & after.keys()):
            yield Break(_join(path, name), "was always there and may be absent now")
        if old.get("additionalProperties") is False:
            for name in sorted(after.keys() - before.keys() - is_required):
                yield Break(_join(path, name), "is new where no unknown fields were taken")


def _takes(schema: Schema, kind: str) -> bool:
    return kind_of(schema) in (kind, ANYTHING) or (kind, kind_of(schema)) == ("integer", "number")


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
