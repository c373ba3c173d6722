"""Confirm the fields of a form: its section is planned, or planned anew for another version of the form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.forms import AnsweredForm, FoundFields
from stemma_contracts.v1.section import SectionPlan
from stemma_document.input_state import Input
from stemma_document.state import Document, Lifecycle

from stemma_orchestrator.core.commands import RequestCommand, refused

KIND = "form"
MAX_TITLE = 200


@dataclass(frozen=True)
class Confirm(RequestCommand):
    """The fields of a version of a form are to be answered, but for those that are dropped."""

    request = requests.ConfirmFormFields
    input_id: str
    version: int
    dropped: tuple[str, ...]


def decide(command: Confirm, document: Document) -> Sequence[e.AnyEvent]:
    """The section of a form, or why there is none."""
    if document.lifecycle is Lifecycle.CANCELLED:
        return [e.RefusedByDocumentStatus(**refused(command), document_status=document.lifecycle)]
    one = document.inputs.get(command.input_id)
    if one is None or one.withdrawn:
        return [e.RefusedUnknownInput(**refused(command), input_id=command.input_id)]
    if command.version != one.version:
        return [
            e.RefusedInputVersion(
                **refused(command), input_id=one.input_id, version=command.version, current_version=one.version
            )
        ]
    found = one.current.reading.form if one.current and one.current.reading else None
    if found is None or not set(found.field_ids).difference(command.dropped):
        return [e.RefusedFormFields(**refused(command), input_id=one.input_id)]
    unknown = next((name for name in command.dropped if name not in found.field_ids), None)
    if unknown is not None:
        return [e.RefusedFormFields(**refused(command), input_id=one.input_id, field_id=unknown)]
    section = _planned(command, document, one, found)
    return [e.FormFieldsConfirmed(**command.asked, input_id=one.input_id, version=one.version, section=section)]


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
