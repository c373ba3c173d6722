"""The sections of an outline that a request gives; what it does not say comes from the blueprint."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.review import ReviewPolicy
from stemma_contracts.v1.section import SectionPlan

from .planning import SECTION_GRAPH, Blueprint, BlueprintSection, DependencyMap, plan_section, title_key

DEFAULT_KIND = "default"
MAX_OUTLINE_BYTES = 64 * 1024
"""What titles and purposes of an outline may take up together: every job of the document carries them."""
MAX_PURPOSE = 500
"""Characters of a purpose that every other section is told; the section itself is told all."""
BRIEF = "project_brief"

_OTHER = re.compile(r"[^a-z0-9]+")


class InvalidOutline(ValueError):
    """An outline that cannot be followed; the problems name its fields."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems)
        self.problems = tuple(problems)


def plan_outline(
    blueprint: Blueprint,
    dependencies: DependencyMap,
    outline: Sequence[OutlineSection],
    review: ReviewPolicy | None = None,
    aliases: Mapping[str, str] | None = None,
) -> tuple[SectionPlan, ...]:
    """The sections of an outline in its order. ``aliases`` are further titles of the blueprint's sections.

    Raises `InvalidOutline` for ids that are unknown or stand there twice, sections without a title, dependencies that
    form a cycle, and more text than an event should carry.
    """
    ids_by_title = {**(aliases or {}), **{title_key(section.title): section.id for section in blueprint.sections}}
    ids_by_title = {**_gathering(blueprint, outline, ids_by_title), **ids_by_title}
    names = _names(outline, ids_by_title)
    known = {section.id: section for section in blueprint.sections}
    outline = _with_ids(names, outline, ids_by_title)
    rests_on = _rests_on(names, outline, dependencies)
    if problems := [*_problems(names, outline, known), *_problems_of_dependencies(names, outline)]:
        raise InvalidOutline(problems)
    if problems := [*_cycle(names, rests_on), *_unordered_review(blueprint, names, rests_on)]:
        raise InvalidOutline(problems)
    return tuple(
        _plan(blueprint, known, name, section, rests_on[name], review)
        for name, section in zip(names, outline, strict=True)
    )


def _gathering(
    blueprint: Blueprint, outline: Sequence[OutlineSection], ids_by_title: Mapping[str, str]
) -> dict[str, str]:
    """By the titles that the blueprint does not have the sections that collect just the same, each for one of them."""
    named, found = {*_names(outline, ids_by_title)}, dict[str, str]()
    gathers = (one for one in reversed(blueprint.sections) if one.collects and one.id not in named)
    free = {frozenset(one.collects): one.id for one in gathers}
    for one in outline:
        title, kinds = title_key(one.title), frozenset(one.collects)
        if one.section_id is None and title not in ids_by_title and kinds in free:
            found[title] = free.pop(kinds)
    return found


def derived_id(title: str, number: int) -> str:
    """An id made of a title; of the number of its section if the title has no Latin letters."""
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    return _OTHER.sub("_", plain).strip("_")[:64].strip("_") or f"section_{number}"


def _names(outline: Sequence[OutlineSection], ids_by_title: Mapping[str, str]) -> list[str]:
    """The ids of the sections; of two titles that would give the same id, the second has its number behind that."""
    names, titles = list[str](), dict[str, str]()
    for number, section in enumerate(outline, start=1):
        title = title_key(section.title)
        known = section.section_id or ids_by_title.get(title)
        name = known or derived_id(section.title, number)
        if not known and titles.get(name, title) != title:
            name = f"{name[:60]}_{number}"
        titles.setdefault(name, title)
        names.append(name)
    return names


def _with_ids(
    names: Sequence[str], outline: Sequence[OutlineSection], ids_by_title: Mapping[str, str]
) -> tuple[OutlineSection, ...]:
    """The outline with ids in place of the titles that its dependencies name; a title of two sections names neither."""
    titles = [title_key(section.title) for section in outline]
    counts = Counter(titles)
    own = {title: name for name, title in zip(names, titles, strict=True) if counts[title] == 1}
    ids = {**ids_by_title, **own, **{title_key(name): name for name in names}}

    def with_ids(section: OutlineSection) -> OutlineSection:
        upstreams = tuple(ids.get(title_key(name), name) for name in section.depends_on or ())
        return section.model_copy(update={"depends_on": upstreams})

    return tuple(section if section.depends_on is None else with_ids(section) for section in outline)


