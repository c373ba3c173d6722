"""The buyer's forms: a person confirms the fields that were found in one, a section of its own answers them, and its
approved answers are written into the form.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import assert_never, get_args

from stemma_contracts import subjects
from stemma_contracts.base import filled_from
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.forms import MOST_REASONS, AnsweredForm, FoundFields
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.section import SETTLED, SectionPlan
from stemma_contracts.v1.views import FormExportView

from stemma_domain.commands import Asked, of_document, of_input_version, of_status, refused
from stemma_domain.features.inputs.material import Input, changed_inputs, lacks_form
from stemma_domain.hooks import Feature, Task, Work
from stemma_domain.jobs import FILL, head_of, job_id, unfitting
from stemma_domain.staleness import Staleness
from stemma_domain.state import Document, Lifecycle, Section, settled, status_of

FormRequest = r.ConfirmFormFields | r.ExportForm


@dataclass(frozen=True)
class FormExport:
    """A form with the answers of a version of a section in it, and its job while they are being written."""

    view: FormExportView
    job_id: str | None = None


def evolve(document: Document, event: e.AnyFormEvent) -> Document:
    match event:
        case e.FormFieldsConfirmed():
            return _with_section(document, event)
        case e.FormExportRequested():
            view = FormExportView.model_validate(event, from_attributes=True)
            export = FormExport(view, job_id(document, FILL, event.export_id))
            return replace(document, form_exports={**document.form_exports, event.export_id: export})
        case e.FormExported() | e.FormExportFailed():
            exports = {**document.form_exports, event.export_id: _after(document.form_exports[event.export_id], event)}
            return settled(replace(document, form_exports=exports), event.job_id)
        case _:
            assert_never(event)


def _with_section(document: Document, event: e.FormFieldsConfirmed) -> Document:
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
    said = dict(export.view) | dict(event)
    if isinstance(event, e.FormExportFailed):
        said |= {"reasons": event.reasons or ("failed",)}
    return FormExport(FormExportView.model_validate(said))


KIND = "form"
MAX_TITLE = 200


def decide(command: Asked[FormRequest], document: Document) -> Sequence[e.AnyEvent]:
    """The section of a form, or the form with its answers; else why there is none."""
    one = document.inputs.get(command.request.input_id)
    if one is None or one.withdrawn:
        return [refused(command, Problem.of("input_unknown", "input_id", name=command.request.input_id))]
    match command.request:
        case r.ConfirmFormFields() as request:
            return [_confirmed(command, request, document, one)]
        case r.ExportForm():
            return [_exported(command, document, one)]
        case _:
            assert_never(command.request)


def _confirmed(command: Asked[FormRequest], request: r.ConfirmFormFields, document: Document, one: Input) -> e.AnyEvent:
    if document.lifecycle is Lifecycle.CANCELLED:
        return refused(command, of_document(document))
    if request.version != one.version:
        return refused(command, of_input_version(one.input_id, request.version, one.version))
    found = one.current.reading.form if one.current and one.current.reading else None
    if found is None or not set(found.field_ids).difference(request.dropped):
        return refused(command, Problem.of("form_without_fields", "input_id", input_id=one.input_id))
    unknown = next((name for name in request.dropped if name not in found.field_ids), None)
    if unknown is not None:
        return refused(command, Problem.of("form_field_unknown", "dropped", form_field=unknown))
    section = _planned(request, document, one, found)
    return e.FormFieldsConfirmed(**command.asked, input_id=one.input_id, version=one.version, section=section)


def _exported(command: Asked[FormRequest], document: Document, one: Input) -> e.AnyEvent:
    section = next(
        (s for s in document.sections.values() if s.plan.form and s.plan.form.input_id == one.input_id), None
    )
    if section is None:
        code = "form_unconfirmed" if one.form else "form_without_fields"
        return refused(command, Problem.of(code, "input_id", input_id=one.input_id))
    problem = _for_older_form(document, section, one) if status_of(section.phase) in SETTLED else of_status(section)
    if problem:
        return refused(command, problem, section.plan.section_id)
    return e.FormExportRequested(
        **command.asked,
        export_id=f"form-export-{document.number + 1}",
        input_id=one.input_id,
        input_version=one.version,
        section_id=section.plan.section_id,
        version=section.current_number,
    )


def _for_older_form(document: Document, section: Section, one: Input) -> Problem | None:
    changed = next((change for change in changed_inputs(document, section) if change.input_id == one.input_id), None)
    if changed is None:
        return None
    name, old, now = one.input_id, changed.accepted_version, one.version
    fields = ", ".join(sorted(one.asks(old)[0] ^ one.asks(now)[0])[:MOST_REASONS])
    if not fields:
        code = "answers_for_other_choices"
        return Problem.of(code, "section_id", input_id=name, version=old, current_version=now)
    code = "answers_for_other_fields"
    return Problem.of(code, "section_id", input_id=name, version=old, current_version=now, field_ids=fields)


def _planned(request: r.ConfirmFormFields, document: Document, one: Input, found: FoundFields) -> SectionPlan:
    """Its text rests on the inputs alone. People review it as they do the first section, whatever settles that one."""
    first = next(iter(document.sections.values())).plan
    return SectionPlan(
        section_id=f"{KIND}-{one.input_id}"[:64],
        title=PurePosixPath(one.name).stem[:MAX_TITLE],
        kind=KIND,
        graph="section",
        purpose="the answers to the fields of a form of the client",
        review=first.review if first.review.mode is ReviewMode.HUMAN else ReviewPolicy(),
        review_edits="human",
        max_lint_rounds=first.max_lint_rounds,
        max_revisions=first.max_revisions,
        form=AnsweredForm(input_id=one.input_id, version=one.version, fields=found.fields, dropped=request.dropped),
    )


def work(document: Document) -> Iterator[Work]:
    """The forms that are being filled, also while the document is paused."""
    for export_id, export in document.form_exports.items():
        if export.job_id is not None:
            yield export.job_id, _FILLING, (document, export_id, export)


def _fill(document: Document, export_id: str, export: FormExport) -> j.FillForm:
    assert export.job_id is not None
    one = document.inputs[export.view.input_id]
    content = one.content(export.view.input_version)
    (version,) = (v for v in document.sections[export.view.section_id].versions if v.number == export.view.version)
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
            return filled_from(e.FormExported, outcome, export_id=export_id)
        case o.FormNotFilled():
            return filled_from(e.FormExportFailed, outcome, export_id=export_id)
        case o.JobDead():
            return e.FormExportFailed(export_id=export_id, job_id=outcome.job_id, reasons=(outcome.detail,))
        case _:
            raise unfitting(outcome)


_FILLING = Task(_fill, _filled, of_section=False)


def may_start(document: Document, section: Section, _stale: Staleness) -> bool:
    """Whether a section answers a form that counts, or none."""
    return not lacks_form(document, section)


FEATURE = Feature[Asked[FormRequest]](
    requests=get_args(FormRequest),
    decide=decide,
    events=get_args(e.AnyFormEvent),
    evolve=evolve,
    work=work,
    job_owners={FILL: subjects.CONVERTER},
    may_start=may_start,
)
