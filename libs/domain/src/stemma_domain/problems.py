"""Refusals as problems, for the answer to a request: which field, and what to do."""

from __future__ import annotations

from typing import assert_never

from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.answers import Problem

_EXPORT = registry.entry_of(requests.ExportDocument).ce_type
_IN_LISTS = {
    registry.entry_of(requests.DecideRequirements).ce_type: "decisions",
    registry.entry_of(requests.CommentSection).ce_type: "comments",
}
"""What the list is called whose members a request is about; `sections` in all others."""


def problem_of(refusal: e.AnyRefusal) -> Problem:
    """The problem that a refusal stands for; in a request about several sections it names the one."""
    problem = _problem_of(refusal)
    if refusal.position is None or problem.field not in ("section_id", "version", "requirement_id", "thread_id"):
        return problem
    named = _IN_LISTS.get(refusal.request, "sections")
    return problem.model_copy(update={"field": f"{named}.{refusal.position}.{problem.field}"})


def _problem_of(refusal: e.AnyRefusal) -> Problem:
    match refusal:
        case e.RefusedByDocumentStatus():
            return Problem.of(f"document_{refusal.document_status}", "document_id")
        case e.RefusedOldLedger() | e.RefusedUnknownRequirement():
            return _of_ledger(refusal)
        case e.RefusedFormFields():
            return _of_form(refusal)
        case e.RefusedAnswer():
            return _of_answer(refusal)
        case e.RefusedUnknownVersion() | e.RefusedOldVersion():
            return _of_version(refusal)
        case e.RefusedUnknownThread() | e.RefusedByThreadStatus():
            return _of_thread(refusal)
        case e.RefusedLongAnswers() | e.RefusedUnacceptedAnswers() | e.RefusedStaleAnswers():
            return _of_answers(refusal)
        case e.RefusedPastDue() | e.RefusedSameAssignment() | e.RefusedNotAssigned():
            return _of_assignment(refusal)
        case e.RefusedUnknownInput() | e.RefusedInputVersion() | e.RefusedInputName() | e.RefusedBriefWithdrawn():
            return _of_input(refusal)
        case (
            e.RefusedUnknownProposal()
            | e.RefusedVoidProposal()
            | e.RefusedDecidedProposal()
            | e.RefusedWithdrawnProposal()
            | e.RefusedOpenProposal()
        ):
            return _of_proposal(refusal)
        case _:
            return _of_section(refusal)


def _of_section(
    refusal: e.RefusedUnknownSection
    | e.RefusedUnknownNeed
    | e.RefusedNoCycle
    | e.RefusedByStatus
    | e.RefusedNothingWritten
    | e.RefusedNotStale
    | e.RefusedUpstreamStale
    | e.RefusedReplacesEdit
    | e.RefusedRevisionLimit,
) -> Problem:
    match refusal:
        case e.RefusedUnknownSection() if refusal.request == _EXPORT:
            return Problem.of("section_unknown", "redline", section_id=refusal.section_id or "")
        case e.RefusedUnknownSection():
            return Problem.of("section_unknown", "section_id", section_id=refusal.section_id or "")
        case e.RefusedUnknownNeed():
            return Problem.of("question_closed", "need_id")
        case e.RefusedNoCycle():
            return Problem.of("no_review_cycle", "cycle")
        case e.RefusedByStatus():
            return Problem.of(f"section_{refusal.status}", "section_id")
        case e.RefusedNothingWritten():
            return Problem.of("nothing_written", "section_id")
        case e.RefusedNotStale():
            return Problem.of("section_not_stale", "section_id")
        case e.RefusedUpstreamStale():
            return Problem.of("upstream_stale", "section_id", section_id=refusal.upstream_section_id)
        case e.RefusedReplacesEdit():
            return Problem.of("edited_by_person", "replace_edited", version=refusal.version)
        case e.RefusedRevisionLimit():
            return Problem.of("revision_limit", "section_id", max_revisions=refusal.max_revisions)
        case _:
            assert_never(refusal)


def _of_version(refusal: e.RefusedOldVersion | e.RefusedUnknownVersion) -> Problem:
    match refusal:
        case e.RefusedOldVersion() if refusal.current_version == 0:
            return Problem.of("nothing_written", "version")
        case e.RefusedOldVersion():
            now = refusal.current_version
            return Problem.of("version_old", "version", version=refusal.version, current_version=now)
        case e.RefusedUnknownVersion():
            field = "redline" if refusal.request == _EXPORT else "restore_version"
            name, version = refusal.section_id or "", refusal.restore_version
            return Problem.of("version_unknown", field, section_id=name, version=version)
        case _:
            assert_never(refusal)


def _of_ledger(refusal: e.RefusedOldLedger | e.RefusedUnknownRequirement) -> Problem:
    match refusal:
        case e.RefusedOldLedger():
            return Problem.of("rows_changed", "rows_digest")
        case e.RefusedUnknownRequirement():
            return Problem.of("row_unknown", "requirement_id", requirement_id=refusal.requirement_id)
        case _:
            assert_never(refusal)


