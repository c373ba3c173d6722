"""Which sections a document requires, on what each rests, and what it is called in another language."""

from collections.abc import Mapping, Sequence, Set
from graphlib import CycleError, TopologicalSorter
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from stemma_contracts.base import filled_from
from stemma_contracts.media import MEDIA_TYPE_PATTERN
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.cycles import CyclePlan
from stemma_contracts.v1.review import ReviewEdits, ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import Collected, SectionPlan

SECTION_GRAPH = "section"
"""The graph that writes a section by itself."""
QUOTING_GRAPHS = frozenset({SECTION_GRAPH, "roles", "formatter"})
"""Graphs that can do without what their model wrote."""
DependencyMap = Mapping[str, Sequence[str]]
MediaType = Annotated[str, StringConstraints(pattern=MEDIA_TYPE_PATTERN)]


class BlueprintSection(BaseModel):
    """One section of a document kind. An optional section is written only when a request names it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Token
    title: str = Field(min_length=1, max_length=200)
    kind: Token
    purpose: str = Field(min_length=1, max_length=500)
    graph: Token = SECTION_GRAPH
    required: bool = True
    required_headings: tuple[str, ...] = ()
    collects: tuple[Collected, ...] = Field(default=(), description="what it gathers from the inputs")
    covers_inputs: bool = Field(default=False, description="its text holds all that the inputs say")
    review: ReviewPolicy | None = None
    max_lint_rounds: int | None = Field(default=None, ge=0, le=10)
    max_revisions: int | None = Field(default=None, ge=0, le=100)
    review_edits: ReviewEdits | None = None
    agent: str = Field(default="", max_length=64, description="what its author is called")
    requires: tuple[Token, ...] = Field(default=(), description="upstream sections that must hold a text")
    needs_input: tuple[MediaType, ...] = Field(default=(), description="media types, one of which an input must have")


class Blueprint(BaseModel):
    """A document kind as data: its sections in reading order, and what holds for all of them.

    ``dependencies`` may stand here, if ``dependencies.json`` has none of the kind.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Token
    title: str = Field(min_length=1, max_length=200)
    language: str = Field(default="en", pattern=r"^[a-z]{2,3}$", description="what titles and headings are written in")
    description: str = Field(default="", max_length=500)
    review: ReviewPolicy = ReviewPolicy()
    max_lint_rounds: int = Field(default=3, ge=0, le=10)
    max_unsupported: int | None = Field(default=10, ge=0, description="claims and sentences; then inputs are quoted")
    max_revisions: int = Field(default=10, ge=0, le=100)
    review_edits: ReviewEdits = "human"
    dependencies: dict[Token, tuple[Token, ...]] | None = None
    cycle: CyclePlan | None = None
    budget: Budget | None = Field(default=None, description="what model calls for a document may come to")
    sections: tuple[BlueprintSection, ...] = Field(min_length=1, max_length=200)


def title_key(title: str) -> str:
    """A title as titles are compared: without case and without spaces that do not matter."""
    return " ".join(title.split()).casefold()


class InvalidPlan(ValueError):
    """A dependency map that cannot be followed; the message names the section, or the path of a cycle."""


def check_dependencies(section_ids: Sequence[str], dependencies: DependencyMap) -> None:
    """Raise `InvalidPlan` for unknown ids, duplicates, self-reference and cycles."""
    known = set(section_ids)
    if len(known) != len(section_ids):
        doubled = next(name for name in section_ids if section_ids.count(name) > 1)
        raise InvalidPlan(f"section {doubled!r} stands there twice")
    for name, upstreams in dependencies.items():
        _check_entry(name, upstreams, known)
    try:
        TopologicalSorter(dependencies).prepare()
    except CycleError as cycle:
        path = " -> ".join(reversed(cycle.args[1]))
        raise InvalidPlan(f"the dependencies form a cycle: {path}") from None


def _check_entry(name: str, upstreams: Sequence[str], known: set[str]) -> None:
    unknown = [upstream for upstream in (name, *upstreams) if upstream not in known]
    if unknown:
        raise InvalidPlan(f"{name!r} names the section {unknown[0]!r}, which the blueprint does not have")
    if name in upstreams:
        raise InvalidPlan(f"{name!r} depends on itself")
    doubled = [upstream for upstream in upstreams if list(upstreams).count(upstream) > 1]
    if doubled:
        raise InvalidPlan(f"{name!r} names {doubled[0]!r} twice")


