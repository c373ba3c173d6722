"""Confirm the fields of a form, by which its section is planned, also anew for another version; export its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias, assert_never

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.forms import MOST_REASONS, AnsweredForm, FoundFields
from stemma_contracts.v1.section import SectionPlan, SectionStatus
from stemma_document.input_state import Input
from stemma_document.inputs import changed_inputs
from stemma_document.state import Document, Lifecycle, Section, status_of

from stemma_orchestrator.core.commands import RequestCommand, RequestMeta, refused

KIND = "form"
MAX_TITLE = 200
_DONE = (SectionStatus.APPROVED, SectionStatus.EDITED)


@dataclass(frozen=True)
class Confirm(RequestCommand):
    """The fields of a version of a form are to be answered, but for those that are dropped."""

    request = requests.ConfirmFormFields
    input_id: str
    version: int
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class Export(RequestCommand):
    """The approved answers are to be written into a form."""

    request = requests.ExportForm
    input_id: str


FormCommand: TypeAlias = Confirm | Export


def command_of(asked: RequestMeta, request: requests.ConfirmFormFields | requests.ExportForm) -> FormCommand:
    """What a request about a form asks for."""
    match request:
        case requests.ConfirmFormFields():
            return Confirm(asked, request.input_id, request.version, request.dropped)
        case requests.ExportForm():
            return Export(asked, request.input_id)
        case _:
            assert_never(request)


def decide(command: FormCommand, document: Document) -> Sequence[e.AnyEvent]:
    """The section of a form, or the form with its answers; else why there is none."""
    one = document.inputs.get(command.input_id)
    if one is None or one.withdrawn:
        return [e.RefusedUnknownInput(**refused(command), input_id=command.input_id)]
    match command:
        case Confirm():
            return [_confirmed(command, document, one)]
        case Export():
            return [_exported(command, document, one)]
        case _:
            assert_never(command)


def _confirmed(command: Confirm, document: Document, one: Input) -> e.AnyEvent:
    if document.lifecycle is Lifecycle.CANCELLED:
        return e.RefusedByDocumentStatus(**refused(command), document_status=document.lifecycle)
    if command.version != one.version:
        return e.RefusedInputVersion(
            **refused(command), input_id=one.input_id, version=command.version, current_version=one.version
        )
    found = one.current.reading.form if one.current and one.current.reading else None
    if found is None or not set(found.field_ids).difference(command.dropped):
        return e.RefusedFormFields(**refused(command), input_id=one.input_id)
    unknown = next((name for name in command.dropped if name not in found.field_ids), None)
    if unknown is not None:
        return e.RefusedFormFields(**refused(command), input_id=one.input_id, field_id=unknown)
    section = _planned(command, document, one, found)
    return e.FormFieldsConfirmed(**command.asked, input_id=one.input_id, version=one.version, section=section)


def _exported(command: Export, document: Document, one: Input) -> e.AnyEvent:
    section = next(
        (s for s in document.sections.values() if s.plan.form and s.plan.form.input_id == one.input_id), None
    )
    if section is None:
        return e.RefusedFormFields(**refused(command), input_id=one.input_id, unconfirmed=one.form)
    status = status_of(section.phase)
    if status not in _DONE:
        return e.RefusedByStatus(**refused(command, section.plan.section_id), status=status)
    if old := _for_older_form(command, document, section, one):
        return old
    return e.FormExportRequested(
        **command.asked,
        export_id=f"form-export-{document.number + 1}",
        input_id=one.input_id,
        input_version=one.version,
        section_id=section.plan.section_id,
        version=section.current_number,
    )


def _for_older_form(command: Export, document: Document, section: Section, one: Input) -> e.RefusedStaleAnswers | None:
    changed = next((change for change in changed_inputs(document, section) if change.input_id == one.input_id), None)
    if changed is None:
        return None
    fields = one.asks(changed.accepted_version)[0] ^ one.asks(one.version)[0]
    return e.RefusedStaleAnswers(
        **refused(command, section.plan.section_id),
        input_id=one.input_id,
        version=changed.accepted_version,
        current_version=one.version,
        field_ids=tuple(sorted(fields)[:MOST_REASONS]),
    )


def _planned(command: Confirm, document: Document, one: Input, found: FoundFields) -> SectionPlan:
    """It is reviewed as the document's first section is; its text rests on the inputs alone."""
    first = next(iter(document.sections.values())).plan
    return SectionPlan(
        section_id=f"{KIND}-{one.input_id}"[:64],
        title=PurePosixPath(one.name).stem[:MAX_TITLE],
        kind=KIND,
        graph="section",
        purpose="the answers to the fields of a form of the client",
        review=first.review,
        review_edits=first.review_edits,
        max_lint_rounds=first.max_lint_rounds,
        max_revisions=first.max_revisions,
        form=AnsweredForm(input_id=one.input_id, version=one.version, fields=found.fields, dropped=command.dropped),
    )
