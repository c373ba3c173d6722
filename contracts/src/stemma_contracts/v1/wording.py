"""What the sections of a document are called in a language."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from stemma_contracts.base import Contract
from stemma_contracts.tokens import Token

Title = Annotated[str, StringConstraints(max_length=200)]


class SectionTitles(Contract):
    """The title and the required headings of one section."""

    section_id: Token
    title: Title
    required_headings: tuple[str, ...] = ()


class PlanWording(Contract):
    """The titles and headings of a plan in one language."""

    language: str = Field(max_length=35, description="BCP 47 primary tag")
    sections: tuple[SectionTitles, ...]
