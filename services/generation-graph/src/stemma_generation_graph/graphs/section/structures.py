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
from .structure_files import Schema, written_out


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
        parts = [(part, held) for _, part, held in _said(self.schema, value)]
        return "\n\n".join(block for part, held in parts for block in _part(part, held, language))


def load_structures(files: Mapping[str, Path]) -> dict[str, Structure]:
    """The structures by name. Raises `ConfigurationError` naming the file."""
    return {name: _read(file) for name, file in by_name("structures", files).items()}


def _read(file: Path) -> Structure:
    try:
        schema = json.loads(file.read_text("utf-8"))
        Draft202012Validator.check_schema(schema)
        return Structure(file.stem, written_out(schema))
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


def _said(schema: Schema, value: Mapping[str, Any]) -> list[tuple[str, Schema, Any]]:
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
            return [_line(part, name, held, language) for name, part, held in _said(schema, value)]
        case _:
            return [without_headings(_words(value, language))]


def _listed(schema: Schema, held: Sequence[Any], language: Language) -> list[str]:
    """A table of objects, bullets of values."""
    if "properties" not in schema:
        return bulleted([_words(each, language) for each in held], language)
    columns = schema["properties"]
    head = [_title(column, language) or name for name, column in columns.items()]
    return [table(head, [[_words(row.get(name), language) for name in columns] for row in held])]


def _line(schema: Schema, name: str, value: Any, language: Language) -> str:
    """A property of an object beside what it is called."""
    return without_headings(f"{_title(schema, language) or name}: {_words(value, language)}")


def _title(schema: Schema, language: Language) -> str:
    """What a part is called in a language, if it is called anything."""
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
