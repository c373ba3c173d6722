"""Schemas of answers in the form that strict modes of providers and grammars of servers take."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import BaseModel

Closed = Mapping[str, Sequence[str]]
"""By the name of a property: the keys that its object has, or the values that its strings may have."""

MOST_VALUES = 250
"""A longer list of values is left out of a schema: strict modes limit it."""
_LEFT_OUT = frozenset({"default", "title"})
_LENGTHS = frozenset({"minLength", "maxLength"})
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_NOT_STRICT = frozenset({"oneOf", "allOf", "not", "if", "patternProperties", "propertyNames", "prefixItems"})


def response_format(schema: type[BaseModel], closed: Closed) -> dict[str, Any]:
    """A value for ``response_format``: every property required and no other allowed, as far as the schema tells all.

    A property with a default may be filled in with that, so it is required too.
    """
    conversion = _Conversion(closed)
    body = conversion.node(schema.model_json_schema())
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.__name__, "strict": conversion.is_strict, "schema": body},
    }


def without_lengths(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The same without lengths of strings, which OpenAI's strict mode refuses; the answer is checked for them."""
    plain: dict[str, Any] = json.loads(json.dumps(wanted), object_hook=_without_lengths)
    return plain


def _without_lengths(node: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key not in _LENGTHS or isinstance(value, dict)}


def in_words(messages: Sequence[BaseMessage], wanted: Mapping[str, Any]) -> list[BaseMessage]:
    """The messages with the schema at their end, for a model that cannot be bound to one."""
    schema = json.dumps(wanted["json_schema"]["schema"], ensure_ascii=False)
    told = f"Answer with one JSON object and nothing around it. Its JSON schema:\n{schema}"
    last = messages[-1]
    if not isinstance(last, HumanMessage):
        return [*messages, HumanMessage(told)]
    return [*messages[:-1], HumanMessage(f"{last.text}\n\n{told}")]


def as_tool(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as the parameters of a tool, for a model that knows tools and no schemas."""
    told = wanted["json_schema"]
    return {"type": "function", "function": {"name": told["name"], "parameters": told["schema"]}}


@dataclass
class _Conversion:
    closed: Closed
    is_strict: bool = True

    def node(self, schema: Any, name: str = "") -> Any:
        if not isinstance(schema, dict):
            return schema
        node = {key: value for key, value in schema.items() if key not in _LEFT_OUT}
        values = self.closed.get(name, ())
        for key in _LISTS:
            if key in node:
                node[key] = [self.node(one, name) for one in node[key]]
        if "items" in node:
            node["items"] = self.node(node["items"], name)
        if "$defs" in node:
            node["$defs"] = {key: self.node(one) for key, one in node["$defs"].items()}
        if node.get("type") == "string" and 0 < len(values) <= MOST_VALUES and "enum" not in node:
            node = {key: value for key, value in node.items() if key not in _LENGTHS} | {"enum": list(values)}
        self.is_strict &= _NOT_STRICT.isdisjoint(node)
        return self._object(node, values) if node.get("type") == "object" else node

    def _object(self, node: dict[str, Any], values: Sequence[str]) -> dict[str, Any]:
        properties, required = dict(node.get("properties", {})), set(node.get("required", ()))
        open_to = node.get("additionalProperties")
        if not properties and values:
            properties = dict.fromkeys(values, open_to if isinstance(open_to, dict) else {})
            required, open_to = set(values), False
        filled = [key for key, one in properties.items() if key in required or "default" in one]
        self.is_strict &= len(filled) == len(properties) and (bool(properties) or open_to is False)
        if isinstance(open_to, dict) or open_to is True:
            self.is_strict = False
        else:
            node["additionalProperties"] = False
        return {**node, "properties": {key: self.node(one, key) for key, one in properties.items()}, "required": filled}
