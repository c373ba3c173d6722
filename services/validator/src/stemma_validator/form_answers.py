"""What a form of the buyer accepts, held against the answers of a draft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_contracts.v1.forms import FormField, FormFields
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.validation import ValidationIssue
from stemma_forms import Field, Kind, unaccepted_answers

from .rules import Rule

_CODES = {
    Kind.CHOICE: "answer_no_choice",
    Kind.CHECKBOX: "answer_no_boolean",
    Kind.DATE: "answer_no_date",
    Kind.NUMBER: "answer_no_number",
}


async def fields_of(job: ValidateDraft, artifacts: ArtifactStore) -> tuple[FormField, ...]:
    """The fields of the form that a section answers; none if it answers none, or they are not there any more."""
    if (form := job.section.form) is None:
        return ()
    try:
        data = await artifacts.get(job.document.tenant, job.document.document_id, form.fields)
        return FormFields.model_validate_json(data).fields
    except (ArtifactMissing, ArtifactCorrupt, ValidationError):
        return ()


def not_accepted(text: str, fields: Sequence[FormField]) -> Iterator[ValidationIssue]:
    """An issue for each answer that is not in its field's list, or no date, number, yes or no where it wants one."""
    if fields:
        for found in unaccepted_answers(text, map(_field, fields)):
            about = {"field_id": found.field_id, "answer": found.answer}
            if found.kind is Kind.CHOICE:
                about["choices"] = found.choices
            yield Rule.UNACCEPTED_ANSWER.coded(found.line, _CODES[found.kind], **about)


def _field(told: FormField) -> Field:
    return Field(told.field_id, told.place, told.group, told.question, Kind(told.kind), told.allowed)