def plan_sections(
    blueprint: Blueprint,
    dependencies: DependencyMap,
    wanted: Sequence[str] | None = None,
    review: ReviewPolicy | None = None,
) -> tuple[SectionPlan, ...]:
    """The sections that a request and a blueprint require, in reading order.

    A section that another rests on is always written; ``review`` overrides every policy.
    """
    chosen = _required(blueprint, dependencies, wanted)
    return tuple(
        plan_section(blueprint, section, dependencies, review) for section in blueprint.sections if section.id in chosen
    )


def unknown_sections(blueprint: Blueprint, wanted: Sequence[str] | None) -> list[Problem]:
    """What is wrong with the sections that a request names."""
    known = sorted(section.id for section in blueprint.sections)
    return [
        Problem.of(
            "kind_section_unknown", f"sections.{i}", kind=blueprint.kind, section_id=name[:64], known=", ".join(known)
        )
        for i, name in enumerate(wanted or ())
        if name not in known
    ]


def missing_inputs(blueprint: Blueprint, sections: Sequence[SectionPlan], given: Set[str]) -> list[Problem]:
    """What sections are written from, and no input has the media type of."""
    chosen = {section.section_id for section in sections}
    return [
        Problem.of("inputs_needed", "inputs", section_id=section.id, media_types=", ".join(section.needs_input))
        for section in blueprint.sections
        if section.id in chosen and section.needs_input and given.isdisjoint(section.needs_input)
    ]


def _required(blueprint: Blueprint, dependencies: DependencyMap, wanted: Sequence[str] | None) -> set[str]:
    pending = list(wanted) if wanted is not None else [s.id for s in blueprint.sections if s.required]
    chosen: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in chosen:
            chosen.add(name)
            pending.extend(dependencies.get(name, ()))
    return chosen


def plan_section(
    blueprint: Blueprint, section: BlueprintSection, dependencies: DependencyMap, review: ReviewPolicy | None
) -> SectionPlan:
    """One section as a document gets it, with what it rests on."""
    rounds = section.max_lint_rounds
    revisions = section.max_revisions
    return filled_from(
        SectionPlan,
        section,
        section_id=section.id,
        depends_on=tuple(dependencies.get(section.id, ())),
        review=_policy(blueprint, section, review),
        max_lint_rounds=blueprint.max_lint_rounds if rounds is None else rounds,
        max_unsupported=blueprint.max_unsupported,
        max_revisions=blueprint.max_revisions if revisions is None else revisions,
        review_edits=section.review_edits or blueprint.review_edits,
    )


def _policy(blueprint: Blueprint, section: BlueprintSection, wanted: ReviewPolicy | None) -> ReviewPolicy:
    """Whatever a request asks for, a person approves the end of a document that is reviewed in cycles.

    Nor does a request do with fewer people than the kind of document wants.
    """
    usual = section.review or blueprint.review
    policy = usual if wanted is None or wanted.approvals < usual.approvals else wanted
    is_end = blueprint.cycle is not None and section.id == blueprint.cycle.final_section
    return ReviewPolicy(mode=ReviewMode.HUMAN) if is_end and policy.mode is not ReviewMode.HUMAN else policy


def planned_cycle(blueprint: Blueprint, sections: Sequence[SectionPlan]) -> CyclePlan | None:
    """The cycles of a document with these sections; none if the review or the final section is not wanted."""
    cycle, names = blueprint.cycle, {section.section_id for section in sections}
    return cycle if cycle is not None and {cycle.review_section, cycle.final_section} <= names else None


def check_cycle(blueprint: Blueprint, dependencies: DependencyMap) -> None:
    """Raise `InvalidPlan` for cycles of review whose sections are not there, or not in their order."""
    cycle = blueprint.cycle
    if cycle is None:
        return
    names = {section.id for section in blueprint.sections}
    for name in (cycle.review_section, cycle.final_section):
        if name not in names:
            raise InvalidPlan(f"cycle names the section {name!r}, which the blueprint does not have")
    if cycle.review_section not in dependencies.get(cycle.final_section, ()):
        raise InvalidPlan(f"cycle: {cycle.final_section!r} must depend on {cycle.review_section!r}")


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
