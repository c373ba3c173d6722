"""What a change of a document would lead to, before it is made."""

from typing import Literal

from pydantic import Field

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

from .usage import Usage

MOST_PLANNED = 100
"""Sections that a plan names of each kind; it counts the others."""

PlannedKind = Literal["write", "edit", "check"]


class PlannedWork(Contract):
    """Work of models on a section, and what it took before: in this document, else in others of its kind."""

    section_id: Token
    kind: PlannedKind
    usage: Usage | None = Field(default=None, description="absent: nobody knows")
    seconds: float | None = Field(default=None, ge=0, description="absent: nobody knows")


class Plan(Contract):
    """What a request would lead to, followed to its end: as if all that is made passed its checks and was approved.

    ``work`` is what models would do, in its order. ``stale`` sections would rest on something that changed, ``fresh``
    ones not any more; ``reviews`` are those that people would have to read again. Where a text is still to be made
    (``certain`` is false) all that rests on it counts as stale, whatever it will say.
    """

    sequence: int = Field(ge=0, description="the document as of this place in the log")
    work: tuple[PlannedWork, ...] = Field(default=(), max_length=MOST_PLANNED)
    stale: tuple[Token, ...] = Field(default=(), max_length=MOST_PLANNED)
    fresh: tuple[Token, ...] = Field(default=(), max_length=MOST_PLANNED)
    reviews: tuple[Token, ...] = Field(default=(), max_length=MOST_PLANNED)
    left_off: int = Field(default=0, ge=0, description="how much more there is than is named")
    certain: bool = False
    usage: Usage = Field(default=Usage(), description="of all the work of which it is known")
    unknown: int = Field(default=0, ge=0, description="pieces of work of which nobody knows what they take")
    seconds: float | None = Field(default=None, description="until all is made, without the time that people take")