def _of_input(
    refusal: e.RefusedUnknownInput | e.RefusedInputVersion | e.RefusedInputName | e.RefusedBriefWithdrawn,
) -> Problem:
    match refusal:
        case e.RefusedUnknownInput():
            return Problem.of("input_unknown", "input_id", name=refusal.input_id)
        case e.RefusedInputVersion() if refusal.current_version == 0:
            return Problem.of("input_version_unknown", "version", input_id=refusal.input_id)
        case e.RefusedInputVersion():
            now = refusal.current_version
            return Problem.of("version_old", "version", version=refusal.version, current_version=now)
        case e.RefusedInputName():
            return Problem.of("input_name_taken", "upload.name", input_id=refusal.input_id)
        case e.RefusedBriefWithdrawn():
            return Problem.of("brief_needed", "input_id")
        case _:
            assert_never(refusal)


def _of_form(refusal: e.RefusedFormFields) -> Problem:
    if refusal.field_id is not None:
        return Problem.of("form_field_unknown", "dropped", form_field=refusal.field_id)
    if refusal.unconfirmed:
        return Problem.of("form_unconfirmed", "input_id", input_id=refusal.input_id)
    return Problem.of("form_without_fields", "input_id", input_id=refusal.input_id)


def _of_answers(refusal: e.RefusedLongAnswers | e.RefusedUnacceptedAnswers | e.RefusedStaleAnswers) -> Problem:
    match refusal:
        case e.RefusedLongAnswers():
            return Problem.of("answers_too_long", "section_id", answers=refusal.answers)
        case e.RefusedUnacceptedAnswers():
            return Problem.of("answers_not_accepted", "section_id", answers=refusal.answers)
        case e.RefusedStaleAnswers():
            return _of_stale_answers(refusal)
        case _:
            assert_never(refusal)


def _of_stale_answers(refusal: e.RefusedStaleAnswers) -> Problem:
    name, old, now = refusal.input_id, refusal.version, refusal.current_version
    if not refusal.field_ids:
        about = "answers_for_other_choices", "section_id"
        return Problem.of(*about, input_id=name, version=old, current_version=now)
    fields = ", ".join(refusal.field_ids)
    about = "answers_for_other_fields", "section_id"
    return Problem.of(*about, input_id=name, version=old, current_version=now, field_ids=fields)


def _of_assignment(refusal: e.RefusedPastDue | e.RefusedSameAssignment | e.RefusedNotAssigned) -> Problem:
    match refusal:
        case e.RefusedPastDue():
            return Problem.of("due_past", "due", due=refusal.due.isoformat())
        case e.RefusedSameAssignment():
            return Problem.of("assigned_already", "assignee", assignee=refusal.assignee)
        case e.RefusedNotAssigned():
            return Problem.of("not_assigned", "section_id")
        case _:
            assert_never(refusal)


def _of_answer(refusal: e.RefusedAnswer) -> Problem:
    """What the question can be answered with."""
    forms = ", ".join(f"`{form}`" for form in refusal.forms)
    references = ", ".join(f"`{reference}`" for reference in refusal.references)
    if forms and references:
        return Problem.of("answer_form_or_decision_needed", "decisions", forms=forms, references=references)
    if references:
        return Problem.of("answer_decision_needed", "decisions", references=references)
    return (
        Problem.of("answer_form_needed", "answer", forms=forms)
        if forms
        else Problem.of("answer_words_needed", "answer")
    )


def _of_proposal(
    refusal: e.RefusedUnknownProposal
    | e.RefusedVoidProposal
    | e.RefusedDecidedProposal
    | e.RefusedWithdrawnProposal
    | e.RefusedOpenProposal,
) -> Problem:
    name = refusal.proposal_id
    match refusal:
        case e.RefusedUnknownProposal():
            return Problem.of("proposal_unknown", "proposal_id", proposal_id=name)
        case e.RefusedVoidProposal():
            versions = {"version": refusal.version, "current_version": refusal.current_version}
            return Problem.of("proposal_void", "proposal_id", proposal_id=name, **versions)
        case e.RefusedDecidedProposal():
            return Problem.of(f"proposal_{refusal.decision}", "proposal_id", proposal_id=name)
        case e.RefusedWithdrawnProposal():
            return Problem.of(f"proposal_{refusal.reason}", "proposal_id", proposal_id=name)
        case e.RefusedOpenProposal():
            return Problem.of("proposal_open" if refusal.made else "proposal_in_work", "section_id", proposal_id=name)
        case _:
            assert_never(refusal)


def _of_thread(refusal: e.RefusedUnknownThread | e.RefusedByThreadStatus) -> Problem:
    match refusal:
        case e.RefusedUnknownThread():
            return Problem.of("thread_unknown", "thread_id", thread_id=refusal.thread_id)
        case e.RefusedByThreadStatus():
            code = "thread_resolved" if refusal.resolved else "thread_open"
            return Problem.of(code, "thread_id", thread_id=refusal.thread_id)
        case _:
            assert_never(refusal)
