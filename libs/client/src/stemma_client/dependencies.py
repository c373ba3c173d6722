"""What the dependency map says about a document: who rests on whom, why something is stale, what waits for what."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import TopologicalSorter

from stemma_contracts.v1.values import SectionStatus, StaleReason, UpstreamVersion

from .views import DocumentView, SectionView

_Causes = dict[str, frozenset[str]]


def dependents(view: DocumentView, section_id: str) -> tuple[SectionView, ...]:
    """The sections that rest directly on a section."""
    return tuple(s for s in view.sections.values() if section_id in s.depends_on)


def stale_reasons(view: DocumentView, section: SectionView) -> tuple[StaleReason, ...]:
    """Why a section is stale now: every upstream that has another text than it rests on, or is stale itself.

    The event that made it stale names the reasons of that moment; more may have come since. An upstream that is
    stale is no reason if the section was kept against just that text of it, made stale by the same texts.
    """
    return _reasons(view, section, {})


def _reasons(view: DocumentView, section: SectionView, known: _Causes) -> tuple[StaleReason, ...]:
    """``known`` are the causes that were found before: a section is looked at once, however many rest on it."""
    if section.stale is None or section.current is None:
        return ()
    accepted = {up.section_id: up for up in section.current.rests_on}
    reasons = (
        _reason(view, accepted.get(name, UpstreamVersion(section_id=name, version=0)), known)
        for name in section.depends_on
    )
    return tuple(reason for reason in reasons if reason is not None)


def _reason(view: DocumentView, accepted: UpstreamVersion, known: _Causes) -> StaleReason | None:
    upstream = view.sections[accepted.section_id]
    same = _text_of(upstream, accepted.version) == _text_of(upstream, upstream.version)
    stale = upstream.stale is not None
    if same and (not stale or _was_kept_against(view, accepted, known)):
        return None
    return StaleReason(
        upstream_section_id=upstream.section_id,
        accepted_version=upstream.version if same else accepted.version,
        current_version=upstream.version,
        upstream_stale=stale,
    )


def _was_kept_against(view: DocumentView, accepted: UpstreamVersion, known: _Causes) -> bool:
    """Whether all that makes the upstream stale now did so when a person kept the section."""
    if not accepted.stale_because:
        return accepted.stale
    seen = {cause.section_id: cause.version for cause in accepted.stale_because}
    causes = (view.sections[name] for name in _causes(view, view.sections[accepted.section_id], known))
    return all(_text_of(cause, seen.get(cause.section_id, 0)) == _text_of(cause, cause.version) for cause in causes)


def _causes(view: DocumentView, section: SectionView, known: _Causes) -> frozenset[str]:
    """The changed sections that make a section stale, however far above."""
    if section.section_id not in known:
        found = set[str]()
        for reason in _reasons(view, section, known):
            found |= _causes(view, view.sections[reason.upstream_section_id], known)
            if reason.accepted_version != reason.current_version:
                found.add(reason.upstream_section_id)
        known[section.section_id] = frozenset(found)
    return known[section.section_id]


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
