"""Answers to the fields of a form: a model fills them in one by one, the headings are written by code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from stemma_contracts.v1.forms import AnsweredForm, FormField, FormFields
from stemma_contracts.v1.jobs import GenerateSection
from stemma_forms import Field, Kind, Limit, Unit, as_markdown
from stemma_models.prompting import block

from stemma_generation_graph.sources.library import Library
from stemma_generation_graph.writing.drafts import clean_heading, without_headings

from .structures import Structure

_PATTERNS = {Kind.DATE: r"^(\d{4}-\d{2}-\d{2})?$", Kind.NUMBER: r"^([+-]?\d+(\.\d+)?)?$", Kind.CHECKBOX: "^(yes|no)?$"}


async def fields_to_answer(job: GenerateSection, form: AnsweredForm, library: Library) -> tuple[Field, ...]:
    told = FormFields.model_validate_json(await library.text(job.document, form.fields))
    return tuple(_field(field) for field in told.fields if field.field_id not in form.dropped)


def answers_structure(fields: Sequence[Field]) -> Structure:
    """What a model fills in: an answer for each field, none for what the material does not say."""
    properties = {field.id: _schema(field) for field in fields}
    return Structure("FormAnswers", {"type": "object", "properties": properties, "additionalProperties": False})


def form_block(fields: Sequence[Field]) -> str:
    return block("form", [block("field", _asked(field), id=field.id) for field in fields])


def rendered(fields: Sequence[Field], answers: dict[str, Any], title: str) -> str:
    """A heading for each field, with the answer below it if there is one."""
    shown = [
        replace(field, question=clean_heading(field.question or field.place), group=field.group or title)
        for field in fields
    ]
    return as_markdown(shown, {name: without_headings(str(answer)) for name, answer in answers.items()})


def _schema(field: Field) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "description": f"the answer to: {_asked(field)}"}
    if field.kind is Kind.CHOICE:
        return {**schema, "enum": ["", *field.allowed]}
    return {**schema, "pattern": _PATTERNS[field.kind]} if field.kind in _PATTERNS else schema


def _asked(field: Field) -> str:
    """A question with how long its answer may be, and what else is told of it."""
    limit = f" (at most {field.limit.most} {field.limit.unit.value})" if field.limit else ""
    offered = ", ".join(field.allowed or field.suggested)
    return " ".join(f"{field.question or field.place}{limit}{f'; one of: {offered}' if offered else ''}".split())


def _field(told: FormField) -> Field:
    return Field(
        id=told.field_id,
        place=told.place,
        group=told.group,
        question=told.question,
        kind=Kind(told.kind),
        allowed=told.allowed,
        suggested=told.suggested,
        limit=Limit(told.most, Unit(told.unit)) if told.most else None,
    )
