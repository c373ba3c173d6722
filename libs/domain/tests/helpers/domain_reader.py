"""Somebody who reads a document from its log, and what that reader and the orchestrator's decisions rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from stemma_client.reading import Reading
from stemma_client.recorded import RecordedEvent
from stemma_contracts import envelope_for, registry, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.views import DocumentView, SectionView, VersionView
from stemma_domain.features.inputs.material import given_files
from stemma_domain.features.proposals import Proposal, Proposed
from stemma_domain.staleness import NOT_STALE, Because, staleness
from stemma_domain.state import AwaitingAnswer, Document, NeedDispatched, Section, Version, activity_of, status_of
from stemma_domain.texts import is_a_persons
from stemma_domain.view import summarise

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ABOUT = ("default", "doc1")


@dataclass
class Reader:
    """Folds what it reads, as it was encoded."""

    reading: Reading = field(default_factory=lambda: Reading(ABOUT[1]))

    def reads(self, events: Sequence[e.AnyEvent]) -> None:
        for event in events:
            self.reading = self.reading.after(_recorded(event, self.reading.last_sequence + 1))

    def seen(self) -> dict[str, Any]:
        """What it knows."""
        view = self.reading.view
        sections = {name: _seen(section) for name, section in view.sections.items()}
        return {**_of_document(view), "cycle": view.cycle, "sections": sections}


def known(document: Document) -> dict[str, Any]:
    """What the orchestrator decides on, in the same words."""
    stale = staleness(document)
    sections = {name: _known(section, stale.get(name, NOT_STALE)) for name, section in document.sections.items()}
    return {**_of_document(document), "cycle": summarise(document, 0).cycle, "sections": sections}


def _recorded(event: e.AnyEvent, number: int) -> RecordedEvent:
    entry, (tenant, document_id) = registry.entry_of(event), ABOUT
    name, about = f"{document_id}-{number}", f"{tenant}/{document_id}"
    envelope = envelope_for(entry, id=name, source="orchestrator", subject=about, time=NOON, sequence=number)
    body = registry.encode(event)
    subject = subjects.event(tenant, document_id, entry.token)
    return RecordedEvent(envelope, registry.decode(entry.ce_type, body), number, subject, body, pending=0)


def _of_document(told: DocumentView | Document) -> dict[str, Any]:
    return {
        "status": told.status,
        "kind": told.kind,
        "inputs": told.inputs if isinstance(told, DocumentView) else given_files(told),
        "exports": set(told.exports),
        "usage": told.usage,
    }


def _seen(section: SectionView) -> dict[str, Any]:
    proposal = section.proposal
    return {
        "status": section.status,
        "activity": section.activity,
        "stale": Because(section.stale_reasons, section.stale_inputs, section.stale_requirements)
        if section.stale
        else NOT_STALE,
        "need": section.need,
        "checks": section.checks,
        "proposal": proposal and (proposal.proposal_id, proposal.version, proposal.draft, proposal.checking),
        "versions": [_version_seen(version) for version in section.versions],
    }


def _known(section: Section, stale: Because) -> dict[str, Any]:
    phase = section.phase
    return {
        "status": status_of(phase),
        "activity": activity_of(phase),
        "stale": stale,
        "need": phase.need if isinstance(phase, AwaitingAnswer | NeedDispatched) else None,
        "checks": tuple(sorted(section.checks.values())),
        "proposal": section.proposal and _proposal_known(section.proposal),
        "versions": [_version_known(version) for version in section.versions],
    }


def _proposal_known(proposal: Proposal) -> tuple[Any, ...]:
    about = proposal.proposal_id, proposal.version
    return (
        (*about, proposal.draft, proposal.check is not None)
        if isinstance(proposal, Proposed)
        else (*about, None, False)
    )


def _version_seen(version: VersionView) -> tuple[Any, ...]:
    findings = version.evaluation, version.validation
    return (version.number, version.draft, version.origin, version.is_a_persons, version.rests_on, *findings)


def _version_known(version: Version) -> tuple[Any, ...]:
    findings = version.evaluation, version.validation
    return (version.number, version.draft, version.origin, is_a_persons(version), version.upstream, *findings)
