"""Refusals in words, for the answer to a request: which field, and what to do."""

from __future__ import annotations

from typing import assert_never

from stemma_contracts import registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.section import SectionStatus

_EXPORT = registry.entry_of(requests.ExportDocument).ce_type
_IN_LISTS = {
    registry.entry_of(requests.DecideRequirements).ce_type: "decisions",
    registry.entry_of(requests.CommentSection).ce_type: "comments",
}
"""What the list is called whose members a request is about; `sections` in all others."""
_ADVICE = {
    SectionStatus.QUEUED: "it waits for the sections that it rests on",
    SectionStatus.GENERATING: "it is being worked on",
    SectionStatus.AWAITING_REVIEW: "it waits for review: approve or revise it",
    SectionStatus.APPROVED: "it is approved already",
    SectionStatus.EDITED: "it is settled already",
    SectionStatus.FAILED: "it failed: retry it",
}

_PROBLEMS: dict[type[e.DecisionRefused], Problem] = {
    e.RefusedUnknownSection: Problem(field="section_id", message="the document has no such section"),
    e.RefusedUnknownNeed: Problem(field="need_id", message="the section does not wait for this"),
    e.RefusedNoCycle: Problem(
        field="cycle", message="only the final section of a document that is reviewed in cycles can ask for another one"
    ),
    e.RefusedNothingWritten: Problem(field="section_id", message="nothing is written in the section yet"),
    e.RefusedNotStale: Problem(field="section_id", message="the section is not stale"),
    e.RefusedOldLedger: Problem(
        field="rows_digest", message="these rows do not count any more: look at the ledger, and cut its rows of now"
    ),
    e.RefusedBriefWithdrawn: Problem(field="input_id", message="a document has a brief: replace it"),
}


def problem_of(refusal: e.AnyRefusal) -> Problem:
    """The problem that a refusal stands for; in a request about several sections it names the one."""
    problem = _problem_of(refusal)
    if refusal.position is None or problem.field not in ("section_id", "version", "requirement_id", "thread_id"):
        return problem
    named = _IN_LISTS.get(refusal.request, "sections")
    return Problem(field=f"{named}.{refusal.position}.{problem.field}", message=problem.message)


def _problem_of(refusal: e.AnyRefusal) -> Problem:
    match refusal:
        case e.RefusedOldVersion():
            return Problem(field="version", message=_old_version(refusal))
        case e.RefusedByStatus():
            words = f"the section is {refusal.status}: {_ADVICE[refusal.status]}"
            return Problem(field="section_id", message=words)
        case e.RefusedByDocumentStatus():
            return Problem(field="document_id", message=f"the document is {refusal.document_status}")
        case e.RefusedUnknownSection() if refusal.request == _EXPORT:
            return Problem(field="redline", message="it names a section that the document does not have")
        case (
            e.RefusedUnknownSection()
            | e.RefusedUnknownNeed()
            | e.RefusedNoCycle()
            | e.RefusedNothingWritten()
            | e.RefusedNotStale()
            | e.RefusedOldLedger()
            | e.RefusedBriefWithdrawn()
        ):
            return _PROBLEMS[type(refusal)]
        case (
            e.RefusedUpstreamStale()
            | e.RefusedReplacesEdit()
            | e.RefusedLongAnswers()
            | e.RefusedStaleAnswers()
            | e.RefusedUnacceptedAnswers()
            | e.RefusedRevisionLimit()
        ):
            return _problem_of_section(refusal)
        case (
            e.RefusedUnknownProposal()
            | e.RefusedVoidProposal()
            | e.RefusedDecidedProposal()
            | e.RefusedWithdrawnProposal()
            | e.RefusedOpenProposal()
        ):
            return _problem_of_proposal(refusal)
        case e.RefusedUnknownInput() | e.RefusedInputVersion() | e.RefusedInputName():
            return _problem_of_input(refusal)
        case (
            e.RefusedUnknownVersion()
            | e.RefusedUnknownRequirement()
            | e.RefusedFormFields()
            | e.RefusedUnknownThread()
            | e.RefusedByThreadStatus()
        ):
            return _not_there(refusal)
        case e.RefusedPastDue() | e.RefusedSameAssignment() | e.RefusedNotAssigned():
            return _problem_of_assignment(refusal)
        case e.RefusedAnswer():
            return _problem_of_answer(refusal)
        case _:
            assert_never(refusal)


