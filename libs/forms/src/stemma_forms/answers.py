"""What a field accepts."""

from __future__ import annotations

import re
from datetime import date

from .field import Field, Kind
from .words import normal, terms

# What XML 1.0 cannot hold; line ends and tabs it can.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


def refusal_of(field: Field, answer: str) -> str | None:
    """Why a field does not accept an answer, in a sentence; None if it does."""
    if _NOT_IN_XML.search(answer):
        return f"{_named(field)}: the answer has a control character."
    if field.limit and (length := field.limit.measured(answer)) > field.limit.most:
        unit = field.limit.unit.value
        return f"{_named(field)}: the answer has {length} {unit}, and the form allows {field.limit.most} {unit}."
    mismatch = mismatch_of(field, answer)
    return f"{_named(field)}: {mismatch}." if mismatch else None


def mismatch_of(field: Field, answer: str) -> str | None:
    """Why an answer is none of those that a field accepts, however long it may be; None if it is, or if it is empty."""
    wanted = _misses(field, answer) if answer else None
    return f"{shown(answer)} is not {wanted}" if wanted else None


def chosen(field: Field, answer: str) -> str | None:
    """The allowed answer that is meant, whatever the case of its letters; None if it is none."""
    return next((allowed for allowed in field.allowed if _loose(allowed) == _loose(answer)), None)


def is_checked(answer: str) -> bool | None:
    """Whether an answer to a checkbox checks it; None if it says neither."""
    if answer.strip() in ("☒", "☑", "✓", "✔", "[x]", "[X]"):
        return True
    if answer.strip() in ("☐", "[ ]", ""):
        return False
    word = normal(answer)
    return True if word in terms("yes") else False if word in terms("no") else None


def as_date(answer: str) -> date | None:
    """The day that an answer names as ISO 8601 has it: 2026-11-24."""
    try:
        return date.fromisoformat(answer.strip())
    except ValueError:
        return None


def is_number(answer: str) -> bool:
    """Whether an answer is a decimal number with a point, without thousands separators."""
    return bool(_NUMBER.fullmatch(answer.strip()))


def _misses(field: Field, answer: str) -> str | None:
    match field.kind:
        case Kind.CHOICE if chosen(field, answer) is None:
            return f"one of {', '.join(map(shown, field.allowed))}"
        case Kind.CHECKBOX if is_checked(answer) is None:
            return "yes or no"
        case Kind.DATE if as_date(answer) is None:
            return "a date such as 2026-11-24"
        case Kind.NUMBER if not is_number(answer):
            return "a number such as 1250.50"
        case _:
            return None


def _loose(text: str) -> str:
    return " ".join(text.casefold().split())


def _named(field: Field) -> str:
    return f"{field.place} ({shown(field.question)})"


def shown(text: str, most: int = 60) -> str:
    """The beginning of a text on one line, in quotes."""
    line = " ".join(text.split())
    return f'"{line if len(line) <= most else line[: most - 1] + "…"}"'
