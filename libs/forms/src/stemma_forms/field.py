"""What a form asks for, and what it accepts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
