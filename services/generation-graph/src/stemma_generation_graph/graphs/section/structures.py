"""Structures that document kinds bring as JSON Schema: a model fills one in, and it becomes Markdown by its own words.

A property is a part of the section: its ``title`` is the heading, in other languages ``titles`` beside it; without one
it has none. Text makes paragraphs, a list of values bullets, a list of objects a table with the titles of their
properties.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import RootModel, model_validator
from stemma_languages import Language

from stemma_generation_graph.configuration import ConfigurationError
from stemma_generation_graph.writing.drafts import clean_heading, without_headings
from stemma_generation_graph.writing.schemas import LARGEST

from .rendering import bulleted, table

Schema = Mapping[str, Any]
DEFINITIONS = "#/$defs/"


class Filled(RootModel[dict[str, Any]]):
    """A value that a model filled in."""


@dataclass(frozen=True)
class Structure:
    """One structure by its name."""

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
        parts = [(part, value[name]) for name, part in self._properties(self.schema) if value.get(name)]
        return "\n\n".join(block for part, held in parts for block in self._part(part, held, language))

    def _part(self, schema: Schema, value: Any, language: Language) -> list[str]:
        title = _title(schema, language)
        return [*([f"## {clean_heading(title)}"] if title else []), *self._blocks(schema, value, language)]

    def _blocks(self, schema: Schema, value: Any, language: Language) -> list[str]:
        match value:
            case [dict(), *_]:
                columns = self._properties(schema.get("items", {}))
                head = [_title(column, language) or name for name, column in columns]
                rows = [[_words(row.get(name), language) for name, _ in columns] for row in value]
                return [table(head, rows)]
            case list():
                return bulleted([_words(each, language) for each in value], language)
            case dict():
                inside = [(part, value[name]) for name, part in self._properties(schema) if value.get(name)]
                return [f"{_title(part, language)}: {_words(held, language)}" for part, held in inside]
            case _:
                return [without_headings(_words(value, language))]

    def _properties(self, schema: Schema) -> list[tuple[str, Schema]]:
        """The properties of an object, each as it is described where it is referred to."""
        found = self._resolved(schema).get("properties", {})
        return [(name, self._resolved(part)) for name, part in found.items()]

    def _resolved(self, schema: Schema) -> Schema:
        if "$ref" not in schema:
            return schema
        return {**self.schema["$defs"][schema["$ref"].removeprefix(DEFINITIONS)], **schema}


def load_structures(files: Mapping[str, Path]) -> dict[str, Structure]:
    """The structures by name. Raises `ConfigurationError` naming the file."""
    return {file.stem: _read(f"structures/{name}", file) for name, file in files.items()}


def _read(name: str, file: Path) -> Structure:
    try:
        schema = json.loads(file.read_text("utf-8"))
        Draft202012Validator.check_schema(schema)
    except (ValueError, SchemaError) as error:
        raise ConfigurationError(f"{name}: {str(error).partition(chr(10))[0]}") from None
    if not isinstance(schema, dict) or schema.get("type") != "object" or not schema.get("properties"):
        raise ConfigurationError(f"{name}: it must be an object with properties")
    if outside := [reference for reference in _references(schema) if not _is_defined(reference, schema)]:
        raise ConfigurationError(f"{name}: {outside[0]}: only what stands in $defs can be referred to")
    return Structure(file.stem, schema)


def _references(schema: Any) -> Iterator[str]:
    inside = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
        yield schema["$ref"]
    for each in inside:
        yield from _references(each)


def _is_defined(reference: str, schema: Schema) -> bool:
    name = reference.removeprefix(DEFINITIONS)
    return name != reference and isinstance(schema.get("$defs", {}).get(name), dict)


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


def _title(schema: Schema, language: Language) -> str:
    """What a part is called in a language, if it is called anything."""
    return str(schema.get("titles", {}).get(language.tag) or schema.get("title", ""))


def _words(value: Any, language: Language) -> str:
    """A value in the words of a text; a number with the separators of the language."""
    match value:
        case None | bool():
            return ""
        case int():
            return language.number(value)
        case float():
            return language.number(value, 2)
        case list():
            return ", ".join(_words(each, language) for each in value)
        case _:
            return str(value)
