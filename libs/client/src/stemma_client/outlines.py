"""Outlines of documents as files: JSON, YAML, or Markdown with a heading for each section."""

import json
import re
from collections.abc import Iterator, Sequence, Set
from pathlib import PurePath
from typing import Any

import yaml
from pydantic import ValidationError
from stemma_contracts.misfits import misfits
from stemma_contracts.v1.outline import OutlineSection
from stemma_languages import limits_in
from stemma_markdown import Document, Heading

from .errors import InvalidInputError

_NOTE = re.compile(r"[ \t]*(?P<name>id|kind|collects|depends on)[ \t]*:[ \t]*(?P<value>[^\n]*)", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"[ \t]*[(\uff08]([^()\uff08\uff09]{1,60})[)\uff09][ \t]*\Z")
_BEFORE_LAST = re.compile(
    r"[;:(!?\u3001\u3002\uff08\uff0c\uff1b\u2013\u2014]|,(?!\d)|(?<!max)(?<!m\u00e1x)\.(?!\d)", re.IGNORECASE
)
"""What may stand before the last clause of a line."""
_AT_END = " \t.)\u3002\uff09"
_FIELDS = {"id": "section_id", "kind": "kind", "collects": "collects", "depends on": "depends_on"}
MAX_NOTE = 60
MAX_COMMAS = 8
"""Commas in a title that others name."""


def read_outline(name: str, text: str) -> tuple[OutlineSection, ...]:
    """The sections of an outline file; its name says its form. Raises `InvalidInputError` with the section at fault."""
    match PurePath(name).suffix.lower():
        case ".json":
            sections = _list(name, _json(name, text))
        case ".yaml" | ".yml":
            sections = _list(name, _yaml(name, text))
        case ".md" | ".markdown":
            sections = _with_upstreams([_section(heading, body) for heading, body in _headed(text)])
        case _:
            raise InvalidInputError(f"{name}: an outline is a file that ends in .json, .yaml or .md")
    if not sections:
        raise InvalidInputError(f"{name}: there is no section in it; in Markdown each has a heading")
    return tuple(_checked(name, number, section) for number, section in enumerate(sections, start=1))


def write_outline(sections: Sequence[OutlineSection]) -> str:
    """An outline as Markdown, which `read_outline` reads back."""
    return "\n\n".join(["# Outline", *(_written(section) for section in sections)]) + "\n"


def _written(section: OutlineSection) -> str:
    notes = [f"id: {section.section_id}"] if section.section_id else []
    notes += [f"kind: {section.kind}"] if section.kind else []
    notes += [f"depends on: {', '.join(section.depends_on)}"] if section.depends_on is not None else []
    notes += [f"collects: {', '.join(section.collects)}"] if section.collects else []
    notes += [f"max {section.max_words} words"] if section.max_words else []
    notes += [f"max {section.max_pages} pages"] if section.max_pages else []
    return "\n\n".join([f"## {section.title}", *notes, *([section.purpose] if section.purpose else [])])


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"{name}: line {error.lineno}: {error.msg}") from None
    except RecursionError:
        raise InvalidInputError(f"{name}: it is nested too deeply") from None


def _yaml(name: str, text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise InvalidInputError(f"{name}: line {line}: {getattr(error, 'problem', None) or 'not YAML'}") from None


def _list(name: str, found: Any) -> list[dict[str, Any]]:
    sections = found.get("sections") if isinstance(found, dict) else found
    if not isinstance(sections, list) or not all(isinstance(section, dict) for section in sections):
        raise InvalidInputError(f"{name}: it must be a list of sections, each with a title")
    return [{_FIELDS.get(str(key), str(key)): value for key, value in section.items()} for section in sections]


def _checked(name: str, number: int, section: dict[str, Any]) -> OutlineSection:
    if unknown := sorted(set(section) - set(OutlineSection.model_fields)):
        known = ", ".join(["id", *(field for field in OutlineSection.model_fields if field != "section_id")])
        raise InvalidInputError(f"{name}: section {number}: {unknown[0]!r} is not known; known are: {known}")
    try:
        return OutlineSection.model_validate(section)
    except ValidationError as error:
        raise InvalidInputError(f"{name}: section {number}: {misfits(error)[0]}") from None


def _headed(text: str) -> Iterator[tuple[Heading, str]]:
    """The headings of the sections with what stands below them; a single first heading above all is the title."""
    headings = list(Document(text).headings)
    levels = [heading.level for heading in headings]
    if len(levels) > 1 and levels.count(min(levels)) == 1 and levels[0] == min(levels):
        headings, levels = headings[1:], levels[1:]
    if not headings:
        return
    lines = text.split("\n")
    tops = [heading for heading in headings if heading.level == min(levels)]
    for heading, following in zip(tops, [*tops[1:], None], strict=True):
        yield heading, "\n".join(lines[heading.line : following.line - 1 if following else None]).strip()


def _section(heading: Heading, body: str) -> dict[str, Any]:
    """A section of Markdown: notes on lines of their own or in brackets behind the title, all else is its purpose."""
    title, section = heading.text, dict[str, Any]()
    if (bracket := _IN_BRACKETS.search(title)) and _limits(bracket[1]):
        title, section = title[: bracket.start()], _limits(bracket[1])
    kept, at_end = [], dict[str, Any]()
    for line in body.split("\n"):
        note = _noted(line)
        section |= note
        kept += [] if note else [line]
        at_end |= {} if note else _limits_at_end(line)
    return at_end | section | {"title": title, "purpose": "\n".join(kept).strip()}


def _with_upstreams(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    titles = {" ".join(str(section["title"]).split()).casefold() for section in sections}
    lists = (
        {"depends_on": _upstreams(section["depends_on"], titles)} if "depends_on" in section else {}
        for section in sections
    )
    return [section | upstreams for section, upstreams in zip(sections, lists, strict=True)]


def _upstreams(value: str, titles: Set[str]) -> list[str]:
    parts, found, at = [part.strip() for part in value.split(",") if part.strip()], list[str](), 0
    while at < len(parts):
        ends = range(min(len(parts), at + MAX_COMMAS), at + 1, -1)
        end = next((end for end in ends if ", ".join(parts[at:end]).casefold() in titles), at + 1)
        found.append(", ".join(parts[at:end]))
        at = end
    return found


def _noted(line: str) -> dict[str, Any]:
    if (note := _NOTE.fullmatch(line)) is not None:
        name, value = note["name"].lower(), note["value"].strip()
        return {_FIELDS[name]: [part.strip() for part in value.split(",")] if name == "collects" else value}
    is_short = len(line) <= MAX_NOTE and len(line.split()) <= 6
    return _limits(line) if is_short and all(map(_limits, _clauses(line))) else {}


def _clauses(line: str) -> list[str]:
    return _BEFORE_LAST.split(line.rstrip(_AT_END))


def _limits_at_end(line: str) -> dict[str, Any]:
    """The limits that the last clause of a sentence is: ", max 120 words". One of each of several things is none."""
    *sentence, clause = _clauses(line)
    found = limits_in(clause) if sentence and len(clause) <= MAX_NOTE else (None, None)
    of_each = found != (None, None) and limits_in(" ".join(clause.split()[1:])) == found
    return {} if found == (None, None) or of_each else _limits(clause)


def _limits(note: str) -> dict[str, Any]:
    words, pages = limits_in(note, bare=True)
    found = {"max_words": words, "max_pages": pages}
    return {name: most for name, most in found.items() if most is not None}
