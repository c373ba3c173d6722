"""What a form asks for, what it accepts, how fields get their ids, and why a form is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import Generic, TypeVar

Spot = TypeVar("Spot")

# Longer questions are cut: what is asked stands at the beginning, and a field is shown in a line.
LONGEST_QUESTION = 1000


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
    somebody is to write here.
    """

    id: str
    place: str
    group: str
    question: str
    kind: Kind = Kind.TEXT
    allowed: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    limit: Limit | None = None
    current: str = ""
    confidence: float = 1.0


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
