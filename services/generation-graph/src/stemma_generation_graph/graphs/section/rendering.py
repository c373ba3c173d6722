"""Structured answers as Markdown, in the language of the document: of our schemas, and of those that kinds bring."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Self, assert_never

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import Field, RootModel, StringConstraints, model_validator
from stemma_languages import Language

from stemma_generation_graph.configuration import ConfigurationError, by_name
from stemma_generation_graph.writing import (
    LARGEST,
    Filled,
    Line,
    Prose,
    Text,
    clean_heading,
    with_sub_headings,
    without_headings,
)

PARAGRAPHS, HEADINGS = "one to three paragraphs", "sub-sections for required headings"
"""By these words the offline writer knows what it can fill in."""


class StructuredSection(Filled):
    """A section that a model fills in field by field: none has to be filled, all of them may not be empty.

    What the other fields are for is said by the prompt of the kind.
    """

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not any(value for name, value in self if name != "currency"):
            raise ValueError(f"nothing is filled in; the fields are {', '.join(type(self).model_fields)}")
        return self


class Part(Filled):
    """A sub-section in words."""

    heading: Line
    text: Text = ""


class Finding(Part):
    """What the inputs say about one question."""

    sources: list[Line] = Field(default=[])


class Research(StructuredSection):
    """What is known from the brief and the inputs."""

    summary: Text = Field(default="", description=PARAGRAPHS)
    findings: list[Finding] = Field(default=[])
    open_questions: list[Line] = Field(default=[])
    parts: list[Part] = Field(default=[], description=HEADINGS)


class Component(Filled):
    """One part of a solution."""

    name: Line
    description: Prose
    answers: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)] = ""


class Solution(StructuredSection):
    """What is proposed."""

    summary: Text = Field(default="", description=PARAGRAPHS)
    components: list[Component] = Field(default=[])
    outcomes: list[Line] = Field(default=[])
    parts: list[Part] = Field(default=[], description=HEADINGS)


class Connection(Filled):
    """How one need is met."""

    need: Line
    answer: Line
    evidence: Line


class Connections(StructuredSection):
    """How the solution meets the needs, one by one."""

    summary: Text = Field(default="", description=PARAGRAPHS)
    links: list[Connection] = Field(default=[])
    gaps: list[Line] = Field(default=[])
    parts: list[Part] = Field(default=[], description=HEADINGS)


class BudgetItem(Filled):
    """One line of a budget."""

    item: Line
    basis: Line
    amount: Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)] | None = None


class Budget(StructuredSection):
    """What it costs. Code adds up the total."""

    summary: Text = Field(default="", description=PARAGRAPHS)
    currency: Annotated[str, StringConstraints(pattern=r"^([A-Z]{3})?$")] = ""
    items: list[BudgetItem] = Field(default=[])
    assumptions: list[Line] = Field(default=[])
    parts: list[Part] = Field(default=[], description=HEADINGS)


Structured = Research | Solution | Connections | Budget
SCHEMAS: dict[str, type[Structured]] = {schema.__name__: schema for schema in (Research, Solution, Connections, Budget)}


_MARKUP = re.compile(r"[`*<>\[\]\\]")
_CELL_BREAK = re.compile(r"(?<!\s)\s*\n\s*")


def render(answer: Structured, language: Language) -> str:
    match answer:
        case Research():
            blocks = _research(answer, language)
        case Solution():
            blocks = _solution(answer, language)
        case Connections():
            blocks = _connections(answer, language)
        case Budget():
            blocks = _budget(answer, language)
        case _:
            assert_never(answer)
    return "\n\n".join(blocks)


def _research(answer: Research, language: Language) -> list[str]:
    findings = [piece for finding in answer.findings for piece in _finding(finding, language)]
    blocks = [
        *_prose(answer.summary),
        *_below(language.words.findings, findings),
        *_below(language.words.open_questions, bulleted(answer.open_questions, language)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _finding(finding: Finding, language: Language) -> list[str]:
    names = ", ".join(_source(name, language) for name in finding.sources)
    sources = [language.sentence(language.words.source.format(names=names))] if names else []
    return [f"### {clean_heading(finding.heading)}", *_prose(finding.text), *sources]


def _source(name: str, language: Language) -> str:
    """A file name in the words that its reader knows the document by."""
    words = re.sub(r"[-_\s]+", " ", PurePosixPath(name).stem)
    return _MARKUP.sub("", re.sub(r"^[\d\W]+", "", words)).strip() or language.words.the_inputs


def _solution(answer: Solution, language: Language) -> list[str]:
    components = [piece for component in answer.components for piece in _component(component, language)]
    blocks = [
        *_prose(answer.summary),
        *_below(language.words.what_we_propose, components),
        *_below(language.words.what_the_client_gains, bulleted(answer.outcomes, language)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _component(component: Component, language: Language) -> list[str]:
    need = _sentence(component.answers, language)
    answers = [language.words.it_answers.format(need=need)] if component.answers else []
    return [f"### {clean_heading(component.name)}", without_headings(component.description), *answers]


def _connections(answer: Connections, language: Language) -> list[str]:
    words = language.words
    rows = [(link.need, link.answer, link.evidence) for link in answer.links]
    head = (words.need, words.answer, words.evidence)
    needs = [language.captioned(words.table, words.needs_and_answers), table(head, rows)] if rows else []
    blocks = [
        *_prose(answer.summary),
        *_below(words.from_need_to_solution, needs),
        *_below(words.what_remains_open, bulleted(answer.gaps, language)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _budget(answer: Budget, language: Language) -> list[str]:
    blocks = [
        *_prose(answer.summary),
        *_below(language.words.costs, _costs(answer, language) if answer.items else []),
        *_below(language.words.assumptions, bulleted(answer.assumptions, language)),
    ]
    return blocks + _parts(answer.parts, blocks)


def _costs(answer: Budget, language: Language) -> list[str]:
    words = language.words
    rows = [(item.item, item.basis, _amount(item, language)) for item in answer.items]
    known = [item.amount for item in answer.items if item.amount is not None]
    if known:
        rows.append((_total_label(answer.items, language), "", language.number(sum(known), 2)))
    amount = words.amount_in.format(currency=answer.currency) if answer.currency else words.amount
    return [language.captioned(words.table, words.costs_by_item), table((words.item, words.basis, amount), rows)]


def _total_label(items: Sequence[BudgetItem], language: Language) -> str:
    complete = all(item.amount is not None for item in items)
    return language.words.total if complete else language.words.total_known


def _amount(item: BudgetItem, language: Language) -> str:
    return "" if item.amount is None else language.number(item.amount, 2)


def _parts(parts: Iterable[Part], above: Sequence[str]) -> list[str]:
    """Further sub-sections; one whose heading is there already is left out, its text is not."""
    blocks = []
    for part in parts:
        heading = f"## {clean_heading(part.heading)}"
        text = [with_sub_headings(part.text)] if part.text else []
        blocks += [*([] if heading in above else [heading]), *text]
    return blocks


def _prose(text: str) -> list[str]:
    return [without_headings(text)] if text else []


def _below(heading: str, blocks: Sequence[str]) -> list[str]:
    """Blocks below their heading, which does not stand alone: nothing is said of what there is nothing of."""
    return [f"## {heading}", *blocks] if blocks else []


def bulleted(lines: Sequence[str], language: Language) -> list[str]:
    """A list, each line of it a sentence; nothing of no lines."""
    return ["\n".join(f"- {_sentence(line, language)}" for line in lines)] if lines else []


def _sentence(line: str, language: Language) -> str:
    return language.sentence(_CELL_BREAK.sub(" ", line).lstrip("-*+#> "))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return _CELL_BREAK.sub(" ", text).replace("\\", "\\\\").replace("|", "\\|").strip()


class FilledStructure(RootModel[dict[str, Any]]):
    """A value that a model filled in."""


@dataclass(frozen=True)
class Structure:
    name: str
    schema: Schema

    @cached_property
    def model(self) -> type[FilledStructure]:
        """What an answer is read as: the schema decides whether it fits."""
        schema, validator = dict(self.schema), Draft202012Validator(self.schema)

        class Fitting(FilledStructure):
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
