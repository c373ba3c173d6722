"""From the state of a document to the view of it: the same facts, in the public vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from stemma_contracts.v1 import events as e
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.section import Activity, SectionStatus

from .answering import answer_to, open_mandatory
from .assignment_state import Assignment
from .comment_state import Thread
from .input_viewing import input_views
from .inputs import given_files, lacks_brief, lacks_form
from .ledger_state import Ledger, Standing
from .notes import LastFailure
from .proposal_state import Proposal, Proposed
from .staleness import NOT_STALE, Because, staleness
from .state import (
    AwaitingAnswer,
    Document,
    Export,
    Failed,
    FormExport,
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
from .views import (
    AssignmentView,
    CommentView,
    DocumentView,
    ExportView,
    FormExportView,
    LedgerView,
    ProposalView,
    RowView,
    SectionView,
    StaleView,
    ThreadView,
    VersionView,
)

Drafts = Mapping[int, e.SectionDrafted]
"""Events that a text came with, by their sequence: how it was made is told there alone."""
NO_DRAFTS: Drafts = MappingProxyType({})
_ENGLISH = "en"
_FAILURES: dict[type[e.SectionFailure], str] = {
    e.SectionModelUnavailable: "model unavailable",
    e.SectionAnswerMalformed: "malformed answer",
    e.SectionContextTooLong: "too long for the model",
    e.SectionInputsMissing: "inputs missing",
    e.SectionRoleAnalysisMissing: "no role analysis",
    e.SectionNoRoleLeft: "no role left",
    e.SectionThreadLost: "paused work lost",
    e.SectionJobDead: "dead letter",
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
        exports={export_id: _export(export_id, export) for export_id, export in document.exports.items()},
        form_exports={name: _form_export(name, export) for name, export in document.form_exports.items()},
        usage=document.usage,
        cycle=cycle_summary(document.cycle) if document.cycle else None,
        cycle_plan=document.cycle.plan if document.cycle else None,
        last_sequence=document.sequence,
        ledger=_ledger(document, document.ledger) if document.ledger else None,
    )


def _ledger(document: Document, ledger: Ledger) -> LedgerView:
    return LedgerView(
        rows=ledger.rows,
        difference=ledger.difference,
        summary=ledger.summary,
        standings={name: _row(document, name, standing) for name, standing in ledger.standings.items()},
        open_mandatory=open_mandatory(document),
        sources=ledger.sources,
        brief=ledger.brief,
        reading=ledger.job_id is not None,
        failure=ledger.failure,
        asking=ledger.opinion_job_id is not None,
        opinion=ledger.opinion,
    )


def _row(document: Document, name: str, standing: Standing) -> RowView:
    answer = answer_to(document, name)
    return RowView(
        confirmed=standing.confirmed,
        dropped=standing.dropped,
        merged_into=standing.merged_into,
        section_id=standing.section_id,
        owner=standing.owner,
        status=answer.status,
        version=answer.version,
        block_id=answer.block_id,
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
        failure=_failure_words(failure) if failure else None,
        failed_at=_failed_at(phase),
        missing=_missing(failure) if failure else None,
        graph=plan.graph,
        proposal=_proposal(section.proposal) if section.proposal else None,
        waits_since=notes.waits_since,
        covers_inputs=plan.covers_inputs,
        threads=tuple(map(_thread, section.threads.values())),
        assignment=_assignment(section.assignment) if section.assignment else None,
    )


def _thread(thread: Thread) -> ThreadView:
    comments = tuple(
        CommentView(each.comment_id, each.remark, each.version, each.author.name, each.made_at, each.author.verified)
        for each in thread.comments
    )
    return ThreadView(
        thread_id=thread.thread_id,
        comments=comments,
        block_id=thread.block_id,
        resolved=thread.resolved,
        resolved_by=thread.resolved_by.name,
        resolved_at=thread.resolved_at,
    )


def _assignment(assignment: Assignment) -> AssignmentView:
    by = assignment.by
    return AssignmentView(assignment.assignee, assignment.due, by.name, assignment.at, verified=by.verified)


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


def _proposal(proposal: Proposal) -> ProposalView:
    asked = ProposalView(
        proposal.proposal_id,
        proposal.version,
        proposal.asker.name,
        proposal.asked_at,
        verified=proposal.asker.verified,
    )
    return _proposed(proposal, asked) if isinstance(proposal, Proposed) else asked


def _proposed(proposal: Proposed, asked: ProposalView) -> ProposalView:
    return replace(
        asked,
        draft=proposal.draft,
        summary=proposal.summary,
        base_digest=proposal.base_digest,
        model=proposal.provenance.model,
        made_at=proposal.made_at,
        checking=proposal.check is not None,
        validation=proposal.validation,
        unchecked=proposal.unchecked,
    )


def _returns_to(phase: Phase) -> SectionStatus:
    return status_of(phase.before) if isinstance(phase, Revising) else SectionStatus.AWAITING_REVIEW


def _failed_at(phase: Phase) -> Activity | None:
    """What a retry begins anew; nothing where it goes on with a paused graph."""
    return phase.activity if isinstance(phase, Failed) and not isinstance(phase.again, Resuming) else None


def _failure_words(failure: LastFailure) -> str:
    words = ": ".join(filter(None, (_FAILURES.get(type(failure.event), "failed"), failure.event.detail)))
    return f"{failure.event.activity}: {words}" if failure.aside else words


def _missing(failure: LastFailure) -> tuple[str, ...] | None:
    event = failure.event
    return event.missing if isinstance(event, e.SectionInputsMissing) and not failure.aside else None


def _form_export(export_id: str, export: FormExport) -> FormExportView:
    return FormExportView(
        export_id,
        export.input_id,
        export.input_version,
        export.section_id,
        export.version,
        export.artifact,
        export.answered,
        export.unanswered,
        export.reasons,
    )


def _export(export_id: str, export: Export) -> ExportView:
    return ExportView(export_id, export.format, export.artifact, export.warnings, export.failure, export.too_long)
