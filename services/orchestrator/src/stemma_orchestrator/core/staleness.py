"""Which sections are stale, and why: derived from versions, never stored.

A section is stale when a direct upstream has another version than the one that it rests on, or when that
upstream is stale itself. A regeneration that gives the same text makes no version, and so nothing stale.
"""

from __future__ import annotations

from collections.abc import Mapping

from stemma_contracts.v1.values import SectionPlan, StaleMark, StaleReason

from .state import Document, State, Version

Staleness = Mapping[str, tuple[StaleReason, ...]]


def staleness(state: State) -> Staleness:
    """The reasons of every stale section."""
    if not isinstance(state, Document):
        return {}
    found: dict[str, tuple[StaleReason, ...]] = {}
    for name in state.sections:
        _visit(state, name, found)
    return {name: reasons for name, reasons in found.items() if reasons}


def stale_changes(was: Staleness, now: Staleness) -> dict[str, tuple[StaleMark, ...] | tuple[str, ...]]:
    """The fields of an event that say which sections became stale by it, and which are not any more."""
    makes = tuple(StaleMark(section_id=name, reasons=reasons) for name, reasons in now.items() if name not in was)
    return {"makes_stale": makes, "clears_stale": tuple(name for name in was if name not in now)}


def _visit(document: Document, name: str, found: dict[str, tuple[StaleReason, ...]]) -> tuple[StaleReason, ...]:
    if name not in found:
        section = document.sections[name]
        found[name] = _reasons(document, section.plan, section.current, found) if section.current else ()
    return found[name]


def _reasons(
    document: Document, plan: SectionPlan, current: Version, found: dict[str, tuple[StaleReason, ...]]
) -> tuple[StaleReason, ...]:
    stale = {name for name in plan.depends_on if _visit(document, name, found)}
    accepted = {upstream.section_id: upstream.version for upstream in current.upstream}
    return tuple(
        StaleReason(
            upstream_section_id=name,
            accepted_version=accepted.get(name, 0),
            current_version=document.sections[name].current_number,
            upstream_stale=name in stale,
        )
        for name in plan.depends_on
        if name in stale or accepted.get(name, 0) != document.sections[name].current_number
    )
