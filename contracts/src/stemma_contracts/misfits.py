"""What does not fit a contract, field by field, in words for who wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

_OF_OUR_OWN = "Value error, "


class Misfit(NamedTuple):
    """A value that does not fit: its dotted field (empty for the whole), why, and Pydantic's name for that."""

    field: str
    message: str
    kind: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


def misfits(error: ValidationError) -> tuple[Misfit, ...]:
    """All that does not fit, at least one; the values, which may be secrets, are in none."""
    return misfits_among(error.errors(include_url=False, include_context=False, include_input=False))


def misfits_among(errors: Iterable[Mapping[str, Any]]) -> tuple[Misfit, ...]:
    """The same of errors in Pydantic's form, for frameworks that raise their own."""
    return tuple(
        Misfit(".".join(map(str, item["loc"])), item["msg"].removeprefix(_OF_OUR_OWN), item["type"]) for item in errors
    )


def longest_field(body: Mapping[str, Any]) -> tuple[str, int]:
    """The field of a body that takes most of it, and its bytes."""
    return max(((name, encoded_size(value)) for name, value in body.items()), key=lambda item: item[1], default=("", 0))


def encoded_size(value: Any) -> int:
    """The bytes that a JSON value takes in a body; a control character takes more than one."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
