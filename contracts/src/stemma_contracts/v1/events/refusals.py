"""Requests that changed nothing, and why."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, Literal

from pydantic import AliasChoices, Field

from stemma_contracts import problems
from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.requests import Actor
from stemma_contracts.v1.section import SectionStatus

from .base import Event

REFUSED = "stemma.decision.refused.v1"


@registry.contract(REFUSED, Family.EVENT)
class DecisionRefused(Event):
    """A request that changed nothing, and why; one about a list has an event for each problem."""

    request: str = Field(max_length=100, description="ce-type of the request")
    section_id: Token | None = None
    problem: Problem


class OldRefusal(Event):
    """A refusal of an earlier release, which had a type for each reason. All fields are optional: none stops a log."""

    request: str = Field(default="", max_length=100)
    section_id: Token | None = None
    position: int | None = None
    answers: int = 0
    assignee: Actor = ""
    current_version: int = 0
    decision: Literal["accepted", "rejected"] = "rejected"
    document_status: DocumentStatus = DocumentStatus.CANCELLED
    due: datetime | None = None
    field_id: Token | None = None
    field_ids: tuple[Token, ...] = ()
    forms: tuple[str, ...] = ()
    input_id: Token = ""
    made: bool = False
    max_revisions: int = 0
    proposal_id: Token = ""
    reason: Literal["refused", "failed"] = "failed"
    references: tuple[str, ...] = ()
    requirement_id: Token = ""
    resolved: bool = False
    status: SectionStatus = SectionStatus.QUEUED
    thread_id: Token = ""
    unconfirmed: bool = False
    upstream_section_id: Token | None = None
    version: int = Field(default=0, validation_alias=AliasChoices("version", "restore_version"))

    @property
    def of_export(self) -> bool:
        """Whether an export was refused."""
        return self.request == "stemma.export.document.v1"

    def params(self) -> dict[str, problems.Param]:
        """The parameters that its code may have."""
        return {
            **self.model_dump(include={"answers", "assignee", "current_version", "input_id", "max_revisions"}),
            **self.model_dump(include={"proposal_id", "requirement_id", "thread_id", "version"}),
            "name": self.input_id,
            "due": self.due.isoformat() if self.due else "",
            "field_ids": ", ".join(self.field_ids),
            "form_field": self.field_id or "",
            "forms": ", ".join(f"`{form}`" for form in self.forms),
            "references": ", ".join(f"`{reference}`" for reference in self.references),
            "section_id": self.upstream_section_id or self.section_id or "",
        }


_ANSWER = {
    (True, True): ("answer_form_or_decision_needed", "decisions"),
    (False, True): ("answer_decision_needed", "decisions"),
    (True, False): ("answer_form_needed", "answer"),
    (False, False): ("answer_words_needed", "answer"),
}
_REASONS: dict[str, Callable[[OldRefusal], tuple[str, str]]] = {
    "answer": lambda old: _ANSWER[bool(old.forms), bool(old.references)],
    "brief.withdrawn": lambda _: ("brief_needed", "input_id"),
    "decided.proposal": lambda old: (f"proposal_{old.decision}", "proposal_id"),
    "document.status": lambda old: (f"document_{old.document_status}", "document_id"),
    "form.fields": lambda old: (
        ("form_field_unknown", "dropped")
        if old.field_id
        else ("form_unconfirmed" if old.unconfirmed else "form_without_fields", "input_id")
    ),
    "input.name": lambda _: ("input_name_taken", "upload.name"),
    "input.version": lambda old: ("version_old" if old.current_version else "input_version_unknown", "version"),
    "long.answers": lambda _: ("answers_too_long", "section_id"),
    "no.cycle": lambda _: ("no_review_cycle", "cycle"),
    "not.assigned": lambda _: ("not_assigned", "section_id"),
    "not.stale": lambda _: ("section_not_stale", "section_id"),
    "nothing.written": lambda _: ("nothing_written", "section_id"),
    "old.ledger": lambda _: ("rows_changed", "rows_digest"),
    "old.version": lambda old: ("version_old" if old.current_version else "nothing_written", "version"),
    "open.proposal": lambda old: ("proposal_open" if old.made else "proposal_in_work", "section_id"),
    "past.due": lambda _: ("due_past", "due"),
    "replaces.edit": lambda _: ("edited_by_person", "replace_edited"),
    "revision.limit": lambda _: ("revision_limit", "section_id"),
    "same.assignment": lambda _: ("assigned_already", "assignee"),
    "stale.answers": lambda old: (
        "answers_for_other_fields" if old.field_ids else "answers_for_other_choices",
        "section_id",
    ),
    "status": lambda old: (f"section_{old.status}", "section_id"),
    "thread.status": lambda old: ("thread_resolved" if old.resolved else "thread_open", "thread_id"),
    "unaccepted.answers": lambda _: ("answers_not_accepted", "section_id"),
    "unknown.input": lambda _: ("input_unknown", "input_id"),
    "unknown.need": lambda _: ("question_closed", "need_id"),
    "unknown.proposal": lambda _: ("proposal_unknown", "proposal_id"),
    "unknown.requirement": lambda _: ("row_unknown", "requirement_id"),
    "unknown.section": lambda old: ("section_unknown", "redline" if old.of_export else "section_id"),
    "unknown.thread": lambda _: ("thread_unknown", "thread_id"),
    "unknown.version": lambda old: ("version_unknown", "redline" if old.of_export else "restore_version"),
    "upstream.stale": lambda _: ("upstream_stale", "section_id"),
    "void.proposal": lambda _: ("proposal_void", "proposal_id"),
    "withdrawn.proposal": lambda old: (f"proposal_{old.reason}", "proposal_id"),
}
"""By what stood in the name of the type: the code, and the field that is wrong."""
_LISTS = {"stemma.decide.requirements.v1": "decisions", "stemma.comment.section.v1": "comments"}
_IN_LISTS = ("section_id", "version", "requirement_id", "thread_id")


def _upcast(reason: str, old: OldRefusal) -> dict[str, Any]:
    code, field = _REASONS[reason](old)
    params = {name: value for name, value in old.params().items() if name in problems.parameters(code)}
    if old.position is not None and field in _IN_LISTS:
        field = f"{_LISTS.get(old.request, 'sections')}.{old.position}.{field}"
    return {**old.model_dump(), "problem": Problem.of(code, field, **params)}


for name in _REASONS:
    registry.upcaster(f"stemma.refused.{name}.v1", OldRefusal, REFUSED)(partial(_upcast, name))
