"""The read model of a document: what lists and the head of a page show. Never read by ``decide``."""

from __future__ import annotations

from stemma_contracts.v1.cycles import CycleSummary
from stemma_contracts.v1.summary import DocumentSummary, ExportEntry, FormExportEntry, SectionSummary

from .features.cycles import Cycle
from .features.exports import Export
from .features.forms import FormExport
from .features.inputs.material import given_files, lacks_brief, lacks_form
from .features.proposals import Proposed
from .staleness import Staleness, staleness
from .state import AwaitingAnswer, Document, Section, Version, activity_of, status_of

MOST_TITLE_BYTES = 4096
MOST_EXPORTS = 10


def summarise(document: Document, last_sequence: int, stale: Staleness | None = None) -> DocumentSummary:
    """The summary of a document as of a sequence of the log; ``stale`` spares asking `staleness` a second time."""
    stale, titled = staleness(document) if stale is None else stale, _titled(document)
    return DocumentSummary(
        document_id=document.document_id,
        kind=document.kind,
        status=document.status,
        title=document.title,
        created_at=document.created_at,
        last_sequence=last_sequence,
        cycle=cycle_summary(document.cycle) if document.cycle else None,
        sections=tuple(
            _summarise(document, section, name in stale, titled) for name, section in document.sections.items()
        ),
        language=document.language,
        updated_at=document.time,
        usage=document.usage,
        input_count=len(given_files(document)),
        lacks_brief=lacks_brief(document),
        exports=tuple(_export(export_id, export) for export_id, export in document.exports.items())[-MOST_EXPORTS:],
        form_exports=tuple(_form_export(name, export) for name, export in document.form_exports.items())[
            -MOST_EXPORTS:
        ],
    )


def _titled(document: Document) -> bool:
    """Whether the titles of all sections are short enough to stand in one message with the rest."""
    return sum(len(section.plan.title.encode()) for section in document.sections.values()) <= MOST_TITLE_BYTES


def _export(export_id: str, export: Export) -> ExportEntry:
    return ExportEntry(
        export_id=export_id, format=export.format, artifact=export.artifact, failure=export.failure or ""
    )


def _form_export(export_id: str, export: FormExport) -> FormExportEntry:
    return FormExportEntry(
        export_id=export_id,
        input_id=export.input_id,
        artifact=export.artifact,
        failure=next(iter(export.reasons), ""),
        unanswered=len(export.unanswered),
    )


def cycle_summary(cycle: Cycle) -> CycleSummary:
    """How far a document is that is reviewed in cycles."""
    return CycleSummary(
        document_status=cycle.document_status,
        revision_count=cycle.revision_count,
        max_revisions=cycle.plan.max_revisions,
        needs_revision=cycle.needs_revision,
        forced_continuation=cycle.forced_continuation,
        unmet_review=cycle.unmet_review.digest if cycle.unmet_review else None,
        approved=cycle.approved,
        human_revision_requested=cycle.human_revision_requested,
    )


def _summarise(document: Document, section: Section, stale: bool, titled: bool) -> SectionSummary:
    version = section.current
    return SectionSummary(
        section_id=section.plan.section_id,
        title=section.plan.title if titled else "",
        status=status_of(section.phase),
        activity=activity_of(section.phase),
        version=section.current_number,
        stale=stale,
        score=version.evaluation.score if version and version.evaluation and version.evaluation.judged else None,
        issue_count=version.validation.issue_count if version and version.validation else 0,
        proposal_id=section.proposal.proposal_id if isinstance(section.proposal, Proposed) else None,
        missing_blocks=_missing_blocks(version),
        open_threads=sum(not thread.resolved for thread in section.threads.values()),
        assignee=section.assignment.assignee if section.assignment else "",
        due=section.assignment.due if section.assignment else None,
        need_id=section.phase.need.need_id if isinstance(section.phase, AwaitingAnswer) else None,
        form_withdrawn=lacks_form(document, section),
    )


def _missing_blocks(version: Version | None) -> int:
    coverage = version.validation.coverage if version and version.validation else None
    return coverage.missing_blocks if coverage else 0
