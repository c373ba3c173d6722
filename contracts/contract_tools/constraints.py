"""Which values of one kind a schema takes, compared with what it took before."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, inf
from typing import Any

from .shapes import Schema

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
