"""The work of writing a section: its graph runs, goes on after a pause, and the validator looks at what it wrote."""

from __future__ import annotations

from typing import TypedDict

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.provenance import GenerationWarning
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_document.inputs import brief_file, evidence_of, manner_of
from stemma_document.state import Document, Generating, Resuming, Section, Validating
from stemma_document.versions import next_version

from stemma_orchestrator.core.checks import validation
from stemma_orchestrator.core.cycles import human_feedback
from stemma_orchestrator.core.hooks import Task
from stemma_orchestrator.core.job_parts import head_of, outline_of, recorded, upstream_drafts
from stemma_orchestrator.core.outcomes import Failure, failed, paid, unfitting

from .verdict import never_validated, validated


class _Requirements(TypedDict):
    ledger: ArtifactRef | None
    requirements: tuple[str, ...]


def _generate(document: Document, section: Section, phase: Generating) -> j.GenerateSection:
    in_cycle = document.cycle is not None and document.cycle.revision_feedback is not None
    again = phase.round > 0 or in_cycle
    return j.GenerateSection(
        job_id=phase.job_id,
        document=head_of(document),
        section=section.plan,
        brief=document.brief,
        brief_file=brief_file(document),
        inputs=evidence_of(document),
        manner=manner_of(document),
        outline=outline_of(document),
        upstream=upstream_drafts(document, phase.upstream),
        guidance=phase.guidance or human_feedback(document),
        previous=section.current.draft if again and section.current else None,
        report=phase.report,
        round=phase.round,
        revision_feedback=document.cycle.revision_feedback if document.cycle else None,
        unmet_review=document.cycle.unmet_review if document.cycle else None,
        thread_id=phase.job_id,
        **recorded(phase.tries),
        answered_before=phase.tries.answers,
        **_requirements(document, section),
    )


def _requirements(document: Document, section: Section) -> _Requirements:
    """What of the ledger people assigned to the section."""
    ledger = document.ledger
    assigned = ledger.assigned_to(section.plan.section_id) if ledger else ()
    return _Requirements(ledger=ledger.rows if ledger and assigned else None, requirements=assigned)


def _resume(document: Document, section: Section, phase: Resuming) -> j.ResumeGraph:
    return j.ResumeGraph(
        job_id=phase.job_id,
        document=head_of(document),
        section=section.plan,
        thread_id=phase.thread_id,
        checkpoint_id=phase.checkpoint_id,
        answer=phase.answer,
        answered_by=phase.answered_by,
        failed=phase.failed,
        detail=phase.detail,
        **recorded(phase.generating.tries),
        answered_before=phase.generating.tries.answers,
    )


def _validate(document: Document, section: Section, phase: Validating) -> j.ValidateDraft:
    return validation(document, section, phase.job_id)


def _resumed(document: Document, section: Section, phase: Resuming, outcome: o.Outcome) -> e.AnyEvent:
    return _written(document, section, phase.generating, outcome)


def _written(document: Document, section: Section, generating: Generating, outcome: o.Outcome) -> e.AnyEvent:
    """What a graph's end or pause means."""
    match outcome:
        case o.SectionGenerated():
            return _drafted(section, generating, outcome)
        case o.GraphPaused():
            return e.SectionNeedRaised(**paid(outcome, section), thread_id=outcome.thread_id, need=outcome.need)
        case _ if isinstance(outcome, Failure):
            return failed(outcome, section, Activity.GENERATE, SectionStatus.FAILED)
        case _:
            raise unfitting(outcome)


_ROLE_MISSING = ("role_timed_out", "role_failed")


def _still_missing(section: Section, generating: Generating) -> tuple[GenerationWarning, ...]:
    """What a lint round does not add: a text that lacks what a role was to write lacks it when its lines are mended."""
    if not generating.round or section.current is None:
        return ()
    return tuple(warning for warning in section.current.warnings if warning.code in _ROLE_MISSING)


def _drafted(section: Section, generating: Generating, outcome: o.SectionGenerated) -> e.SectionDrafted:
    missing = _still_missing(section, generating)
    return e.SectionDrafted(
        **paid(outcome, section),
        version=next_version(section, outcome.draft),
        draft=outcome.draft,
        upstream=generating.upstream,
        evaluation=outcome.evaluation,
        provenance=outcome.provenance,
        assets=outcome.assets,
        partial=outcome.partial or bool(missing),
        warnings=tuple(dict.fromkeys((*missing, *outcome.warnings))),
        retrieved_context=outcome.retrieved_context,
        processing_metadata=outcome.processing_metadata,
        review=outcome.review,
        left_out=outcome.left_out,
        inputs=generating.inputs,
    )


def _validated(document: Document, section: Section, phase: Validating, outcome: o.Outcome) -> e.AnyEvent:
    if isinstance(outcome, o.DraftValidated):
        return validated(outcome, section, phase.generating, in_cycles=document.cycle is not None)
    if isinstance(outcome, o.JobDead):
        return never_validated(outcome, section)
    if isinstance(outcome, Failure):
        return failed(outcome, section, Activity.VALIDATE, SectionStatus.FAILED)
    raise unfitting(outcome)


GENERATING = Task(_generate, _written)
"""The section's graph runs."""
RESUMING = Task(_resume, _resumed)
"""Its paused graph goes on."""
VALIDATING = Task(_validate, _validated)
"""The validator looks at its draft."""
