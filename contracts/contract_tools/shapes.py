"""The forms of JSON Schema that Pydantic writes, brought to one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import ceil, floor, inf
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
