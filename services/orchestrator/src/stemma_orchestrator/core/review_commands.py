"""What people decide about one section, bound to the version that they saw."""

from __future__ import annotations

from typing import Any, assert_never

from stemma_contracts import Contract, registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_document.state import (
    AwaitingAnswer,
    AwaitingReview,
    Document,
    Failed,
    Lifecycle,
    Section,
    Working,
    status_of,
)

from .answers import is_understood
from .commands import (
    AcceptEdit,
    Answer,
    Approve,
    Decision,
    Edit,
    Keep,
    KeepSeveral,
    Regenerate,
    RegenerateSeveral,
    RejectEdit,
    Restore,
    Retry,
    Revise,
    Several,
    Write,
)
from .cycles import may_be_approved, revise_all
from .edit_commands import by, decide_edit
from .proposals import decide_proposal

MAX_NAMED = 10
_CLOSED = frozenset({Lifecycle.CANCELLED})
_REQUEST_TYPES: dict[type, type[Contract]] = {
    Approve: requests.ApproveSection,
    Revise: requests.ReviseSection,
    Retry: requests.RetrySection,
    Answer: requests.AnswerNeed,
    AcceptEdit: requests.AcceptEdit,
    RejectEdit: requests.RejectEdit,
    Write: requests.EditSection,
    Edit: requests.EditSection,
    Keep: requests.KeepSection,
    Regenerate: requests.RegenerateSection,
    KeepSeveral: requests.KeepSections,
    RegenerateSeveral: requests.RegenerateSections,
    Restore: requests.RestoreSection,
}


def decide_section(command: Decision, document: Document) -> e.AnyEvent:
    """The event of a decision about a section: its effect, or the refusal that names the reason."""
    section = document.sections.get(command.section_id)
    refusal = _refusal(command, document)
    if section is None:
        return e.RefusedUnknownSection(**refusal)
    if document.lifecycle in _CLOSED:
        return e.RefusedByDocumentStatus(**refusal, document_status=document.lifecycle)
    match command:
        case Approve():
            return _review_refusal(command, section, refusal) or _approve(command, document, section, refusal)
        case Revise():
            return _review_refusal(command, section, refusal) or _revise(command, document, section, refusal)
        case Retry():
            return _retry(command, section, refusal)
        case Answer():
            return _answer(command, document, section, refusal)
        case AcceptEdit() | RejectEdit():
            return decide_proposal(command, section, by(command.asked), refusal)
        case Write() | Edit() | Keep() | Regenerate() | Restore():
            return decide_edit(command, document, section, refusal)
        case _:
            assert_never(command)


def request_name(command: Decision | Several) -> str:
    """The wire name of the request behind a command."""
    return registry.entry_of(_REQUEST_TYPES[type(command)]).ce_type


def _refusal(command: Decision, document: Document) -> dict[str, Any]:
    known = command.section_id if command.section_id in document.sections else None
    return {**by(command.asked), "request": request_name(command), "section_id": known}


def _review_refusal(command: Approve | Revise, section: Section, refusal: dict[str, Any]) -> e.AnyEvent | None:
    if section.current_number != command.version:
        return e.RefusedOldVersion(**refusal, version=command.version, current_version=section.current_number)
    if not isinstance(section.phase, AwaitingReview):
        return _by_status(section, refusal)
    return None


def _by_status(section: Section, refusal: dict[str, Any]) -> e.RefusedByStatus:
    return e.RefusedByStatus(**refusal, status=status_of(section.phase))


def _approve(command: Approve, document: Document, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    if not may_be_approved(document, command.section_id):
        return _by_status(section, refusal)
    return e.SectionApproved(**by(command.asked), section_id=command.section_id, version=command.version)


def _revise(command: Revise, document: Document, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    if command.cycle:
        return revise_all(command, document, by(command.asked), refusal)
    if section.revisions >= section.plan.max_revisions:
        return e.RefusedRevisionLimit(**refusal, max_revisions=section.plan.max_revisions)
    return e.SectionRevisionRequested(
        **by(command.asked), section_id=command.section_id, version=command.version, feedback=command.feedback
    )


def _retry(command: Retry, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    if not isinstance(section.phase, Failed | Working):
        return _by_status(section, refusal)
    return e.SectionRetried(**by(command.asked), section_id=command.section_id)


def _answer(command: Answer, document: Document, section: Section, refusal: dict[str, Any]) -> e.AnyEvent:
    phase = section.phase
    if not isinstance(phase, AwaitingAnswer) or phase.need.need_id != command.need_id:
        return e.RefusedUnknownNeed(**refusal, need_id=command.need_id)
    if not is_understood(command, phase.need, document):
        undecided = tuple(entry.reference for entry in phase.need.references[:MAX_NAMED])
        forms = phase.need.forms
        return e.RefusedAnswer(**refusal, need_id=command.need_id, forms=forms, references=undecided)
    return e.SectionNeedAnswered(
        **by(command.asked), section_id=command.section_id, need_id=command.need_id, answer=command.answer
    )