def _problem_of_section(
    refusal: e.RefusedUpstreamStale
    | e.RefusedReplacesEdit
    | e.RefusedLongAnswers
    | e.RefusedStaleAnswers
    | e.RefusedUnacceptedAnswers
    | e.RefusedRevisionLimit,
) -> Problem:
    match refusal:
        case e.RefusedLongAnswers() | e.RefusedUnacceptedAnswers():
            return Problem(field="section_id", message=_answers_to_form(refusal))
        case e.RefusedStaleAnswers():
            return Problem(field="section_id", message=_stale_answers(refusal))
        case e.RefusedRevisionLimit():
            words = f"the section was revised {refusal.max_revisions} times, which is the limit"
            return Problem(field="section_id", message=words)
        case e.RefusedUpstreamStale():
            words = f"{refusal.upstream_section_id}, which it rests on, is stale itself: decide about that one first"
            return Problem(field="section_id", message=words)
        case e.RefusedReplacesEdit():
            words = f"version {refusal.version} holds a person's words ({refusal.origin}); say so if it may be replaced"
            return Problem(field="replace_edited", message=words)
        case _:
            assert_never(refusal)


def _problem_of_input(refusal: e.RefusedUnknownInput | e.RefusedInputVersion | e.RefusedInputName) -> Problem:
    match refusal:
        case e.RefusedUnknownInput():
            return Problem(field="input_id", message=f"the document has no input {refusal.input_id}")
        case e.RefusedInputVersion() if refusal.current_version == 0:
            return Problem(field="version", message=f"of {refusal.input_id} there is no such version")
        case e.RefusedInputVersion():
            words = f"version {refusal.version} is not current; version {refusal.current_version} is"
            return Problem(field="version", message=words)
        case e.RefusedInputName():
            return Problem(field="upload.name", message=f"{refusal.input_id} is called so: replace that one")
        case _:
            assert_never(refusal)


def _problem_of_form(refusal: e.RefusedFormFields) -> Problem:
    if refusal.field_id is not None:
        return Problem(field="dropped", message=f"the form has no field {refusal.field_id}")
    if refusal.unconfirmed:
        words = f"nobody has confirmed the fields of {refusal.input_id}: confirm them, and approve the answers"
        return Problem(field="input_id", message=words)
    words = (
        f"{refusal.input_id} is no form with fields to answer; give it the role form, and see `stemma show --inputs`"
    )
    return Problem(field="input_id", message=words)


def _answers_to_form(refusal: e.RefusedLongAnswers | e.RefusedUnacceptedAnswers) -> str:
    is_one = refusal.answers == 1
    match refusal:
        case e.RefusedLongAnswers():
            words = "1 answer is longer" if is_one else f"{refusal.answers} answers are longer"
            return f"{words} than the form says, and it would not accept that: see the findings, and shorten it"
        case e.RefusedUnacceptedAnswers():
            words = "1 answer is" if is_one else f"{refusal.answers} answers are"
            return f"{words} none of those that the form accepts: see the findings, and answer as it asks"
        case _:
            assert_never(refusal)


def _stale_answers(refusal: e.RefusedStaleAnswers) -> str:
    named = f"differs in the fields {', '.join(refusal.field_ids)}" if refusal.field_ids else "accepts other answers"
    return (
        f"the answers are for version {refusal.version} of {refusal.input_id}, and version {refusal.current_version}"
        f" {named}: confirm its fields and have the section written again, or keep the answers"
    )


