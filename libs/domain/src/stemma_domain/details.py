"""The read model of each section: what a page about it shows, bounded however long its history is."""

from __future__ import annotations

from stemma_contracts.v1.details import ProposalEntry, SectionDetails, StaleState, VersionEntry
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.section import SectionStatus

from .staleness import NOT_STALE, Staleness
from .state import AwaitingAnswer, Document, Section, Version, status_of
from .view import section_view, version_view
from .views import ProposalView, SectionView

MOST_VERSIONS = 30
MOST_REFERENCES = 50


def is_in_motion(section: Section) -> bool:
    """Whether it is about to be written, or is being made: where it stands is told by its document until it rests."""
    made = status_of(section.phase) in (SectionStatus.QUEUED, SectionStatus.GENERATING)
    return made and not isinstance(section.phase, AwaitingAnswer)


def section_details(document: Document, name: str, stale: Staleness, last_sequence: int) -> SectionDetails:
    """The read model of a section as of a sequence of the log; ``stale`` is what `staleness` says of the document."""
    section = document.sections[name]
    plan, versions, told = section.plan, section.versions, section_view(section, stale.get(name, NOT_STALE))
    return SectionDetails(
        document_id=document.document_id,
        section_id=name,
        title=plan.title,
        kind=plan.kind,
        graph=plan.graph,
        purpose=plan.purpose,
        depends_on=plan.depends_on,
        covers_inputs=plan.covers_inputs,
        last_sequence=last_sequence,
        status=told.status,
        activity=told.activity,
        checks=tuple(sorted(told.checks)),
        lint_round=told.lint_round,
        version=told.version,
        versions=tuple(_entry(version) for version in versions[-MOST_VERSIONS:]),
        earlier_versions=max(0, len(versions) - MOST_VERSIONS),
        evaluation=told.evaluation,
        validation=told.validation,
        warnings=told.current.warnings if told.current else (),
        stale=_stale(told),
        need=_bounded(told.need) if told.need else None,
        more_references=max(0, len(told.need.references) - MOST_REFERENCES) if told.need else 0,
        proposal=_proposal(told.proposal) if told.proposal else None,
        asked_by=told.asked_by,
        refusal=told.refusal,
        failure=told.failure or "",
        missing=told.missing,
        waits_since=told.waits_since,
        open_threads=len(told.open_threads),
        assignee=told.assignment.assignee if told.assignment else "",
        due=told.assignment.due if told.assignment else None,
        assigned_by=told.assignment.by if told.assignment else "",
        assigned_at=told.assignment.at if told.assignment else None,
    )


def _entry(version: Version) -> VersionEntry:
    told = version_view(version)
    return VersionEntry(
        number=told.number,
        draft=told.draft,
        origin=told.origin,
        made_by=told.made_by,
        verified=told.verified,
        made_at=told.made_at,
        restored_version=told.restored_version,
        sequence=version.sequence,
    )


def _stale(told: SectionView) -> StaleState | None:
    if told.stale is None:
        return None
    mark = told.stale
    return StaleState(
        reasons=told.stale_reasons,
        since=mark.since,
        sequence=mark.sequence,
        cause=mark.cause,
        inputs=told.stale_inputs,
        requirements=told.stale_requirements,
    )


def _bounded(need: Need) -> Need:
    """A need without the images that only its service looks at, and with the first of many references."""
    return need.model_copy(update={"assets": (), "references": need.references[:MOST_REFERENCES]})


def _proposal(told: ProposalView) -> ProposalEntry:
    return ProposalEntry(
        proposal_id=told.proposal_id,
        version=told.version,
        asked_by=told.asked_by,
        verified=told.verified,
        asked_at=told.asked_at,
        made_at=told.made_at,
        draft=told.draft,
        summary=told.summary,
        base_digest=told.base_digest or None,
        checking=told.checking,
        validation=told.validation,
        unchecked=told.unchecked,
    )
