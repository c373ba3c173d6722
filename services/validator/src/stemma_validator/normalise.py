"""The issues of every engine in one shape."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, TypeAdapter, model_validator
from stemma_contracts.v1.validation import ValidationIssue

_MAX_DETAIL = 300


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, dict) else value


class RawIssue(BaseModel):
    """One issue as an engine wrote it; the first name of each pair is markdownlint's, the second rumdl's."""

    line_number: int = Field(default=0, ge=0, validation_alias=AliasChoices("lineNumber", "line"))
    rule_names: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), validation_alias=AliasChoices("ruleNames", "rule")
    )
    description: str = Field(default="", validation_alias=AliasChoices("ruleDescription", "description"))
    error_detail: str = Field(default="", validation_alias=AliasChoices("errorDetail", "message"))

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, value: Any) -> Any:
        return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value


_output: TypeAdapter[list[RawIssue]] = TypeAdapter(Annotated[list[RawIssue], BeforeValidator(_as_list)])


def read_issues(output: bytes) -> list[RawIssue]:
    """The issues in the JSON of an engine: a list, or one object, which is read like a list of one.

    Raises `pydantic.ValidationError` for anything else.
    """
    return _output.validate_json(output)


def normalise(raw: RawIssue) -> ValidationIssue:
    """An engine's issue as `ValidationIssue`."""
    return ValidationIssue(
        line_number=raw.line_number,
        rule=raw.rule_names[0] if raw.rule_names else raw.description,
        rule_description=raw.description,
        message=raw.error_detail[:_MAX_DETAIL] or raw.description,
        error_detail=raw.error_detail[:_MAX_DETAIL] or None,
    )
