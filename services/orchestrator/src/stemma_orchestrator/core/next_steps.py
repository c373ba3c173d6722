"""What follows from a state for the whole document: who may start, and whether it is at its end."""

from __future__ import annotations

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.section import SectionStatus
from stemma_document.staleness import Staleness
from stemma_document.state import Document, Failed, Lifecycle, Queued, Section, State, status_of

from .cycles import is_ended

_SETTLED = frozenset({SectionStatus.APPROVED, SectionStatus.EDITED})
_AT_REST = frozenset({SectionStatus.QUEUED, SectionStatus.FAILED}) | _SETTLED


def next_steps(state: State, stale: Staleness) -> tuple[tuple[str, ...], list[e.AnyEvent]]:
    """The sections to start now, and the event that ends the document if nothing can go on."""
    if not isinstance(state, Document) or state.lifecycle is not Lifecycle.RUNNING:
        return (), []
    starts = tuple(name for name, section in state.sections.items() if _may_start(state, section, stale))
    if starts:
        return starts, []
    return (), [] if stale else _end(state)


def _end(document: Document) -> list[e.AnyEvent]:
    if all(is_settled(section) for section in document.sections.values()) and is_ended(document):
        return [e.DocumentCompleted()]
    failed = tuple(name for name, section in document.sections.items() if isinstance(section.phase, Failed))
    if failed and all(status_of(section.phase) in _AT_REST for section in document.sections.values()):
        return [e.DocumentFailed(failed_sections=failed)]
    return []


def is_settled(section: Section) -> bool:
    """Whether a person or a policy has settled the current version."""
    return status_of(section.phase) in _SETTLED


def _may_start(document: Document, section: Section, stale: Staleness) -> bool:
    """A section is met when every direct upstream is settled and not stale."""
    return isinstance(section.phase, Queued) and all(
        is_settled(document.sections[name]) and name not in stale for name in section.plan.depends_on
    )
