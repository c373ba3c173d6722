"""The work of forms: answers are written into one, and what the outcome of that means."""

from __future__ import annotations

from collections.abc import Iterator

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_document.state import Document, FormExport

from stemma_orchestrator.core.hooks import Task, Work
from stemma_orchestrator.core.job_parts import head_of
from stemma_orchestrator.core.outcomes import unfitting


def work(document: Document) -> Iterator[Work]:
    """The forms that are being filled, also while the document is paused."""
    for export_id, export in document.form_exports.items():
        if export.job_id is not None:
            yield export.job_id, _FILLING, (document, export_id, export)


def _fill(document: Document, export_id: str, export: FormExport) -> j.FillForm:
    assert export.job_id is not None
    one = document.inputs[export.input_id]
    content = one.content(export.input_version)
    (version,) = (v for v in document.sections[export.section_id].versions if v.number == export.version)
    assert content is not None
    return j.FillForm(
        job_id=export.job_id,
        document=head_of(document),
        export_id=export_id,
        name=one.name,
        form=content.file,
        answers=version.draft,
    )


def _filled(document: Document, export_id: str, export: FormExport, outcome: o.Outcome) -> e.AnyFormEvent:
    match outcome:
        case o.FormFilled():
            return e.FormExported(
                export_id=export_id,
                job_id=outcome.job_id,
                artifact=outcome.artifact,
                answered=outcome.answered,
                unanswered=outcome.unanswered,
            )
        case o.FormNotFilled():
            return e.FormExportFailed(export_id=export_id, job_id=outcome.job_id, reasons=outcome.reasons)
        case o.JobDead():
            return e.FormExportFailed(export_id=export_id, job_id=outcome.job_id, reasons=(outcome.detail,))
        case _:
            raise unfitting(outcome)


_FILLING = Task(_fill, _filled, of_section=False)
