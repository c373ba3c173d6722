"""Which sections are stale, and why: derived, never stored. Digests decide, versions tell.

A section is stale when a direct upstream has another text than the one that it rests on, or when that upstream is
stale itself and nobody kept the section against just that text of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from stemma_contracts.v1.values import SectionPlan, StaleMark, StaleReason, UpstreamVersion

from .state import Document, Section, State, Version
from .versions import text_of

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
    accepted = {upstream.section_id: upstream for upstream in current.upstream}
    reasons = (
        _reason(
            accepted.get(name, UpstreamVersion(section_id=name, version=0)),
            document.sections[name],
            bool(_visit(document, name, found)),
        )
        for name in plan.depends_on
    )
    return tuple(reason for reason in reasons if reason is not None)


def _reason(accepted: UpstreamVersion, upstream: Section, stale: bool) -> StaleReason | None:
    same = text_of(upstream, accepted.version) == text_of(upstream, upstream.current_number)
    if same and (accepted.stale or not stale):
        return None
    return StaleReason(
        upstream_section_id=accepted.section_id,
        accepted_version=upstream.current_number if same else accepted.version,
        current_version=upstream.current_number,
        upstream_stale=stale,
    )
