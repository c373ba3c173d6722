"""The base of every contract model."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError


class Contract(BaseModel):
    """A message body or a value inside one: immutable, and tolerant of fields that it does not know.

    Readers ignore unknown fields, so that a contract can grow inside its version.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")


def invalid_field(message: str, *field: str | int) -> ValidationError:
    """What a validator of a whole model raises about one field, so that the error names it.

    ``field`` is the path to it. Pydantic takes the error over as its own: whoever validates gets one
    `pydantic.ValidationError` with this field in it.
    """
    error = ValueError(message)
    return ValidationError.from_exception_data(
        message, [{"type": "value_error", "loc": field, "input": None, "ctx": {"error": error}}]
    )
