"""What a form asks for, how fields get their ids, why a form is refused, and which answers a field accepts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cache
from hashlib import sha256
from typing import Generic, TypeVar

from .words import UNSPACED, normal, terms

Spot = TypeVar("Spot")

# Longer questions are cut: what is asked stands at the beginning, and a field is shown in a line.
LONGEST_QUESTION = 1000
# Cells of a row that are told with a field.
MOST_BESIDE = 12


class Kind(StrEnum):
    """What an answer to a field is."""

    TEXT = "text"
    CHOICE = "choice"
    CHECKBOX = "checkbox"
    DATE = "date"
    NUMBER = "number"


class Unit(StrEnum):
    """What a limit counts: words between spaces, or characters, spaces and line ends among them."""

    WORDS = "words"
    CHARACTERS = "characters"


@dataclass(frozen=True)
class Limit:
    """How long an answer may be: at most so many words or characters."""

    most: int
    unit: Unit

    def measured(self, answer: str) -> int:
        return len(answer.split()) if self.unit is Unit.WORDS else len(answer)


@dataclass(frozen=True)
class Field:
    """A place of a form that waits for an answer.

    ``id`` is made of what the field asks and where it belongs, not of its position: it stays when rows or paragraphs
    come in before it. ``place`` says to people where it is (a sheet and a cell; a table and its row; a paragraph).
    ``group`` is the sheet, the section of the sheet or the heading that the question stands under. ``allowed`` are the
    answers of a choice, in the form's order; ``suggested`` those that the form offers beside free text. ``current`` is
    what stands in the place now: a placeholder or a default. ``confidence`` is between 0 and 1: how sure it is that
    somebody is to write here. ``column`` is the header that the place stands below, and ``row`` what stands in its row,
    each with the header above.
    """

    id: str = ""
    place: str = ""
    group: str = ""
    question: str = ""
    kind: Kind = Kind.TEXT
    allowed: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    limit: Limit | None = None
    current: str = ""
    confidence: float = 1.0
    column: str = ""
    row: tuple[tuple[str, str], ...] = ()


class FormError(ValueError):
    """A file or an answer that is refused; the message says why."""


class UnreadableForm(FormError):
    """The file is no form that can be read: damaged, protected by a password, with macros, or too large."""


class AnswersRefused(FormError):
    """Answers that the form does not accept; ``reasons`` has one sentence for each."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True)
class Found(Generic[Spot]):
    """A field, and where and how its answer is written."""

    field: Field
    spot: Spot


def with_ids(found: Iterable[Found[Spot]]) -> Iterator[Found[Spot]]:
    """Fields with ids: of what they ask, of their group, and of their number among equal ones."""
    seen: Counter[tuple[str, str]] = Counter()
    for each in found:
        asked = (each.field.group, each.field.question)
        seen[asked] += 1
        digest = sha256("\x1f".join((*asked, str(seen[asked]))).encode(errors="surrogatepass")).hexdigest()
        yield replace(each, field=replace(each.field, id=f"f-{digest[:10]}"))


def line(text: str) -> str:
    """A text in one line, cut where it is longer than a question is shown."""
    joined = " ".join(text.split())
    return joined if len(joined) <= LONGEST_QUESTION else f"{joined[: LONGEST_QUESTION - 1]}…"


# What XML 1.0 cannot hold; line ends and tabs it can.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
# What is read of a text: a limit stands with its question, not pages away.
_READ = 4000
_COUNT = r"(?<![\d.,])(\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+|\d{1,6})"
_BEFORE = 24
_AT_MOST = r"\b(?:max(?:imum|imal|imaal)?\.?|m[aá]ximo|massimo|up to|at most|höchstens|limit(?:ed to)?)[\s:]*"
_DIGIT = re.compile(r"\d")


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


def stated_limit(*texts: str) -> Limit | None:
    """The first limit that one of the texts states; a least length is none."""
    for text in texts:
        if _DIGIT.search(text, 0, _READ) and (limit := _limit(text[:_READ])):
            return limit
    return None


def without_limit(text: str) -> str:
    """A question without the words that limit its answer."""
    for unit in Unit:
        text = re.sub(rf"\([^()]*?(?:{_pattern(unit).pattern})[^()]*\)", " ", text, flags=re.IGNORECASE)
        text = re.sub(rf"(?:{_AT_MOST})?(?:{_pattern(unit).pattern})", " ", text, flags=re.IGNORECASE)
    return text


def _limit(text: str) -> Limit | None:
    for unit in Unit:
        for found in _pattern(unit).finditer(text):
            if not _is_least(text[max(0, found.start() - _BEFORE) : found.start()], text[found.end() :][:_BEFORE]):
                number = re.sub(r"\D", "", found[1] or found[2])
                return Limit(int(number), unit) if int(number) else None
    return None


@cache
def _pattern(unit: Unit) -> re.Pattern[str]:
    known = sorted(terms(unit.value), key=len, reverse=True)
    names = "|".join(re.escape(name) + ("" if name >= UNSPACED else r"\b") for name in known)
    counted = rf"{_COUNT}[\s-]*(?:{names})"
    named = rf"(?:\b(?:{names}))\s*(?:limit|count)\s*[:=]?\s*(?:max(?:imum)?\.?)?\s*{_COUNT}"
    return re.compile(f"{counted}|{named}", re.IGNORECASE)


def _is_least(before: str, after: str) -> bool:
    ahead = re.sub(r" (?:of|de|von)$", "", normal(before))
    behind = normal(after)
    return any(f" {ahead}".endswith(f" {term}") or f"{behind} ".startswith(f"{term} ") for term in terms("least"))
