"""When a section is written: once all that it rests on is settled, and again when a person retries it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.section import SectionStatus
from stemma_document.inputs import lacks_form
from stemma_document.staleness import Staleness
from stemma_document.state import AwaitingReview, Document, Failed, Section, Working, status_of

from stemma_orchestrator.core.commands import SectionCommand, by_status

_SETTLED = frozenset({SectionStatus.APPROVED, SectionStatus.EDITED})


@dataclass(frozen=True)
class Retry(SectionCommand):
    request = requests.RetrySection


def decide(command: Retry, document: Document) -> Sequence[e.AnyEvent]:
    """A failed section is tried again, one whose job never comes to an end, and a check that did not find all out."""
    section = document.sections[command.section_id]
    if not isinstance(section.phase, Failed | Working) and not _is_unchecked(section):
        return [by_status(command, section)]
    return [e.SectionRetried(**command.asked, section_id=command.section_id)]


def _is_unchecked(section: Section) -> bool:
    """Whether a draft waits for its reviewer without a check of all of it."""
    validation = section.current.validation if section.current else None
    return isinstance(section.phase, AwaitingReview) and validation is not None and not validation.complete


def is_met(document: Document, section: Section, stale: Staleness) -> bool:
    """Whether every direct upstream is settled and not stale."""
    return not held_up_by(document, section, stale)


def held_up_by(document: Document, section: Section, stale: Staleness) -> tuple[str, ...]:
    """The direct upstreams that have to be settled before the section is written."""
    upstreams = section.plan.depends_on
    return tuple(name for name in upstreams if name in stale or not _is_settled(document.sections[name]))


def all_settled(document: Document) -> bool:
    """Whether a person or a policy has settled the current version of every section that is needed."""
    return all(_is_settled(section) or lacks_form(document, section) for section in document.sections.values())


def _is_settled(section: Section) -> bool:
    return status_of(section.phase) in _SETTLED
