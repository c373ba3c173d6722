"""A value that fits a JSON schema, filled from facts by the names of the fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

Facts: TypeAlias = Mapping[str, Any]
Schema: TypeAlias = Mapping[str, Any]

# A field is filled from the first fact of its line that is there.
_ALIASES = (
    (r"title", ("title", "heading")),
    (r"summary|overview|introduction|abstract|opening|lead|purpose|in_brief", ("summary", "text")),
    (r"heading|name|topic|label|subject|part|component|phase|item|need|element", ("heading", "item", "title")),
    (
        r"text|body|content|detail|description|finding|statement|markdown|answer|explanation|response|how|what|why|met_by",
        ("text", "summary"),
    ),
    (r"open_questions|questions|gaps|missing|unknowns?|assumptions|not_known", ("questions",)),
    (r"sources|references|citations|evidence|inputs", ("sources",)),
    (r"source|reference|origin|file|basis", ("source",)),
    (r"amount|cost|price|value|figure|sum", ("amount",)),
    (r"total|grand_total", ("total",)),
    (r"currency|unit", ("currency",)),
    (r"notes?|remark|comment", ("note",)),
    (r"items|lines|rows|costs|positions|entries", ("items", "parts")),
    (r"points|bullets|recommendations|key_\w+|risks|steps", ("points",)),
)
_DEEPEST = 8


def fill(schema: Schema, facts: Facts) -> Any:
    """A value of the schema; what the facts do not hold is left empty in the way that the schema allows."""
    return _Filler(schema).value(schema, facts, "", 0)


class _Filler:
    def __init__(self, root: Schema) -> None:
        self._root = root

    def value(self, schema: Schema, fact: Any, name: str, depth: int) -> Any:
        schema = self._resolved(schema, fact)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return fact if fact in schema["enum"] else schema["enum"][0]
        return self._typed(schema, fact, name, depth)

    def _typed(self, schema: Schema, fact: Any, name: str, depth: int) -> Any:
        match schema.get("type"):
            case "object":
                return self._object(schema, fact, depth)
            case "array":
                return self._array(schema, fact, name, depth)
            case "number" | "integer" as kind:
                return _number(schema, fact, whole=kind == "integer")
            case "boolean":
                return fact if isinstance(fact, bool) else False
            case "null":
                return None
            case _:
                return _text(schema, fact)

    def _resolved(self, schema: Schema, fact: Any) -> Schema:
        while "$ref" in schema:
            target: Any = self._root
            for key in schema["$ref"].removeprefix("#/").split("/"):
                target = target[key]
            schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
        if isinstance(schema.get("type"), list):
            choices = [{**schema, "type": kind} for kind in schema["type"]]
        else:
            choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or []
        if not choices:
            return schema
        best = next((choice for choice in choices if self._suits(choice, fact)), None)
        none = next((choice for choice in choices if choice.get("type") == "null"), choices[0])
        return self._resolved(best or none, fact)

    def _suits(self, schema: Schema, fact: Any) -> bool:
        schema = self._resolved(schema, fact)
        kinds: dict[str, tuple[type, ...]] = {
            "object": (dict,), "array": (list,), "string": (str,), "number": (int, float), "integer": (int,),
            "boolean": (bool,),
        }  # fmt: skip
        return fact is not None and isinstance(fact, kinds.get(schema.get("type", ""), ()))

    def _object(self, schema: Schema, fact: Any, depth: int) -> dict[str, Any]:
        facts: Facts = fact if isinstance(fact, Mapping) else {"text": fact, "heading": fact}
        properties: Mapping[str, Schema] = schema.get("properties", {})
        if not properties:
            extra = schema.get("additionalProperties")
            inner = extra if isinstance(extra, Mapping) else {}
            return {str(key): self.value(inner or _loose(value), value, key, depth + 1) for key, value in facts.items()}
        required = schema.get("required", [])
        wanted = [name for name in properties if name in required or depth < _DEEPEST]
        return {name: self._field(name, properties[name], facts, depth) for name in wanted}

    def _field(self, name: str, schema: Schema, facts: Facts, depth: int) -> Any:
        fact = self._fact(name, schema, facts)
        if fact is None and "default" in schema:
            return schema["default"]
        return self.value(schema, fact, name, depth + 1)

    def _fact(self, name: str, schema: Schema, facts: Facts) -> Any:
        if name in facts:
            return facts[name]
        if (kind := self._item_kind(schema)) == "object":
            return facts.get("items" if self._has_amount(schema) else "parts")
        for pattern, keys in _ALIASES:
            if re.fullmatch(pattern, name) and (found := [facts[key] for key in keys if facts.get(key) is not None]):
                return found[0]
        return facts.get("points") if kind == "string" else None

    def _item_kind(self, schema: Schema) -> str:
        schema = self._resolved(schema, [])
        if schema.get("type") != "array":
            return ""
        return str(self._resolved(schema.get("items", {}), None).get("type", ""))

    def _has_amount(self, schema: Schema) -> bool:
        item = self._resolved(self._resolved(schema, []).get("items", {}), {})
        return any(re.fullmatch(r"amount|cost|price|value", name) for name in item.get("properties", {}))

    def _array(self, schema: Schema, fact: Any, name: str, depth: int) -> list[Any]:
        values = _as_list(fact)
        least, most = schema.get("minItems", 0), schema.get("maxItems", 50)
        values = [*values, *[None] * (least - len(values))][:most]
        return [self.value(schema.get("items", {}), value, name, depth + 1) for value in values]


def _as_list(fact: Any) -> list[Any]:
    if isinstance(fact, Mapping):
        return [
            {"id": key, "criterion": key, "name": key, "score": value, "value": value} for key, value in fact.items()
        ]
    return list(fact) if isinstance(fact, list | tuple) else [] if fact is None else [fact]


def _loose(value: Any) -> Schema:
    return {"type": "number"} if isinstance(value, int | float) else {"type": "string"}


def _number(schema: Schema, fact: Any, *, whole: bool) -> float | int:
    value = float(fact) if isinstance(fact, int | float) and not isinstance(fact, bool) else 0.0
    low = schema.get("minimum", schema.get("exclusiveMinimum", value))
    high = schema.get("maximum", schema.get("exclusiveMaximum", value))
    value = max(min(value, float(high)), float(low))
    if value == schema.get("exclusiveMinimum"):
        value += 1
    return round(value) if whole or value == int(value) else value


def _text(schema: Schema, fact: Any) -> str:
    text = "; ".join(map(str, fact)) if isinstance(fact, list | tuple) else "" if fact is None else str(fact)
    least = schema.get("minLength", 0)
    if len(text) < least:
        text = (text + " not stated in the material").strip().ljust(least, ".")
    return text[: schema.get("maxLength", len(text))]
