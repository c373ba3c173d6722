"""The outline of a document as a request gives it: its sections, and what each may say at most."""

from __future__ import annotations

from pydantic import Field, StrictInt, model_validator

from stemma_contracts.base import Contract, invalid_field
from stemma_contracts.tokens import Token


class OutlineSection(Contract):
    """One section that a request asks for; what it does not say comes from the blueprint's section of that id.

    Without ``section_id`` it is the blueprint's section of that title, else an id is made of the title. ``kind`` names
    prompt and criteria, ``default`` where the blueprint has no such section. ``depends_on`` names sections of the same
    outline. Raises `pydantic.ValidationError` if it has neither id nor title.
    """

    section_id: Token | None = None
    title: str = Field(default="", max_length=200)
    purpose: str = Field(default="", max_length=4_000, description="what the section is for and what it has to say")
    depends_on: tuple[Token, ...] | None = Field(default=None, max_length=100, description="direct upstream sections")
    max_words: StrictInt | None = Field(default=None, ge=1, le=1_000_000)
    max_pages: StrictInt | None = Field(default=None, ge=1, le=10_000, description="pages of the exported document")
    kind: Token | None = None

    @model_validator(mode="after")
    def _is_named(self) -> OutlineSection:
        if self.section_id is None and not self.title.strip():
            raise invalid_field("give a title, or the id of a section of the blueprint", "title")
        return self
