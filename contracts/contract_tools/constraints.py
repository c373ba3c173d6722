"""Which values of one kind a schema takes, compared with what it took before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .shapes import Schema

LOWER_BOUNDS = ("minimum", "minLength", "minItems", "minProperties", "exclusiveMinimum")
UPPER_BOUNDS = ("maximum", "maxLength", "maxItems", "maxProperties", "exclusiveMaximum")
# Of a rule without an order, such as a pattern, nobody can tell whether another one takes more or less.
FIXED = ("pattern", "format", "multipleOf", "uniqueItems", "prefixItems", "contentEncoding", "contentMediaType")


def narrowed(old: Schema, new: Schema) -> Iterator[str]:
    """What a newer reader does not take any more."""
    before, after = _values(old), _values(new)
    if new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
        yield "takes no unknown fields now"
    if after is not None and before is None:
        yield "takes only some values now"
    for value in (v for v in before or () if after is not None and v not in after):
        yield f"no longer takes the value {value!r}"
    for key in (k for k in LOWER_BOUNDS if k in new and new[k] > old.get(k, float("-inf"))):
        yield f"{key} was raised to {new[key]}"
    for key in (k for k in UPPER_BOUNDS if k in new and new[k] < old.get(k, float("inf"))):
        yield f"{key} was lowered to {new[key]}"
    for key in (k for k in FIXED if k in new and new[k] != old.get(k)):
        yield f"{key} is {new[key]!r} now"


def widened(old: Schema, new: Schema) -> Iterator[str]:
    """What an older reader does not take, and a newer writer may write."""
    before, after = _values(old), _values(new)
    if before is not None and after is None:
        yield "may have any value now"
    for value in (v for v in after or () if before is not None and v not in before):
        yield f"may have the value {value!r} now"
    for key in (k for k in LOWER_BOUNDS if k in old and new.get(k, float("-inf")) < old[k]):
        yield f"{key} was lowered to {new[key]}" if key in new else f"{key} {old[key]} is gone"
    for key in (k for k in UPPER_BOUNDS if k in old and new.get(k, float("inf")) > old[k]):
        yield f"{key} was raised to {new[key]}" if key in new else f"{key} {old[key]} is gone"
    for key in (k for k in FIXED if k in old and k not in new):
        yield f"{key} {old[key]!r} is gone"


def _values(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")
