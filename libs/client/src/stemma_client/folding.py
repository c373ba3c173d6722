"""From events to the view of a document."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch

from stemma_contracts import Contract
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.values import Activity, DocumentStatus, SectionPlan, SectionStatus, Usage

from . import folding_cycles
from .folding_sections import cancelled, section_after
from .recorded import RecordedEvent
from .views import DocumentView, ExportView, SectionView, StaleView

_REOPENING = (
    e.SectionRetried,
    e.SectionEditRequested,
    e.SectionEdited,
    e.SectionRestored,
    e.SectionRegenerationRequested,
)
_AT_ITS_END = (DocumentStatus.COMPLETED, DocumentStatus.FAILED)


def fold(document_id: str, events: Iterable[RecordedEvent]) -> DocumentView:
    """The view after these events, which are those of one document in the order of the log."""
    view = DocumentView(document_id)
    for event in events:
        view = evolve(view, event)
    return view


def evolve(view: DocumentView, event: RecordedEvent) -> DocumentView:
    """The view after one more event.

    One of an unknown type, or that does not fit what was before, changes only when and where it was last.
    """
    view = replace(view, last_sequence=event.sequence, updated_at=event.envelope.time)
    if not isinstance(event.contract, e.Event):
        return view
    try:
        return _evolved(view, event.contract)
    except (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError):
        return view


def _evolved(view: DocumentView, event: e.Event) -> DocumentView:
    view = _counted(apply(event, view), event)
    return _started(_marked(view, event), event.starts)


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


def _marked(view: DocumentView, event: e.Event) -> DocumentView:
    """Which sections are stale is what the events say."""
    mark = StaleView(view.updated_at, view.last_sequence, getattr(event, "section_id", None))
    for made in event.makes_stale:
        view = _section(view, made.section_id, stale=mark)
    for cleared in event.clears_stale:
        view = _section(view, cleared, stale=None)
    return view


def _started(view: DocumentView, section_ids: Iterable[str]) -> DocumentView:
    for section_id in section_ids:
        view = _section(
            view,
            section_id,
            status=SectionStatus.GENERATING,
            activity=Activity.GENERATE,
            checks=frozenset(),
            lint_round=0,
            failure=None,
            failed_at=None,
            missing=None,
        )
    return view


def _section(view: DocumentView, section_id: str, **changes: object) -> DocumentView:
    if section_id not in view.sections:
        return view
    return _with_section(view, replace(view.sections[section_id], **changes))  # type: ignore[arg-type]


def _with_section(view: DocumentView, section: SectionView) -> DocumentView:
    return replace(view, sections={**view.sections, section.section_id: section})


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
        language=event.language or view.language,
        title=event.title,
        inputs=event.inputs,
        created_at=event.created_at,
        sections={plan.section_id: _planned(plan) for plan in event.sections},
        cycle=folding_cycles.begun(event),
        cycle_plan=event.cycle,
    )


def _planned(plan: SectionPlan) -> SectionView:
    told = (plan.section_id, plan.title, plan.kind, plan.depends_on)
    return SectionView(*told, graph=plan.graph, covers_inputs=plan.covers_inputs)


@apply.register
def _(event: e.RevisionCycleStarted, view: DocumentView) -> DocumentView:
    return folding_cycles.begun_again(event, view)


@apply.register
def _(event: e.SectionEvent, view: DocumentView) -> DocumentView:
    proposed = isinstance(event, e.SectionEditRequested) and event.proposal_id is not None
    if view.status in _AT_ITS_END and isinstance(event, _REOPENING) and not proposed:
        view = replace(view, status=DocumentStatus.RUNNING)
    if event.section_id not in view.sections:
        return view
    view = folding_cycles.cycle_after(view, event)
    return _with_section(view, section_after(event, view.sections[event.section_id], view.updated_at))


@apply.register
def _(event: e.DocumentPaused, view: DocumentView) -> DocumentView:
    return replace(view, status=DocumentStatus.PAUSED)


@apply.register
def _(event: e.DocumentResumed, view: DocumentView) -> DocumentView:
    return replace(view, status=DocumentStatus.RUNNING)


@apply.register
def _(event: e.DocumentCancelled, view: DocumentView) -> DocumentView:
    sections = {name: cancelled(section) for name, section in view.sections.items()}
    return replace(view, status=DocumentStatus.CANCELLED, sections=sections)


@apply.register
def _(event: e.DocumentCompleted, view: DocumentView) -> DocumentView:
    return replace(view, status=DocumentStatus.COMPLETED)


@apply.register
def _(event: e.DocumentFailed, view: DocumentView) -> DocumentView:
    return replace(view, status=DocumentStatus.FAILED)


@apply.register
def _(event: e.ExportRequested, view: DocumentView) -> DocumentView:
    return _export(view, ExportView(event.export_id, event.format))


@apply.register
def _(event: e.DocumentExported, view: DocumentView) -> DocumentView:
    done = ExportView(event.export_id, event.format, event.artifact, event.warnings)
    return _export(view, replace(done, too_long=event.too_long))


@apply.register(e.ExportFailed)
@apply.register(e.ExportJobDead)
def _(event: e.ExportFailed | e.ExportJobDead, view: DocumentView) -> DocumentView:
    return _export(view, ExportView(event.export_id, event.format, failure=event.detail or "failed"))


@apply.register(e.OutcomeSuperseded)
@apply.register(e.DecisionRefused)
def _(event: e.Event, view: DocumentView) -> DocumentView:
    return view