def _problem_of_assignment(refusal: e.RefusedPastDue | e.RefusedSameAssignment | e.RefusedNotAssigned) -> Problem:
    match refusal:
        case e.RefusedPastDue():
            return Problem(field="due", message=f"{refusal.due.isoformat()} is past")
        case e.RefusedSameAssignment():
            return Problem(field="assignee", message=f"{refusal.assignee} is asked to see to it already")
        case e.RefusedNotAssigned():
            return Problem(field="section_id", message="nobody in particular is asked to see to it")
        case _:
            assert_never(refusal)


def _problem_of_answer(refusal: e.RefusedAnswer) -> Problem:
    return Problem(field="decisions" if refusal.references else "answer", message=_understood(refusal))


def _understood(refusal: e.RefusedAnswer) -> str:
    """What the question can be answered with."""
    forms = " or ".join(f"`{form}`" for form in refusal.forms)
    words = [f"it can be answered with {forms}"] if forms else []
    if refusal.references:
        named = ", ".join(f"`{reference}`" for reference in refusal.references)
        words.append(f"by a decision (`skip`, the name of an image among the inputs, or an upload) about {named}")
    return "this is not understood: " + ", or ".join(words or ["answer in words"])


_WITHDRAWN = {
    "refused": "the editor refused the instruction; ask for another change",
    "failed": "the editor could not make it; ask again",
}


def _problem_of_proposal(
    refusal: e.RefusedUnknownProposal
    | e.RefusedVoidProposal
    | e.RefusedDecidedProposal
    | e.RefusedWithdrawnProposal
    | e.RefusedOpenProposal,
) -> Problem:
    name = refusal.proposal_id
    match refusal:
        case e.RefusedUnknownProposal():
            words = f"the section has no proposed edit {name}"
        case e.RefusedVoidProposal():
            now = refusal.current_version
            words = f"{name} is void: it changes version {refusal.version}, and version {now} is current; ask again"
        case e.RefusedDecidedProposal():
            words = f"{name} was {refusal.decision} before"
        case e.RefusedWithdrawnProposal():
            words = f"{name} was never proposed: {_WITHDRAWN[refusal.reason]}"
        case e.RefusedOpenProposal() if refusal.made:
            return Problem(field="section_id", message=f"the edit {name} is proposed: accept or reject it first")
        case e.RefusedOpenProposal():
            return Problem(field="section_id", message=f"the editor is at work on the edit {name}: it can be rejected")
        case _:
            assert_never(refusal)
    return Problem(field="proposal_id", message=words)


def _not_there(
    refusal: e.RefusedUnknownVersion
    | e.RefusedUnknownRequirement
    | e.RefusedFormFields
    | e.RefusedUnknownThread
    | e.RefusedByThreadStatus,
) -> Problem:
    if isinstance(refusal, e.RefusedFormFields):
        return _problem_of_form(refusal)
    if isinstance(refusal, e.RefusedUnknownThread | e.RefusedByThreadStatus):
        return Problem(field="thread_id", message=_of_thread(refusal))
    if isinstance(refusal, e.RefusedUnknownRequirement):
        return Problem(field="requirement_id", message=f"the ledger has no row {refusal.requirement_id}")
    if refusal.request == _EXPORT:
        return Problem(field="redline", message=f"{refusal.section_id} has no version {refusal.restore_version}")
    words = f"the section has no earlier version {refusal.restore_version}"
    return Problem(field="restore_version", message=words)


def _of_thread(refusal: e.RefusedUnknownThread | e.RefusedByThreadStatus) -> str:
    if isinstance(refusal, e.RefusedUnknownThread):
        return f"the section has no thread {refusal.thread_id}"
    return f"the thread {refusal.thread_id} is {'resolved' if refusal.resolved else 'open'} already"


def _old_version(refusal: e.RefusedOldVersion) -> str:
    if refusal.current_version == 0:
        return "nothing is written yet"
    return f"version {refusal.version} is not current; version {refusal.current_version} is"
