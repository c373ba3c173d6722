"""The forms of JSON Schema that Pydantic writes, brought to one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
