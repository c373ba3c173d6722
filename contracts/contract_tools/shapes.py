"""The forms of JSON Schema that Pydantic writes, brought to one."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
ANYTHING = "anything"


def resolve(schema: Schema, defs: Schema) -> Schema:
    """The schema that a reference leads to, with what stands beside the reference."""
    while "$ref" in schema:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = defs[schema["$ref"].rsplit("/", 1)[-1]] | beside
    return schema


def alternatives(schema: Schema, defs: Schema) -> list[Schema]:
    """What a value may be, one schema for each kind of it."""
    schema = resolve(schema, defs)
    variants = schema.get("anyOf") or schema.get("oneOf")
    return [resolve(variant, defs) for variant in variants] if variants else [schema]


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
