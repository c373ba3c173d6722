"""Which sections are stale, and why: derived, never stored. Digests decide, versions tell.

A section is stale when a direct upstream says otherwise what the section uses of it (any of it, where nobody knows what
that is), or when that upstream is stale itself and nobody kept the section against just that: that text of it, made
stale by the same texts. So it is when an input changed in what the section uses of it, and when a row of the ledger is
not any more as it was written for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from stemma_contracts.v1.staleness import (
    MOST_NAMED_MARKS,
    Because,
    ChangedUpstream,
    StaleMark,
    StaleReason,
    UpstreamVersion,
)

from .features.inputs.material import changed_inputs
from .features.ledger.answering import changed_requirements
from .resting import touched_marks
from .state import Document, Section, State
from .texts import text_of

Staleness = Mapping[str, Because]
NOT_STALE = Because()


@dataclass(frozen=True)
class _Standing:
    because: Because = NOT_STALE
    causes: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_stale(self) -> bool:
        return self.because is not NOT_STALE


def staleness(state: State) -> Staleness:
    """The reasons of every stale section."""
    if not isinstance(state, Document):
        return {}
    return {name: standing.because for name, standing in _standings(state).items() if standing.is_stale}


def stale_causes(document: Document) -> Mapping[str, tuple[ChangedUpstream, ...]]:
    """What made each stale section so: the changed sections, in their versions of now."""
    return {name: _changed(document, standing) for name, standing in _standings(document).items() if standing.is_stale}


def stale_changes(was: Staleness, now: Staleness) -> dict[str, tuple[StaleMark, ...] | tuple[str, ...]]:
    """The fields of an event that say which sections became stale by it, and which are not any more."""
    makes = tuple(StaleMark(section_id=name, **dict(because)) for name, because in now.items() if name not in was)
    return {"makes_stale": makes, "clears_stale": tuple(name for name in was if name not in now)}


def _changed(document: Document, standing: _Standing) -> tuple[ChangedUpstream, ...]:
    return tuple(
        ChangedUpstream(section_id=name, version=section.current_number)
        for name, section in document.sections.items()
        if name in standing.causes
    )


def _standings(document: Document) -> dict[str, _Standing]:
    found: dict[str, _Standing] = {}
    rests_on = {name: section.plan.depends_on for name, section in document.sections.items()}
    for name in TopologicalSorter(rests_on).static_order():
        found[name] = _standing(document, document.sections[name], found)
    return {name: found[name] for name in document.sections}


def _standing(document: Document, section: Section, found: Mapping[str, _Standing]) -> _Standing:
    if section.current is None:
        return _Standing()
    accepted = {upstream.section_id: upstream for upstream in section.current.rests_on}
    inputs, rows = changed_inputs(document, section), changed_requirements(document, section)
    reasons, causes = list[StaleReason](), {section.plan.section_id} if inputs or rows else set[str]()
    for name in section.plan.depends_on:
        above = found[name]
        reason = _reason(section, accepted.get(name) or UpstreamVersion(section_id=name, version=0), document, above)
        if reason is not None:
            reasons.append(reason)
            causes |= above.causes if reason.accepted_version == reason.current_version else above.causes | {name}
    if not (reasons or inputs or rows):
        return _Standing()
    return _Standing(Because(reasons=tuple(reasons), inputs=inputs, requirements=rows), frozenset(causes))


def _reason(section: Section, accepted: UpstreamVersion, document: Document, above: _Standing) -> StaleReason | None:
    upstream, stale = document.sections[accepted.section_id], above.is_stale
    marks = () if _same_text(upstream, accepted.version) else touched_marks(section, upstream, accepted.version)
    same = marks == ()
    if same and (not stale or _was_kept_against(accepted, document, above)):
        return None
    return StaleReason(
        upstream_section_id=accepted.section_id,
        accepted_version=upstream.current_number if same else accepted.version,
        current_version=upstream.current_number,
        upstream_stale=stale,
        marks=(marks or ())[:MOST_NAMED_MARKS],
    )


def _was_kept_against(accepted: UpstreamVersion, document: Document, above: _Standing) -> bool:
    """Whether all that makes the upstream stale now did so when a person kept the section."""
    if not accepted.stale_because:
        return accepted.stale
    known = {cause.section_id: cause.version for cause in accepted.stale_because}
    return all(_same_text(document.sections[name], known.get(name, 0)) for name in above.causes)


def _same_text(section: Section, number: int) -> bool:
    return number == section.current_number or text_of(section, number) == text_of(section, section.current_number)
