"""From the state of a document to the view of it: the same facts, in the public vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.section import Activity, SectionStatus

from .features.assignment import assignment_view
from .features.comments import thread_view
from .features.exports import export_view
from .features.forms import form_export_view
from .features.inputs.material import given_files, lacks_brief, lacks_form
from .features.inputs.view import input_views
from .features.ledger.view import ledger_view
from .features.proposals import proposal_view
from .staleness import NOT_STALE, Because, staleness
from .state import (
    AwaitingAnswer,
    Document,
    Failed,
    LastFailure,
    NeedDispatched,
    Phase,
    Resuming,
    Revising,
    Section,
    Version,
    activity_of,
    status_of,
)
from .summary import cycle_summary
from .views import DocumentView, SectionView, StaleView, VersionView

Drafts = Mapping[int, e.SectionDrafted]
"""Events that a text came with, by their sequence: how it was made is told there alone."""
NO_DRAFTS: Drafts = MappingProxyType({})
_ENGLISH = "en"
_FAILURES: dict[type[e.SectionFailure], str] = {
    e.SectionModelUnavailable: "job_model_unavailable",
    e.SectionAnswerMalformed: "job_answer_malformed",
    e.SectionContextTooLong: "job_context_too_long",
    e.SectionInputsMissing: "job_inputs_missing",
    e.SectionRoleAnalysisMissing: "job_no_role_analysis",
    e.SectionNoRoleLeft: "job_no_role_left",
    e.SectionThreadLost: "job_thread_lost",
    e.SectionJobDead: "job_dead",
}


def view_of(document: Document, drafts: Drafts = NO_DRAFTS) -> DocumentView:
    """The view of a document; ``drafts`` are the events that its texts came with, as far as they are at hand."""
    stale = staleness(document)
    sections = {
        name: replace(
            section_view(section, stale.get(name, NOT_STALE), drafts), form_withdrawn=lacks_form(document, section)
        )
        for name, section in document.sections.items()
    }
    return DocumentView(
        document_id=document.document_id,
        kind=document.kind,
        language=document.language or _ENGLISH,
        status=document.status,
        title=document.title,
        inputs=given_files(document),
        input_views=input_views(document),
        lacks_brief=lacks_brief(document),
        created_at=document.created_at,
        updated_at=document.time,
        sections=sections,
        exports={export_id: export_view(export_id, export) for export_id, export in document.exports.items()},
        form_exports={name: form_export_view(name, export) for name, export in document.form_exports.items()},
        usage=document.usage,
        cycle=cycle_summary(document.cycle) if document.cycle else None,
        cycle_plan=document.cycle.plan if document.cycle else None,
        last_sequence=document.sequence,
        ledger=ledger_view(document, document.ledger) if document.ledger else None,
    )


def section_view(section: Section, because: Because = NOT_STALE, drafts: Drafts = NO_DRAFTS) -> SectionView:
    """The view of a section that is stale because of something, or is not."""
    plan, phase, notes = section.plan, section.phase, section.notes
    failure = notes.failure
    return SectionView(
        section_id=plan.section_id,
        title=plan.title,
        kind=plan.kind,
        depends_on=plan.depends_on,
        status=status_of(phase),
        activity=activity_of(phase),
        versions=tuple(version_view(version, drafts.get(version.sequence)) for version in section.versions),
        stale=None if because == NOT_STALE else _stale(section),
        stale_reasons=because.upstream,
        stale_inputs=because.inputs,
        stale_requirements=because.requirements,
        form=plan.form,
        checks=frozenset(section.checks.values()),
        lint_round=notes.lint_round,
        need=phase.need if isinstance(phase, AwaitingAnswer | NeedDispatched) else None,
        asked_by=notes.asker.name,
        asker_verified=notes.asker.verified,
        returns_to=_returns_to(phase),
        refusal=notes.refusal,
        failure=str(_problem_of(failure)) if failure else None,
        failure_problem=_problem_of(failure) if failure else None,
        failed_at=_failed_at(phase),
        missing=_missing(failure) if failure else None,
        graph=plan.graph,
        proposal=proposal_view(section.proposal) if section.proposal else None,
        waits_since=notes.waits_since,
        covers_inputs=plan.covers_inputs,
        threads=tuple(map(thread_view, section.threads.values())),
        assignment=assignment_view(section.assignment) if section.assignment else None,
    )


def _stale(section: Section) -> StaleView:
    mark = section.notes.stale
    return StaleView(mark.since, mark.sequence, mark.cause) if mark else StaleView(None, 0, None)


def version_view(version: Version, drafted: e.SectionDrafted | None = None) -> VersionView:
    """The view of a version; ``drafted`` is the event that its text came with."""
    return VersionView(
        number=version.number,
        draft=version.draft,
        origin=version.origin,
        made_by=_made_by(version),
        made_at=version.made_at,
        provenance=version.provenance,
        rests_on=version.upstream,
        kept_against=version.upstream if version.kept else (),
        restored_version=version.restored_version,
        summary=version.summary,
        evaluation=version.evaluation,
        validation=version.validation,
        retrieved_context=drafted.retrieved_context if drafted else None,
        processing_metadata=drafted.processing_metadata if drafted else None,
        warnings=version.warnings,
        protected=version.protected,
        verified=version.person.verified,
        inputs=version.inputs,
        images=version.assets,
        blocks=version.blocks,
    )


def _made_by(version: Version) -> str:
    if version.origin is Origin.GENERATED:
        return version.provenance.model if version.provenance else ""
    return version.person.name


def _returns_to(phase: Phase) -> SectionStatus:
    return status_of(phase.before) if isinstance(phase, Revising) else SectionStatus.AWAITING_REVIEW


def _failed_at(phase: Phase) -> Activity | None:
    """What a retry begins anew; nothing where it goes on with a paused graph."""
    return phase.activity if isinstance(phase, Failed) and not isinstance(phase.again, Resuming) else None


def _problem_of(failure: LastFailure) -> Problem:
    """The failure by its code; of one aside, the field is what was done."""
    event = failure.event
    field, reason = event.activity if failure.aside else "", event.detail or "no reason given"
    return Problem.of(_FAILURES[type(event)], field, reason=reason)


def _missing(failure: LastFailure) -> tuple[str, ...] | None:
    event = failure.event
    return event.missing if isinstance(event, e.SectionInputsMissing) and not failure.aside else None
