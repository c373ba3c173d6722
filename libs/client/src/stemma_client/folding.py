"""From events to the view of a document."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch
from typing import Any

from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import Activity, DocumentStatus, SectionPlan, SectionStatus, Usage

from .recorded import RecordedEvent
from .views import DocumentView, ExportView, SectionView

_FAILURES: dict[type[e.SectionFailure], str] = {
    e.SectionModelUnavailable: "model unavailable",
    e.SectionAnswerMalformed: "malformed answer",
    e.SectionJobDead: "dead letter",
}


def fold(document_id: str, events: Iterable[RecordedEvent]) -> DocumentView:
    """The view after these events, which are those of one document in the order of the log."""
    view = DocumentView(document_id)
    for event in events:
        view = evolve(view, event)
    return view


def evolve(view: DocumentView, event: RecordedEvent) -> DocumentView:
    """The view after one more event; an event of an unknown type changes only ``last_sequence``."""
    view = replace(view, last_sequence=event.sequence)
    if not isinstance(event.contract, e.Event):
        return view
    view = _counted(apply(event.contract, view), event.contract)
    return _started(view, event.contract.starts)


def _counted(view: DocumentView, event: e.Event) -> DocumentView:
    usage = getattr(event, "usage", None)
    return replace(view, usage=_add(view.usage, usage)) if isinstance(usage, Usage) else view


def _add(a: Usage, b: Usage) -> Usage:
    return Usage(
        calls=a.calls + b.calls,
        input_tokens=a.input_tokens + b.input_tokens,
        output_tokens=a.output_tokens + b.output_tokens,
        cost=a.cost + b.cost,
    )


def _started(view: DocumentView, section_ids: Iterable[str]) -> DocumentView:
    for section_id in section_ids:
        view = _section(
            view,
            section_id,
            status=SectionStatus.GENERATING,
            activity=Activity.GENERATE,
            lint_round=0,
            failure=None,
            failed_at=None,
        )
    return view


def _section(view: DocumentView, section_id: str, **changes: Any) -> DocumentView:
    if section_id not in view.sections:
        return view
    changed = replace(view.sections[section_id], **changes)
    return replace(view, sections={**view.sections, section_id: changed})


def _export(view: DocumentView, export: ExportView) -> DocumentView:
    return replace(view, exports={**view.exports, export.export_id: export})


@singledispatch
def apply(event: Contract, view: DocumentView) -> DocumentView:
    """What one type of event changes. Every type that a contract knows is registered here."""
    raise NotImplementedError(type(event).__name__)


@apply.register
def _(event: e.DocumentRequested, view: DocumentView) -> DocumentView:
    return replace(
        view,
        kind=event.kind,
        title=event.title,
        created_at=event.created_at,
        sections={plan.section_id: _planned(plan) for plan in event.sections},
    )


def _planned(plan: SectionPlan) -> SectionView:
    return SectionView(plan.section_id, plan.title, plan.kind)


@apply.register
def _(event: e.DocumentPaused, view: DocumentView) -> DocumentView:
    return replace(view, status=DocumentStatus.PAUSED)


@apply.register
def _(event: e.DocumentResumed, view: DocumentView) -> DocumentView:
    return replace(view, status=DocumentStatus.RUNNING)


@apply.register
def _(event: e.DocumentCancelled, view: DocumentView) -> DocumentView:
    return replace(view, status=DocumentStatus.CANCELLED)


@apply.register
def _(event: e.DocumentCompleted, view: DocumentView) -> DocumentView:
    return replace(view, status=DocumentStatus.COMPLETED)


@apply.register
def _(event: e.DocumentFailed, view: DocumentView) -> DocumentView:
    return replace(view, status=DocumentStatus.FAILED)


@apply.register
def _(event: e.SectionDrafted, view: DocumentView) -> DocumentView:
    return _section(
        view,
        event.section_id,
        activity=Activity.VALIDATE,
        version=event.version,
        draft=event.draft,
        evaluation=event.evaluation,
        validation=None,
    )


@apply.register
def _(event: e.SectionLintFailed, view: DocumentView) -> DocumentView:
    return _section(
        view, event.section_id, activity=Activity.GENERATE, validation=event.validation, lint_round=event.round
    )


@apply.register
def _(event: e.SectionReviewRequested, view: DocumentView) -> DocumentView:
    status = SectionStatus.AWAITING_REVIEW
    return _section(view, event.section_id, status=status, activity=None, validation=event.validation)


@apply.register
def _(event: e.SectionApproved, view: DocumentView) -> DocumentView:
    changes: dict[str, Any] = {"validation": event.validation} if event.validation else {}
    return _section(view, event.section_id, status=SectionStatus.APPROVED, activity=None, **changes)


@apply.register
def _(event: e.SectionRevisionRequested, view: DocumentView) -> DocumentView:
    status = SectionStatus.GENERATING
    return _section(view, event.section_id, status=status, activity=Activity.EDIT, refusal=None, failure=None)


@apply.register
def _(event: e.SectionRevised, view: DocumentView) -> DocumentView:
    return _section(
        view,
        event.section_id,
        activity=Activity.VALIDATE,
        version=event.version,
        draft=event.draft,
        evaluation=event.evaluation,
        validation=None,
    )


@apply.register
def _(event: e.SectionRevisionRefused, view: DocumentView) -> DocumentView:
    status = SectionStatus.AWAITING_REVIEW
    return _section(view, event.section_id, status=status, activity=None, refusal=event.reason)


@apply.register
def _(event: e.SectionFailure, view: DocumentView) -> DocumentView:
    failure = ": ".join(filter(None, (_FAILURES.get(type(event), "failed"), event.detail)))
    return _section(
        view, event.section_id, status=event.status, activity=None, failure=failure, failed_at=event.activity
    )


@apply.register
def _(event: e.SectionRetried, view: DocumentView) -> DocumentView:
    if view.status is DocumentStatus.FAILED:
        view = replace(view, status=DocumentStatus.RUNNING)
    # A draft whose validation failed is validated again; everything else begins anew, once it is met.
    again = event.section_id in view.sections and view.sections[event.section_id].failed_at is Activity.VALIDATE
    status, activity = (SectionStatus.GENERATING, Activity.VALIDATE) if again else (SectionStatus.QUEUED, None)
    return _section(view, event.section_id, status=status, activity=activity, failure=None, failed_at=None)


@apply.register
def _(event: e.SectionNeedRaised, view: DocumentView) -> DocumentView:
    return _section(view, event.section_id, need=event.need)


@apply.register
def _(event: e.SectionNeedAnswered, view: DocumentView) -> DocumentView:
    return _section(view, event.section_id, need=None)


@apply.register
def _(event: e.ExportRequested, view: DocumentView) -> DocumentView:
    return _export(view, ExportView(event.export_id, event.format))


@apply.register
def _(event: e.DocumentExported, view: DocumentView) -> DocumentView:
    return _export(view, ExportView(event.export_id, event.format, event.artifact, event.warnings))


@apply.register(e.ExportFailed)
@apply.register(e.ExportJobDead)
def _(event: e.ExportFailed | e.ExportJobDead, view: DocumentView) -> DocumentView:
    return _export(view, ExportView(event.export_id, event.format, failure=event.detail or "failed"))


@apply.register(e.OutcomeSuperseded)
@apply.register(e.DecisionRefused)
def _(event: e.Event, view: DocumentView) -> DocumentView:
    return view
