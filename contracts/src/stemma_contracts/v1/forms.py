"""The forms of a buyer: what they ask for, and the section whose text answers them."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Digest, Token

from .references import ArtifactRef

MOST_FIELDS = 1000
"""Of one form; of a longer one the first so many are told."""
MOST_REASONS = 50

Reason = Annotated[str, StringConstraints(max_length=300)]


class RowCell(Contract):
    """What stands in the row of a field, below the head of its column."""

    head: str = ""
    text: str


class FormField(Contract):
    """A place of a form that waits for an answer. Its id is made of what it asks, and stays through versions of it."""

    field_id: Token
    place: str = Field(description="a sheet and a cell, or a paragraph")
    group: str = Field(default="", description="the sheet, or the heading above")
    question: str = ""
    kind: Literal["text", "choice", "checkbox", "date", "number"] = "text"
    allowed: tuple[str, ...] = Field(default=(), description="the answers of a choice")
    suggested: tuple[str, ...] = Field(default=(), description="answers that the form offers beside free text")
    most: int | None = Field(default=None, ge=1, description="how long an answer may be")
    unit: Literal["words", "characters"] = Field(default="words", description="what ``most`` counts")
    current: str = Field(default="", description="what stands there now: a placeholder, or a default")
    confidence: float = Field(default=1.0, ge=0, le=1, description="how sure it is that somebody is to write there")
    column: str = Field(default="", description="the head of the column that it stands in")
    row: tuple[RowCell, ...] = Field(default=(), description="what its row says, such as an item and a quantity")


class FormFields(Contract):
    """The body of the artifact ``fields``, in the order of the form."""

    fields: tuple[FormField, ...] = ()


class FoundFields(Contract):
    """The fields that were found in a form: what they ask is in an artifact."""

    fields: ArtifactRef = Field(description="FormFields as JSON")
    field_ids: tuple[Token, ...] = Field(default=(), max_length=MOST_FIELDS)
    accepted_digest: Digest | None = Field(
        default=None, description="the same for forms whose fields accept the same answers"
    )


class AnsweredForm(Contract):
    """The form that a section answers, in the version whose fields a person confirmed."""

    input_id: Token
    version: int = Field(ge=1)
    fields: ArtifactRef = Field(description="FormFields as JSON")
    dropped: tuple[Token, ...] = Field(default=(), description="fields that nobody is to answer")