def _problems(
    names: Sequence[str], outline: Sequence[OutlineSection], known: Mapping[str, BlueprintSection]
) -> Iterator[Problem]:
    size, seen = 0, set[str]()
    for i, (name, section) in enumerate(zip(names, outline, strict=True)):
        field = f"outline.{i}.{'title' if section.section_id is None else 'section_id'}"
        if name in seen:
            yield Problem.of("outline_section_twice", field, section_id=name)
        seen.add(name)
        if not section.title.strip() and name not in known:
            yield Problem.of("outline_title_needed", f"outline.{i}.title", section_id=name)
        size += len(section.title.encode()) + len(section.purpose.encode())
        if size > MAX_OUTLINE_BYTES:
            yield Problem.of("outline_too_large", f"outline.{i}.purpose", size=size, max_size=MAX_OUTLINE_BYTES)
            return


def _problems_of_dependencies(names: Sequence[str], outline: Sequence[OutlineSection]) -> Iterator[Problem]:
    known = frozenset(names)
    for i, (name, section) in enumerate(zip(names, outline, strict=True)):
        seen = set[str]()
        for k, upstream in enumerate(section.depends_on or ()):
            field = f"outline.{i}.depends_on.{k}"
            if upstream == name:
                yield Problem.of("outline_own_upstream", field, section_id=name)
            elif upstream not in known:
                there = ", ".join(names)[:200]
                yield Problem.of("outline_upstream_unknown", field, upstream=upstream[:64], known=there)
            elif upstream in seen:
                yield Problem.of("outline_upstream_twice", field, section_id=name, upstream=upstream)
            seen.add(upstream)


def _rests_on(
    names: Sequence[str], outline: Sequence[OutlineSection], dependencies: DependencyMap
) -> dict[str, tuple[str, ...]]:
    known = frozenset(names)
    return {
        name: _inherited(name, known, dependencies) if section.depends_on is None else section.depends_on
        for name, section in zip(names, outline, strict=True)
    }


def _inherited(name: str, names: Collection[str], dependencies: DependencyMap) -> tuple[str, ...]:
    """What a section rests on by the blueprint; through a section that the outline leaves out, what that rests on."""
    found: dict[str, None] = {}
    pending, seen = list(dependencies.get(name, ())), {name}
    while pending:
        upstream = pending.pop(0)
        if upstream in seen:
            continue
        seen.add(upstream)
        if upstream in names:
            found[upstream] = None
        else:
            pending = [*dependencies.get(upstream, ()), *pending]
    return tuple(found)


def _cycle(names: Sequence[str], rests_on: DependencyMap) -> Iterator[Problem]:
    try:
        TopologicalSorter(rests_on).prepare()
    except CycleError as cycle:
        path = list(reversed(cycle.args[1]))
        field = f"outline.{min(names.index(name) for name in path)}.depends_on"
        yield Problem.of("outline_cycle", field, path=" -> ".join(path))


def _unordered_review(blueprint: Blueprint, names: Sequence[str], rests_on: DependencyMap) -> Iterator[Problem]:
    """Cycles of review need their two sections in order, if the outline has both."""
    cycle = blueprint.cycle
    if cycle is None or cycle.final_section not in names or cycle.review_section not in names:
        return
    if cycle.review_section not in rests_on[cycle.final_section]:
        field = f"outline.{names.index(cycle.final_section)}.depends_on"
        about = {"final_section": cycle.final_section, "review_section": cycle.review_section}
        yield Problem.of("outline_review_order", field, **about)


def _plan(
    blueprint: Blueprint,
    known: Mapping[str, BlueprintSection],
    name: str,
    section: OutlineSection,
    upstreams: tuple[str, ...],
    review: ReviewPolicy | None,
) -> SectionPlan:
    base = known.get(name) or BlueprintSection(id=name, title=section.title, kind=DEFAULT_KIND, purpose=section.title)
    plan = plan_section(blueprint, base, {name: upstreams}, review)
    changes: dict[str, object] = {
        "max_words": section.max_words,
        "max_pages": section.max_pages,
        "requires": tuple(required for required in plan.requires if required == BRIEF or required in upstreams),
    }
    if section.title.strip():
        changes["title"] = " ".join(section.title.split())
    if section.kind is not None and section.kind != plan.kind:
        changes |= {"kind": section.kind, "graph": _graph_of(blueprint, section.kind)}
    if section.collects:
        changes["collects"] = tuple(dict.fromkeys(section.collects))
    if section.purpose.strip():
        changes |= _purpose(section.purpose.strip())
    return plan.model_copy(update=changes)


def _graph_of(blueprint: Blueprint, kind: str) -> str:
    """The graph that writes sections of a kind in this blueprint; the common one if it has none of it."""
    of_kind = (section.graph for section in blueprint.sections if section.kind == kind)
    return next(of_kind, SECTION_GRAPH)


def _purpose(text: str) -> dict[str, str]:
    """A long purpose is told the section as instructions; the others are told how it begins."""
    if len(text) <= MAX_PURPOSE:
        return {"purpose": text, "instructions": ""}
    begin = text[: MAX_PURPOSE - 1]
    return {"purpose": f"{begin.rsplit(None, 1)[0]}\u2026", "instructions": text}
