"""The outline of a document as a request gives it: its sections, and what each may say at most."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, StrictInt, StringConstraints, model_validator

from stemma_contracts.base import Contract, invalid_field
from stemma_contracts.shown import check_shown
from stemma_contracts.tokens import FileName, Token

from .section import Collected

MAX_TITLE = 200
MOST_SECTIONS = 500


def _name(value: str) -> str:
    if not 0 < len(value.strip()) <= MAX_TITLE:
        raise ValueError(f"it must be the id or the title of a section, of at most {MAX_TITLE} characters")
    return value


SectionName = Annotated[str, AfterValidator(_name)]
"""How an outline names one of its sections: by its id or by its title."""


class OutlineSection(Contract):
    """One section that a request asks for; what it does not say comes from the blueprint's section of that id.

    Without ``section_id`` it is the blueprint's section of that title, else the one that collects just the same, else
    an id is made of the title. ``kind`` names prompt and criteria, ``default`` where the blueprint has no such section.
    ``depends_on`` names sections of the same outline by id or title; where both fit, the id counts.
    ``max_pages`` are pages of the exported document. Raises `pydantic.ValidationError` if it has neither id nor title.
    """

    section_id: Token | None = None
    title: Annotated[str, AfterValidator(check_shown)] = Field(default="", max_length=MAX_TITLE)
    purpose: str = Field(default="", max_length=4_000, description="what it says")
    depends_on: tuple[SectionName, ...] | None = Field(
        default=None, max_length=MOST_SECTIONS, description="upstream sections, by id or title"
    )
    max_words: StrictInt | None = Field(default=None, ge=1, le=1_000_000)
    max_pages: StrictInt | None = Field(default=None, ge=1, le=10_000)
    kind: Token | None = None
    collects: tuple[Collected, ...] = ()

    @model_validator(mode="after")
    def _is_named(self) -> OutlineSection:
        if self.section_id is None and not self.title.strip():
            raise invalid_field("give a title, or the id of a section of the blueprint", "title")
        return self


class AskedChapters(Contract):
    """The chapters that a request demands, in its order."""

    source: FileName = Field(description="the input that names them")
    sections: tuple[OutlineSection, ...] = Field(min_length=1, max_length=MOST_SECTIONS)


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
