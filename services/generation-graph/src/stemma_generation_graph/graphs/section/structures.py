"""Structures that document kinds bring as JSON Schema: a model fills one in, and it becomes Markdown by its own words.

A property is a part of the section: its ``title`` is the heading, in other languages ``titles`` beside it; without one
it has none. Text makes paragraphs, a list of values bullets, a list of objects a table with the titles of their
properties, an object lines with them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import RootModel, model_validator
from stemma_languages import Language

from stemma_generation_graph.configuration import ConfigurationError, by_name
from stemma_generation_graph.writing.drafts import clean_heading, without_headings
from stemma_generation_graph.writing.schemas import LARGEST

from .rendering import bulleted, table


class Filled(RootModel[dict[str, Any]]):
    """A value that a model filled in."""


@dataclass(frozen=True)
class Structure:
    name: str
    schema: Schema

    @cached_property
    def model(self) -> type[Filled]:
        """What an answer is read as: the schema decides whether it fits."""
        schema, validator = dict(self.schema), Draft202012Validator(self.schema)

        class Fitting(Filled):
            @model_validator(mode="after")
            def _fits(self) -> Fitting:
                problems = [*_too_large(self.root)] or [
                    f"{error.json_path}: {error.message}" for error in validator.iter_errors(self.root)
                ]
                if problems:
                    raise ValueError("; ".join(problems))
                return self

            @classmethod
            def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
                return schema

        Fitting.__name__ = self.name
        return Fitting

    def rendered(self, value: Mapping[str, Any], language: Language) -> str:
        """The body of a section, its parts in the order of the schema; of what is empty nothing is said."""
        parts = [(part, held) for _, part, held in _filled_in(self.schema, value)]
        return "\n\n".join(block for part, held in parts for block in _part(part, held, language))


def load_structures(files: Mapping[str, Path]) -> dict[str, Structure]:
    """The structures by name. Raises `ConfigurationError` naming the file."""
    return {name: _read(file) for name, file in by_name("structures", files).items()}


def _read(file: Path) -> Structure:
    try:
        schema = json.loads(file.read_text("utf-8"))
        Draft202012Validator.check_schema(schema)
        return Structure(file.stem, resolve_schema(schema))
    except (ValueError, SchemaError) as error:
        raise ConfigurationError(f"structures/{file.name}: {str(error).partition(chr(10))[0]}") from None


def _too_large(value: Any, place: str = "$") -> Iterator[str]:
    """The places of numbers that cannot be told: those that are none, and those beyond `LARGEST`."""
    match value:
        case dict():
            for name, each in value.items():
                yield from _too_large(each, f"{place}.{name}")
        case list():
            for at, each in enumerate(value):
                yield from _too_large(each, f"{place}[{at}]")
        case int() | float() if not abs(value) <= LARGEST:  # so that NaN is told as well
            yield f"{place}: a number must be between {-LARGEST} and {LARGEST}"


def _filled_in(schema: Schema, value: Mapping[str, Any]) -> list[tuple[str, Schema, Any]]:
    """The properties of an object of which something is said, with what is said."""
    found = [(name, part, value.get(name)) for name, part in schema["properties"].items()]
    return [(name, part, held) for name, part, held in found if not _is_empty(held)]


def _is_empty(value: Any) -> bool:
    """Whether there is nothing to read in it; a zero is something."""
    match value:
        case None:
            return True
        case str():
            return not value.strip()
        case list():
            return all(map(_is_empty, value))
        case dict():
            return all(map(_is_empty, value.values()))
        case _:
            return False


def _part(schema: Schema, value: Any, language: Language) -> list[str]:
    title = _title(schema, language)
    return [*([f"## {clean_heading(title)}"] if title else []), *_blocks(schema, value, language)]


def _blocks(schema: Schema, value: Any, language: Language) -> list[str]:
    match value:
        case list():
            return _listed(schema["items"], [each for each in value if not _is_empty(each)], language)
        case dict():
            return [_line(part, name, held, language) for name, part, held in _filled_in(schema, value)]
        case _:
            return [without_headings(_words(value, language))]


def _listed(schema: Schema, held: Sequence[Any], language: Language) -> list[str]:
    if "properties" not in schema:
        return bulleted([_words(each, language) for each in held], language)
    columns = schema["properties"]
    head = [_title(column, language) or name for name, column in columns.items()]
    return [table(head, [[_words(row.get(name), language) for name in columns] for row in held])]


def _line(schema: Schema, name: str, value: Any, language: Language) -> str:
    return without_headings(f"{_title(schema, language) or name}: {_words(value, language)}")


def _title(schema: Schema, language: Language) -> str:
    return str(schema.get("titles", {}).get(language.tag) or schema.get("title", ""))


def _words(value: Any, language: Language) -> str:
    """A value in the words of a text; a number with the separators of the language."""
    match value:
        case None:
            return ""
        case int():
            return language.number(value)
        case float():
            return language.number(value, 2)
        case list():
            return ", ".join(_words(each, language) for each in value if not _is_empty(each))
        case _:
            return str(value)


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


def resolve_schema(schema: Any) -> Schema:
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
