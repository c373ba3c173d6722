"""Finds what would break readers or old messages when the schema of a contract changes in its version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stemma_contracts import Entry

from .parties import readers

Schema = dict[str, Any]
LOWER_BOUNDS = ("minimum", "minLength", "minItems", "exclusiveMinimum")
UPPER_BOUNDS = ("maximum", "maxLength", "maxItems", "exclusiveMaximum")
FIXED = ("pattern", "format")


@dataclass(frozen=True)
class Break:
    """A change that a contract must not make inside its version; ``field`` is a dotted path."""

    field: str
    what: str


def breaks(old: Schema, new: Schema) -> list[Break]:
    """Every breaking change from one schema of a contract to the next."""
    return list(_Comparison(old.get("$defs", {}), new.get("$defs", {})).compare(old, new, ""))


def report(entry: Entry, found: list[Break]) -> list[str]:
    """One line per breaking change: contract, field, change, and the services that read it."""
    read_by = ", ".join(readers(entry))
    return [f"{entry.ce_type}: {b.field or 'the whole'}: {b.what}; read by {read_by}" for b in found]


class _Comparison:
    def __init__(self, old_defs: Schema, new_defs: Schema) -> None:
        self._old_defs, self._new_defs = old_defs, new_defs
        self._open: set[tuple[str, str]] = set()

    def compare(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        pair = (old.get("$ref", ""), new.get("$ref", ""))
        if all(pair) and pair in self._open:
            return
        self._open.add(pair)
        yield from self._variants(_resolve(old, self._old_defs), _resolve(new, self._new_defs), path)
        self._open.discard(pair)

    def _variants(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        offered = {self._kind(v, self._new_defs): v for v in _alternatives(new)}
        for variant in _alternatives(old):
            kind = self._kind(variant, self._old_defs)
            if kind not in offered:
                yield Break(path, f"no longer takes {kind}")
            else:
                yield from self._same_kind(
                    _resolve(variant, self._old_defs), _resolve(offered[kind], self._new_defs), path
                )

    def _same_kind(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        yield from _narrowed(old, new, path)
        yield from self._properties(old, new, path)
        for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
            if isinstance(old.get(key), dict) and isinstance(new.get(key), dict):
                yield from self.compare(old[key], new[key], path + mark)

    def _properties(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        before, after = old.get("properties", {}), new.get("properties", {})
        was_required, is_required = set(old.get("required", ())), set(new.get("required", ()))
        for name in before.keys() - after.keys():
            yield Break(_join(path, name), "was removed")
        for name in sorted(is_required - was_required):
            yield Break(_join(path, name), "is required now")
        for name in sorted((was_required - is_required) & after.keys()):
            yield Break(_join(path, name), "was always there and may be absent now")
        for name in before.keys() & after.keys():
            yield from self.compare(before[name], after[name], _join(path, name))

    def _kind(self, schema: Schema, defs: Schema) -> str:
        target = _resolve(schema, defs)
        return str(target.get("type", "anything"))


def _narrowed(old: Schema, new: Schema, path: str) -> Iterator[Break]:
    before, after = _values(old), _values(new)
    if after is not None and before is None:
        yield Break(path, "takes only some values now")
    for value in (v for v in before or () if after is not None and v not in after):
        yield Break(path, f"no longer takes the value {value!r}")
    for key in (k for k in LOWER_BOUNDS if k in new and new[k] > old.get(k, float("-inf"))):
        yield Break(path, f"{key} was raised to {new[key]}")
    for key in (k for k in UPPER_BOUNDS if k in new and new[k] < old.get(k, float("inf"))):
        yield Break(path, f"{key} was lowered to {new[key]}")
    for key in (k for k in FIXED if k in new and new[k] != old.get(k)):
        yield Break(path, f"{key} is {new[key]!r} now")


def _values(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _alternatives(schema: Schema) -> list[Schema]:
    return list(schema.get("anyOf") or schema.get("oneOf") or [schema])


def _resolve(schema: Schema, defs: Schema) -> Schema:
    while "$ref" in schema:
        schema = defs[schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
