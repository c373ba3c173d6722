"""A blueprint in another language: its titles and headings, section by section."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field
from stemma_contracts.tokens import Token

from .planning import Blueprint, BlueprintSection, InvalidPlan


class SectionWording(BaseModel):
    """What one section is called, and its required headings in the order of the blueprint."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1, max_length=200)
    required_headings: tuple[str, ...] = ()


class Wording(BaseModel):
    """What a document kind is called in a language, and its sections."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1, max_length=200)
    sections: dict[Token, SectionWording]


def worded(blueprint: Blueprint, wording: Wording, language: str) -> Blueprint:
    """The blueprint in a language. Raises `InvalidPlan` for unknown ids, missing titles and missing headings."""
    known = {section.id for section in blueprint.sections}
    for name in wording.sections:
        if name not in known:
            raise InvalidPlan(f"sections.{name}: the blueprint has no such section")
    sections = tuple(_worded(section, wording) for section in blueprint.sections)
    return blueprint.model_copy(update={"title": wording.title, "language": language, "sections": sections})


def _worded(section: BlueprintSection, wording: Wording) -> BlueprintSection:
    words = wording.sections.get(section.id)
    if words is None:
        raise InvalidPlan(f"sections.{section.id}: the title is missing")
    given, wanted = len(words.required_headings), len(section.required_headings)
    if given != wanted:
        raise InvalidPlan(f"sections.{section.id}.required_headings: there are {given}, the blueprint has {wanted}")
    return section.model_copy(update=words.model_dump())
