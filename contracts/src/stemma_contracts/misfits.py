"""What does not fit a contract, field by field, in words for who wrote it."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from .problems import Params

_OF_OUR_OWN = "Value error, "
_CODES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "missing": ("value_missing", {}),
    "string_too_short": ("text_too_short", {"min_length": "min_length"}),
    "string_too_long": ("text_too_long", {"max_length": "max_length"}),
    "string_pattern_mismatch": ("text_unmatched", {"pattern": "pattern"}),
    "int_parsing": ("number_not_whole", {}),
    "greater_than_equal": ("number_too_small", {"minimum": "ge"}),
    "less_than_equal": ("number_too_large", {"maximum": "le"}),
    "datetime_from_date_parsing": ("time_invalid", {"reason": "error"}),
    "bool_parsing": ("boolean_invalid", {}),
    "literal_error": ("choice_unknown", {"choices": "expected"}),
    "enum": ("choice_unknown", {"choices": "expected"}),
}
"""By Pydantic's name of an error, our code with its parameters as Pydantic calls them."""


MOST_VALUES = 10_000
"""In a body of JSON: no request has more, and each of them may be an error that takes a hundredth of a millisecond."""


class JsonValues:
    """Counts the values of JSON as it comes, before anybody reads it: commas and opening brackets outside of strings.

    ``number`` is how many came so far. A zero byte counts as one, too: there is one at each comma of UTF-16.
    """

    def __init__(self) -> None:
        self.number = 0
        self._in_string = False
        self._held = b""

    def add(self, piece: bytes) -> int:
        """Count those of the next piece; gives how many came so far."""
        piece = self._held + piece
        self._held = b"\\" if (len(piece) - len(piece.rstrip(b"\\"))) % 2 else b""
        parts = piece.removesuffix(self._held).replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')
        outside = b'"'.join(parts[self._in_string :: 2])
        self.number += sum(map(outside.count, (b",", b"[", b"{"))) + piece.count(b"\0")
        self._in_string ^= len(parts) % 2 == 0
        return self.number


class Misfit(NamedTuple):
    """A value that does not fit: its dotted field (empty for the whole), why, and Pydantic's name for that.

    ``code`` and ``params`` say the same as a problem does.
    """

    field: str
    message: str
    kind: str
    code: str
    params: Params

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


def misfits(error: ValidationError, most: int | None = None) -> tuple[Misfit, ...]:
    """What does not fit, at least one and at most so many; the values, which may be secrets, are in none."""
    return misfits_among(error.errors(include_url=False, include_input=False)[:most])


def misfits_among(errors: Iterable[Mapping[str, Any]]) -> tuple[Misfit, ...]:
    """The same of errors in Pydantic's form, for frameworks that raise their own."""
    return tuple(map(_misfit, errors))


def _misfit(item: Mapping[str, Any]) -> Misfit:
    words = item["msg"].removeprefix(_OF_OUR_OWN)
    return Misfit(".".join(map(str, item["loc"])), words, item["type"], *_coded(item, words))


def _coded(item: Mapping[str, Any], words: str) -> tuple[str, Params]:
    context = item.get("ctx", {})
    code, names = _CODES.get(item["type"], ("", {}))
    if code == "text_too_short" and context["min_length"] == 1:
        return "text_empty", {}
    if not code or any(not isinstance(context.get(name), str | int | float) for name in names.values()):
        return "value_invalid", {"reason": words}
    return code, {own: context[name] for own, name in names.items()}


def longest_field(body: Mapping[str, Any]) -> tuple[str, int]:
    """The field of a body that takes most of it, and its bytes."""
    return max(((name, encoded_size(value)) for name, value in body.items()), key=lambda item: item[1], default=("", 0))


def encoded_size(value: Any) -> int:
    """The bytes that a JSON value takes in a body; a control character takes more than one."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
