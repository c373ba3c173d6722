"""The subset of JSON Schema that a structure is written in: what is taken can be rendered, all else refuses the start.

A section is an object. A property of it is a value (text or a number), a list of values, an object of values and lists
of them, or a list of such objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
DEFINITIONS = "#/$defs/"
INSIDE: Mapping[str, Mapping[str, str]] = {
    "section": {"object": "part"},
    "part": {"string": "", "number": "", "integer": "", "array": "item", "object": "cell"},
    "item": {"string": "", "number": "", "integer": "", "object": "cell"},
    "cell": {"string": "", "number": "", "integer": "", "array": "value"},
    "value": {"string": "", "number": "", "integer": ""},
}
CAN_BE_NULL = {"part", "cell"}
NAMES = {"title", "titles", "description"}
LIMITS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
KEYWORDS = {
    "string": {"minLength", "maxLength", "pattern", "format"},
    "number": LIMITS,
    "integer": LIMITS,
    "array": {"items", "minItems", "maxItems", "uniqueItems"},
    "object": {"properties", "required", "additionalProperties"},
}
OF_ALL = NAMES | {"type", "enum", "const", "default", "$comment"}


def written_out(schema: Any) -> Schema:
    """A structure without references, each of its objects closed.

    ``schema`` is valid by the schema of schemas. Raises `ValueError` naming the place and what is wrong with it.
    """
    if not isinstance(schema, dict):
        raise ValueError("it must be an object with properties")
    section = {name: value for name, value in schema.items() if name not in ("$schema", "$defs")}
    return _Subset(schema.get("$defs", {})).taken(section, "$", "section")


class _Subset:
    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def taken(self, given: Any, place: str, role: str) -> Schema:
        schema = self._resolved(given, place)
        kind = _kind(schema, place, role)
        if others := sorted(schema.keys() - OF_ALL - KEYWORDS[kind]):
            raise ValueError(f"{place}: {others[0]} is not taken here")
        if not _are_titles(schema.get("titles", {})):
            raise ValueError(f"{place}: titles must be texts by language")
        match kind:
            case "object":
                return self._object(schema, place, INSIDE[role][kind])
            case "array":
                return {**schema, "items": self.taken(schema.get("items"), f"{place}[*]", INSIDE[role][kind])}
            case _:
                return schema

    def _object(self, schema: Schema, place: str, role: str) -> Schema:
        properties = schema.get("properties")
        if not properties:
            raise ValueError(f"{place}: it must be an object with properties")
        if schema.get("additionalProperties", False) is not False:
            raise ValueError(f"{place}: additionalProperties can only be false")
        if unknown := sorted(set(schema.get("required", ())) - properties.keys()):
            raise ValueError(f"{place}: {unknown[0]} is required, and not among the properties")
        taken = {name: self.taken(part, f"{place}.{name}", role) for name, part in properties.items()}
        return {**schema, "properties": taken, "additionalProperties": False}

    def _resolved(self, schema: Any, place: str) -> Schema:
        """The schema itself, or what it refers to, by the names that stand beside the reference."""
        if not isinstance(schema, dict):
            raise ValueError(f"{place}: it has no schema with a type")
        if "$ref" not in schema:
            return schema
        reference = schema["$ref"]
        found = self._definitions.get(reference.removeprefix(DEFINITIONS))
        if not reference.startswith(DEFINITIONS) or not isinstance(found, dict):
            raise ValueError(f"{place}: {reference}: only what stands in $defs can be referred to")
        if "$ref" in found:
            raise ValueError(f"{place}: {reference}: it refers to something else")
        if others := sorted(schema.keys() - NAMES - {"$ref"}):
            raise ValueError(f"{place}: {others[0]} is not taken beside $ref")
        return {**found, **{name: schema[name] for name in schema.keys() & NAMES}}


def _kind(schema: Schema, place: str, role: str) -> str:
    """The one type of what stands there, beside null where nothing can be said."""
    given = schema.get("type")
    types = [given] if isinstance(given, str) else list(given or ())
    if isinstance(given, list) and role in CAN_BE_NULL:
        types = [each for each in types if each != "null"]
    if len(types) != 1 or types[0] not in INSIDE[role]:
        raise ValueError(f"{place}: its type must be {_one_of(INSIDE[role])}")
    return str(types[0])


def _one_of(names: Mapping[str, str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _are_titles(titles: Any) -> bool:
    return isinstance(titles, dict) and all(isinstance(title, str) for title in titles.values())
