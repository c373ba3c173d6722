"""What the dependency map says about a document: who rests on whom, why something is stale, what waits for what."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import TopologicalSorter

from stemma_contracts.v1.values import SectionStatus, StaleReason, UpstreamVersion

from .views import DocumentView, SectionView


def dependents(view: DocumentView, section_id: str) -> tuple[SectionView, ...]:
    """The sections that rest directly on a section."""
    return tuple(s for s in view.sections.values() if section_id in s.depends_on)


def stale_reasons(view: DocumentView, section: SectionView) -> tuple[StaleReason, ...]:
    """Why a section is stale now: every upstream that has another text than it rests on, or is stale itself.

    The event that made it stale names the reasons of that moment; more may have come since. An upstream that is
    stale is no reason if the section was kept against just that text of it.
    """
    if section.stale is None or section.current is None:
        return ()
    accepted = {up.section_id: up for up in section.current.rests_on}
    reasons = (
        _reason(accepted.get(name, UpstreamVersion(section_id=name, version=0)), view.sections[name])
        for name in section.depends_on
    )
    return tuple(reason for reason in reasons if reason is not None)


def _reason(accepted: UpstreamVersion, upstream: SectionView) -> StaleReason | None:
    same = _text_of(upstream, accepted.version) == _text_of(upstream, upstream.version)
    stale = upstream.stale is not None
    if same and (accepted.stale or not stale):
        return None
    return StaleReason(
        upstream_section_id=upstream.section_id,
        accepted_version=upstream.version if same else accepted.version,
        current_version=upstream.version,
        upstream_stale=stale,
    )


def _text_of(section: SectionView, number: int) -> str | None:
    return next((version.draft.digest for version in section.versions if version.number == number), None)


def waiting_for(view: DocumentView, section_id: str) -> frozenset[str]:
    """The sections that cannot go on before this one is decided, directly or through others."""
    found: dict[str, None] = {}
    todo = [section_id]
    while todo:
        behind = [s.section_id for s in dependents(view, todo.pop()) if _is_held_up(s) and s.section_id not in found]
        found.update(dict.fromkeys(behind))
        todo += behind
    return frozenset(found)


def _is_held_up(section: SectionView) -> bool:
    return section.status is SectionStatus.QUEUED or section.stale is not None


def in_order(view: DocumentView) -> Iterator[tuple[SectionView, int]]:
    """Every section once with its depth, each below the deepest of those that it rests on."""
    parents = _parents(view)

    def below(parent: str | None, depth: int) -> Iterator[tuple[SectionView, int]]:
        for section in view.sections.values():
            if parents[section.section_id] == parent:
                yield section, depth
                yield from below(section.section_id, depth + 1)

    return below(None, 0)


def _parents(view: DocumentView) -> dict[str, str | None]:
    depths: dict[str, int] = {}
    parents: dict[str, str | None] = {}
    for name in TopologicalSorter({s.section_id: s.depends_on for s in view.sections.values()}).static_order():
        deepest = max(reversed(view.sections[name].depends_on), key=depths.__getitem__, default=None)
        parents[name] = deepest
        depths[name] = 0 if deepest is None else depths[deepest] + 1
    return parents
