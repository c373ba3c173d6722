"""What the dependency map says about a document: who rests on whom, and what waits for what."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from graphlib import TopologicalSorter

from stemma_contracts.v1.section import SETTLED, SectionStatus
from stemma_contracts.v1.views import DocumentView, SectionView


def waiting_for(view: DocumentView, section_id: str) -> frozenset[str]:
    """The sections that cannot go on before this one is decided, directly or through others."""
    below = defaultdict[str, list[str]](list)
    for section in filter(_is_held_up, view.sections.values()):
        for upstream in section.depends_on:
            below[upstream].append(section.section_id)
    found, todo = set[str](), [section_id]
    while todo:
        behind = set(below[todo.pop()]) - found
        found |= behind
        todo += behind
    return frozenset(found)


def held_up_by(view: DocumentView, section_id: str) -> tuple[SectionView, ...]:
    """The sections that have to be settled, and not stale, before a queued one is written."""
    section = view.sections[section_id]
    if section.status is not SectionStatus.QUEUED:
        return ()
    statuses = {one.section_id: one.status for one in view.sections.values()}
    stale = {one.section_id for one in view.sections.values() if one.stale}
    return tuple(view.sections[name] for name in unsettled(section.depends_on, statuses, stale))


def unsettled(
    names: Iterable[str], statuses: Mapping[str, SectionStatus], stale: Container[str] = ()
) -> tuple[str, ...]:
    """Those of the sections that no person and no policy has settled, or that are stale since."""
    return tuple(name for name in names if name in stale or statuses[name] not in SETTLED)


def _is_held_up(section: SectionView) -> bool:
    return section.status is SectionStatus.QUEUED or section.stale is not None


def in_order(view: DocumentView) -> Iterator[tuple[SectionView, int]]:
    """Every section once with its depth, each below the deepest of those that it rests on."""
    parents, children = _parents(view), defaultdict[str | None, list[SectionView]](list)
    for section in view.sections.values():
        children[parents[section.section_id]].append(section)
    todo = [(section, 0) for section in reversed(children[None])]
    while todo:
        section, depth = todo.pop()
        yield section, depth
        todo += [(child, depth + 1) for child in reversed(children[section.section_id])]


def _parents(view: DocumentView) -> dict[str, str | None]:
    depths: dict[str, int] = {}
    parents: dict[str, str | None] = {}
    for name in TopologicalSorter({s.section_id: s.depends_on for s in view.sections.values()}).static_order():
        deepest = max(reversed(view.sections[name].depends_on), key=depths.__getitem__, default=None)
        parents[name] = deepest
        depths[name] = 0 if deepest is None else depths[deepest] + 1
    return parents
