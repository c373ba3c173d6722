"""Which sections are stale, and why: derived from versions, never stored.

A section is stale when a direct upstream has another version than the one that it rests on, or when that
upstream is stale itself. A regeneration that gives the same text makes no version, and so nothing stale.
"""

from __future__ import annotations

from collections.abc import Mapping

from stemma_contracts.v1.values import StaleMark, StaleReason

from .state import Document, Section, State

Staleness = Mapping[str, tuple[StaleReason, ...]]


def staleness(document: Document) -> Staleness:
    """The reasons of every stale section."""
    found: dict[str, tuple[StaleReason, ...]] = {}
    for name in document.sections:
        _visit(document, name, found)
    return {name: reasons for name, reasons in found.items() if reasons}


def stale_changes(before: State, after: State) -> dict[str, tuple[StaleMark, ...] | tuple[str, ...]]:
    """The fields of an event that say which sections became stale by it, and which are not any more."""
    was = staleness(before) if isinstance(before, Document) else {}
    now = staleness(after) if isinstance(after, Document) else {}
    makes = tuple(StaleMark(section_id=name, reasons=reasons) for name, reasons in now.items() if name not in was)
    return {"makes_stale": makes, "clears_stale": tuple(name for name in was if name not in now)}


def _visit(document: Document, name: str, found: dict[str, tuple[StaleReason, ...]]) -> tuple[StaleReason, ...]:
    if name not in found:
        section = document.sections[name]
        stale = {up for up in section.plan.depends_on if _visit(document, up, found)}
        found[name] = _reasons(document, section, stale)
    return found[name]


def _reasons(document: Document, section: Section, stale: set[str]) -> tuple[StaleReason, ...]:
    if section.current is None:
        return ()
    accepted = {upstream.section_id: upstream.version for upstream in section.current.upstream}
    reasons = (
        StaleReason(
            upstream_section_id=name,
            accepted_version=accepted.get(name, 0),
            current_version=document.sections[name].current_number,
            upstream_stale=name in stale,
        )
        for name in section.plan.depends_on
    )
    return tuple(r for r in reasons if r.upstream_stale or r.accepted_version != r.current_version)
