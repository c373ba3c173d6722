"""What follows from a state for the whole document: who may start, and whether it is at its end."""

from __future__ import annotations

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.section import SectionStatus
from stemma_document.staleness import Staleness
from stemma_document.state import Document, Failed, Lifecycle, Queued, State, status_of

from .features import FEATURES

_AT_REST = frozenset({SectionStatus.QUEUED, SectionStatus.FAILED, SectionStatus.APPROVED, SectionStatus.EDITED})
_MAY_START = [feature.may_start for feature in FEATURES if feature.may_start]
_MAY_END = [feature.may_end for feature in FEATURES if feature.may_end]


def next_steps(state: State, stale: Staleness) -> tuple[tuple[str, ...], list[e.AnyEvent]]:
    """The sections to start now, and the event that ends the document if nothing can go on."""
    if not isinstance(state, Document) or state.lifecycle is not Lifecycle.RUNNING:
        return (), []
    starts = tuple(
        name
        for name, section in state.sections.items()
        if isinstance(section.phase, Queued) and all(may_start(state, section, stale) for may_start in _MAY_START)
    )
    if starts:
        return starts, []
    return (), [] if stale else _end(state)


def _end(document: Document) -> list[e.AnyEvent]:
    if all(may_end(document) for may_end in _MAY_END):
        return [e.DocumentCompleted()]
    failed = tuple(name for name, section in document.sections.items() if isinstance(section.phase, Failed))
    if failed and all(status_of(section.phase) in _AT_REST for section in document.sections.values()):
        return [e.DocumentFailed(failed_sections=failed)]
    return []
