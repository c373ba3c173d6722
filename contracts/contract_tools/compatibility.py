"""Finds what would break readers or old messages when the schema of a contract changes in its version.

Services are deployed one by one and the log is kept: a newer reader must be able to read what an older writer
wrote, and it must mean the same. Of all but requests an older reader must be able to read what a newer writer
writes, too. A request may take more than before: an older service rejects it and says why.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, inf
from typing import Any

from stemma_contracts import Entry, Family

from contract_tools.samples import readers

Schema = dict[str, Any]
ANYTHING = "anything"


def alternatives(schema: Schema, defs: Schema) -> list[Schema]:
    """What a value may be, one schema for each variant, those of a union inside a union too."""
    return list(_variants(schema, defs, frozenset()))


def _variants(schema: Schema, defs: Schema, above: frozenset[str]) -> Iterator[Schema]:
    if ref := schema.get("$ref"):
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if ref not in above:
            yield from _variants(defs[ref.rsplit("/", 1)[-1]] | beside, defs, above | {ref})
    elif union := schema.get("anyOf") or schema.get("oneOf"):
        for variant in union:
            yield from _variants(variant, defs, above)
    else:
        yield schema


def kind_of(schema: Schema) -> str:
    """The JSON type of a schema that is no union; an object without fields of its own is a map."""
    kind = str(schema.get("type", ANYTHING))
    return "map" if kind == "object" and "properties" not in schema else kind


def as_map(schema: Schema) -> Schema:
    """The schema with the rules for keys and values of a map under one name each, as schemas."""
    flat = {key: value for key, value in schema.items() if key != "patternProperties"}
    for pattern, values in schema.get("patternProperties", {}).items():
        flat |= {"propertyNames": {"pattern": pattern}, "additionalProperties": values}
    if isinstance(flat.get("additionalProperties"), bool):
        flat["additionalProperties"] = {}
    return flat


LOWER_BOUNDS = ("minimum", "minLength", "minItems", "minProperties", "exclusiveMinimum")
UPPER_BOUNDS = ("maximum", "maxLength", "maxItems", "maxProperties", "exclusiveMaximum")
# Of a rule without an order, such as a pattern, nobody can tell whether another one takes more or less.
FIXED = ("pattern", "format", "multipleOf", "uniqueItems", "prefixItems", "contentEncoding", "contentMediaType")


def narrowed(old: Schema, new: Schema) -> Iterator[str]:
    """What a newer reader does not take any more."""
    old, new = _comparable(old, new)
    before, after = _values(old), _values(new)
    if new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
        yield "takes no unknown fields now"
    if after is not None and before is None:
        yield "takes only some values now"
    for value in (v for v in before or () if after is not None and v not in after):
        yield f"no longer takes the value {value!r}"
    for key in (k for k in LOWER_BOUNDS if k in new and new[k] > old.get(k, -inf)):
        yield f"{key} was raised to {new[key]}"
    for key in (k for k in UPPER_BOUNDS if k in new and new[k] < old.get(k, inf)):
        yield f"{key} was lowered to {new[key]}"
    for key in (k for k in FIXED if k in new and new[k] != old.get(k)):
        yield f"{key} is {new[key]!r} now"


def widened(old: Schema, new: Schema) -> Iterator[str]:
    """What an older reader does not take, and a newer writer may write."""
    old, new = _comparable(old, new)
    before, after = _values(old), _values(new)
    if old.get("additionalProperties") is False and new.get("additionalProperties", False) is not False:
        yield "may have unknown fields now"
    if before is not None and after is None:
        yield "may have any value now"
    for value in (v for v in after or () if before is not None and v not in before):
        yield f"may have the value {value!r} now"
    for key in (k for k in LOWER_BOUNDS if k in old and new.get(k, -inf) < old[k]):
        yield f"{key} was lowered to {new[key]}" if key in new else f"{key} {old[key]} is gone"
    for key in (k for k in UPPER_BOUNDS if k in old and new.get(k, inf) > old[k]):
        yield f"{key} was raised to {new[key]}" if key in new else f"{key} {old[key]} is gone"
    for key in (k for k in FIXED if k in old and new.get(k) != old[k]):
        yield f"{key} is {new[key]!r} now" if key in new else f"{key} {old[key]!r} is gone"


def _comparable(old: Schema, new: Schema) -> tuple[Schema, Schema]:
    return (_whole(old), _whole(new)) if "integer" in (old.get("type"), new.get("type")) else (old, new)


def _whole(schema: Schema) -> Schema:
    """The schema with one bound on either side, as integers have it: what is above 0 is 1 or more."""
    whole = {key: value for key, value in schema.items() if key not in ("exclusiveMinimum", "exclusiveMaximum")}
    if "exclusiveMinimum" in schema:
        whole["minimum"] = max(floor(schema["exclusiveMinimum"]) + 1, schema.get("minimum", -inf))
    if "exclusiveMaximum" in schema:
        whole["maximum"] = min(ceil(schema["exclusiveMaximum"]) - 1, schema.get("maximum", inf))
    return whole


def _values(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


_NONE = object()


def default_of(field: Schema, defs: Schema) -> Any:
    """The default of an optional field, without what is at its own default in it.

    That has a field of its own, where it is compared; a new optional field there adds nothing here.
    """
    return _told(field["default"], field, defs) if "default" in field else _NONE


def shown(field: Schema) -> str:
    """The default of an optional field for people."""
    return json.dumps(field["default"], ensure_ascii=False) if "default" in field else "not told"


def _told(value: Any, schema: Schema, defs: Schema) -> Any:
    variants = alternatives(schema, defs)
    if isinstance(value, list):
        items: Schema = next((v["items"] for v in variants if "items" in v), {})
        return [_told(item, items, defs) for item in value]
    if isinstance(value, dict):
        fields: Schema = next((v["properties"] for v in variants if "properties" in v), {})
        told = {k: v for k, v in value.items() if v != fields.get(k, {}).get("default", _NONE)}
        return {k: _told(v, fields.get(k, {}), defs) for k, v in told.items()}
    return value


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
