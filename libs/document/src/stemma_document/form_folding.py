"""Events of the buyer's forms, folded into the document."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from stemma_contracts.v1 import events as e

from .job_ids import FILL, job_id
from .state import Document, FormExport, Lifecycle, Section


def form_applied(document: Document, event: e.AnyFormEvent) -> Document:
    """The document after an event of a form."""
    match event:
        case e.FormFieldsConfirmed():
            return _confirmed(document, event)
        case e.FormExportRequested():
            export = FormExport(
                event.input_id,
                event.input_version,
                event.section_id,
                event.version,
                job_id(document, FILL, event.export_id),
            )
            return replace(document, form_exports={**document.form_exports, event.export_id: export})
        case e.FormExported() | e.FormExportFailed():
            exports = {**document.form_exports, event.export_id: _after(document.form_exports[event.export_id], event)}
            return replace(document, form_exports=exports, settled_jobs=document.settled_jobs | {event.job_id})
        case _:
            assert_never(event)


def _confirmed(document: Document, event: e.FormFieldsConfirmed) -> Document:
    """A section that is there keeps its text and has another plan; a new one takes a document out of its rest."""
    plan = event.section
    known = document.sections.get(plan.section_id)
    section = replace(known, plan=plan) if known else Section(plan)
    rests = document.lifecycle in (Lifecycle.COMPLETED, Lifecycle.FAILED)
    return replace(
        document,
        sections={**document.sections, plan.section_id: section},
        lifecycle=Lifecycle.RUNNING if rests and not known else document.lifecycle,
    )


def _after(export: FormExport, event: e.FormExported | e.FormExportFailed) -> FormExport:
    match event:
        case e.FormExported():
            return replace(
                export, job_id=None, artifact=event.artifact, answered=event.answered, unanswered=event.unanswered
            )
        case e.FormExportFailed():
            return replace(export, job_id=None, reasons=event.reasons or ("failed",))
        case _:
            assert_never(event)
