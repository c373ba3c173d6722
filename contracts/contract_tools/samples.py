"""Realistic samples of contracts: every field filled, and only what is required."""

import hashlib
import types
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AwareDatetime, BaseModel
from stemma_contracts import Entry, Envelope, Family, envelope_for, problems, subjects
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import MadeComment, NewComment
from stemma_contracts.v1.coverage import UncoveredChapter
from stemma_contracts.v1.document import DocumentHead
from stemma_contracts.v1.evaluation import ProgramCheck
from stemma_contracts.v1.events import (
    DocumentRequested,
    ExportFailed,
    SectionThreadReopened,
    SectionThreadResolved,
)
from stemma_contracts.v1.jobs import UpstreamDraft
from stemma_contracts.v1.ledger import RequirementDecision, RowCuts, RowParts
from stemma_contracts.v1.outcomes import ConversionFailed
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.requests import (
    AcceptSuggestion,
    AnswerNeed,
    CreateDocument,
    EditSection,
    ReopenThread,
    ResolveThread,
    TakeBackChanges,
)
from stemma_contracts.v1.staleness import TextDifference, UpstreamVersion, UsedUpstream

PEOPLE = "person"
BULK = "bulk"


def senders(entry: Entry) -> tuple[str, ...]:
    """The services that publish a contract, or the client of a caller."""
    match entry.family:
        case Family.REQUEST:
            return (subjects.CALLERS,)
        case Family.OUTCOME:
            return (entry.service,) if entry.service else subjects.WORKERS
        case Family.ANSWER | Family.EVENT | Family.JOB:
            return (subjects.ORCHESTRATOR,)


def readers(entry: Entry) -> tuple[str, ...]:
    """The services that decode a contract, or the client of a caller."""
    match entry.family:
        case Family.ANSWER:
            return (subjects.CALLERS,)
        case Family.EVENT:
            return (subjects.ORCHESTRATOR, subjects.NOTIFIER, subjects.CALLERS)
        case Family.JOB:
            return (entry.service,) if entry.service else subjects.WORKERS
        case Family.REQUEST | Family.OUTCOME:
            return (subjects.ORCHESTRATOR,)


def address(entry: Entry) -> str:
    """The subject with AsyncAPI parameters in the place of the variable tokens."""
    match entry.family:
        case Family.REQUEST:
            subject = subjects.request("P-tenant", entry.token)
        case Family.ANSWER:
            subject = subjects.answer("P-tenant", "P-request_id")
        case Family.EVENT:
            subject = subjects.event("P-tenant", "P-document_id", entry.token)
        case Family.JOB:
            subject = subjects.job(entry.service or "P-service", entry.token)
        case Family.OUTCOME:
            subject = subjects.outcome(entry.service or "P-service", entry.token)
    return parameterised(subject)


def address_of_people(entry: Entry) -> str:
    """The same for a request of a person."""
    return parameterised(subjects.request_of("P-tenant", "P-person", entry.token))


def address_of_bulk(entry: Entry) -> str:
    """The same for a job of a tenant that has many open."""
    return parameterised(subjects.bulk_job(entry.service or "P-service", entry.token))


def parameterised(subject: str) -> str:
    """Turn the tokens that stand for a parameter (``P-name``) into ``{name}``."""
    return ".".join(f"{{{t[2:]}}}" if t.startswith("P-") else t for t in subject.split("."))


TIME = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
DOCUMENT = "d-5f0c9a1be2374d68"
REQUEST = "req-2026-0314-1"
THREAD = "c23-1"
JOB = f"{DOCUMENT}.7.generate-section.budget"

NAMED: Mapping[str, Any] = {
    "activity": "edit",
    "actor": "jane.doe@example.org",
    "agent": "DatabaseDesignerAgent",
    "agent_version": "0.1.0",
    "answer": "The pilot starts in May.",
    "assets": "media/plan.png",
    "assignee": "ada",
    "body": {"section_id": "budget", "version": 3},
    "brief": "Ten rural clinics need a shared record of vaccinations.",
    "calls": 2,
    "change": "approve-section",
    "check": "required_headings",
    "checkpoint_id": "1f01a2b3-4c5d-6e7f-8001-92a3b4c5d6e7",
    "collects": "amounts",
    "cost": 0.0042,
    "count": 2,
    "critical_failures": "figures_add_up",
    "current_version": 4,
    "params": {"reason": "damaged"},
    "comments_as": {"4": "guidance"},
    "decisions": {"media/plan.png": "skip"},
    "depends_on": "approach",
    "detail": "RateLimitError 429",
    "document_id": DOCUMENT,
    "document_status": "cancelled",
    "engine": "rumdl",
    "engine_version": "0.3.0",
    "error_detail": "Expected: 1; Actual: 2",
    "export_id": "x-12",
    "failed_sections": "timeline",
    "feedback": "Name the cost of travel.",
    "field": "brief",
    "findings": {"major": 1},
    "format": "docx",
    "unsupported": {"amount": 1},
    "generator": "offline-writer 0.1.0",
    "graph": "section",
    "graph_execution_id": "0d5e0d8b-2f0c-5c46-9a3f-7a0c3e7d9a51",
    "held_up_by": {"budget": ["connections"]},
    "graph_execution_ids": {"budget": "0d5e0d8b-2f0c-5c46-9a3f-7a0c3e7d9a51"},
    "ignored_fields": "colour",
    "input_tokens": 1800,
    "instructions": "State every amount with its year and where it comes from.",
    "issue_count": 1,
    "job_id": JOB,
    "judged": False,
    "kind": "budget",
    "language": "de",
    "last_sequence": 23,
    "max_lint_rounds": 2,
    "max_pages": 2,
    "max_revisions": 5,
    "max_words": 500,
    "message": "give exactly one of brief and brief_upload",
    "min_score": 0.7,
    "mode": "auto",
    "model": "offline-writer",
    "month": "2026-03",
    "need_id": "need-19",
    "node": "synthesizer",
    "object_name": hashlib.sha256(b"object").hexdigest(),
    "block_id": "3f2a9c01bd",
    "outcome": "stemma.section.generated.v1",
    "output_tokens": 640,
    "pages": 3,
    "passed": False,
    "proposal_id": "p17",
    "purpose": "What the work costs and who pays for it.",
    "request": "stemma.approve.section.v1",
    "request_id": REQUEST,
    "request_sequence": 41,
    "required_headings": "Costs by year",
    "review": "auto",
    "review_edits": "human",
    "round": 1,
    "rule": "MD022",
    "rule_description": "Headings should be surrounded by blank lines",
    "rules": {"MD022": 1},
    "score": 0.86,
    "scores": {"completeness": 0.9, "figures_add_up": 0.8},
    "section_id": "budget",
    "sections": "budget",
    "size": 2048,
    "starts": "timeline",
    "status": "awaiting_review",
    "tenant": "default",
    "thread_id": f"{DOCUMENT}.budget.1",
    "title": "Budget",
    "validation_passed": False,
    "version": 3,
}


def _coded(words: str, code: str, **params: problems.Param) -> dict[str, Any]:
    return {words: problems.message(code, params), "code": code, "params": params}


PROBLEM = Problem.of("version_old", "version", version=3, current_version=4)
NAMED_IN: Mapping[type[BaseModel], Mapping[str, Any]] = {
    Problem: PROBLEM.model_dump(),
    ConversionFailed: _coded("detail", "conversion_timeout", reason="pandoc took 60 s"),
    ExportFailed: _coded("detail", "conversion_timeout", reason="pandoc took 60 s"),
    ProgramCheck: _coded("detail", "inputs_named", named=0, all=2) | {"check": "inputs_cited"},
    UncoveredChapter: {"chapter": "Costs by year", "line": 12, "blocks": 2},
    CreateDocument: {"kind": "proposal", "title": "Vaccination records for rural clinics"},
    DocumentHead: {"kind": "proposal"},
    DocumentRequested: {"kind": "proposal"},
    RequirementDecision: {"requirement_id": "R12", "section_id": "approach", "owner": "ada"},
    RowCuts: {"requirement_id": "R12", "cuts": [37]},
    RowParts: {"requirement_id": "R12", "parts": ["R12-2"]},
    NewComment: {
        "text": "From which budget?",
        "quote": "EUR 480,000",
        "before": "The pilot costs",
        "block_id": "k3v9x0a1bq",
        "thread_id": THREAD,
    },
    MadeComment: {"comment_id": "c31-1", "thread_id": THREAD, "block_id": "k3v9x0a1bq"},
    AcceptSuggestion: {"thread_id": THREAD, "comment_id": THREAD},
    TakeBackChanges: {"since": 1, "changes": [1, 3], "shown": 4},
    ResolveThread: {"thread_id": THREAD},
    ReopenThread: {"thread_id": THREAD},
    SectionThreadResolved: {"thread_id": THREAD},
    SectionThreadReopened: {"thread_id": THREAD},
    TextDifference: {
        "base": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "touched": ["9f86d081884c"],
        "extended": ["9f86d081884c"],
        "followed": {"9f86d081884c": "60303ae22b99"},
    },
    UpstreamDraft: {"section_id": "approach", "title": "Approach"},
    UpstreamVersion: {"section_id": "approach"},
    UsedUpstream: {"section_id": "approach", "marks": ["9f86d081884c"]},
}
# Rules across fields that the fields by themselves do not show: one form of the brief, one choice of sections.
LEFT_OUT: Mapping[type[BaseModel], frozenset[str]] = {
    AnswerNeed: frozenset({"heading"}),
    CreateDocument: frozenset({"brief_upload", "sections"}),
    EditSection: frozenset({"text", "text_upload", "images"}),
    TakeBackChanges: frozenset({"proposal_id"}),
}
ALSO_NEEDED: Mapping[type[BaseModel], frozenset[str]] = {
    CreateDocument: frozenset({"brief"}),
    EditSection: frozenset({"instruction"}),
    TakeBackChanges: frozenset({"since"}),
    OutlineSection: frozenset({"title"}),
    RequirementDecision: frozenset({"confirmed"}),
}


def full(cls: type[BaseModel]) -> dict[str, Any]:
    """The data of a contract with every field filled, none at its default."""
    left_out = LEFT_OUT.get(cls, frozenset())
    named = NAMED_IN.get(cls, {})
    fields = {n: f for n, f in cls.model_fields.items() if n not in left_out}
    return {n: named[n] if n in named else _value(n, f.annotation, full) for n, f in fields.items()}


def minimal(cls: type[BaseModel]) -> dict[str, Any]:
    """The data of a contract with nothing but what it requires."""
    needed = ALSO_NEEDED.get(cls, frozenset())
    fields = {n: f for n, f in cls.model_fields.items() if f.is_required() or n in needed}
    named = {n: v for n, v in NAMED_IN.get(cls, {}).items() if n in fields}
    return {n: _value(n, f.annotation, minimal) for n, f in fields.items()} | named


def full_envelope(entry: Entry) -> Envelope:
    """The headers of a sample with every attribute."""
    trace = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate": "vendor=1"}
    return envelope_for(
        entry,
        id=_message_id(entry),
        source=senders(entry)[0],
        subject=DOCUMENT,
        time=TIME,
        correlation_id=REQUEST,
        causation_id=f"{DOCUMENT}.7",
        sequence=8 if entry.family is Family.EVENT else 0,
        trace=trace,
    )


def minimal_envelope(entry: Entry) -> Envelope:
    """The headers of a sample with nothing but what an envelope requires."""
    return Envelope(_message_id(entry), entry.ce_type, senders(entry)[0], DOCUMENT, TIME)


def subject_of(entry: Entry) -> str:
    """A concrete subject that the sample may be published on."""
    subject = address(entry)
    for name in ("tenant", "document_id", "request_id"):
        subject = subject.replace(f"{{{name}}}", NAMED[name])
    return subject


def _message_id(entry: Entry) -> str:
    ids = {Family.EVENT: f"{DOCUMENT}.8", Family.OUTCOME: f"{JOB}.outcome", Family.JOB: JOB}
    return ids.get(entry.family, REQUEST)


def _value(name: str, annotation: Any, fill: Any) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _value(name, arguments[0], fill)
    if origin in (Union, types.UnionType):
        return _value(name, next(a for a in arguments if a is not type(None)), fill)
    if origin is tuple:
        return [_value(name, arguments[0], fill)]
    if origin is Literal:
        return NAMED[name] if NAMED.get(name) in arguments else arguments[-1]
    if isinstance(annotation, type):
        return _of_class(name, annotation, fill)
    return NAMED[name]


def _of_class(name: str, cls: type, fill: Any) -> Any:
    if issubclass(cls, ArtifactRef):
        return _artifact(name)
    if issubclass(cls, BaseModel):
        return fill(cls)
    if issubclass(cls, Enum):
        values = [member.value for member in cls]
        return NAMED[name] if NAMED.get(name) in values else values[-1]
    return _scalar(name, cls)


def _scalar(name: str, cls: type) -> Any:
    if name.endswith("digest"):
        return hashlib.sha256(name.encode()).hexdigest()
    if cls in (datetime, AwareDatetime):
        return TIME.isoformat().replace("+00:00", "Z")
    if name in {"name", "media_type"}:
        return {"name": "media/plan.png", "media_type": "image/png"}[name]
    fallback = {str: name.replace("_", "-"), int: 1, float: 0.5, bool: True}
    return NAMED[name] if isinstance(NAMED.get(name), cls) else fallback[cls]


def _artifact(name: str) -> dict[str, Any]:
    media_type, suffix = ("application/json", "json") if name in {"report", "feedback"} else ("text/markdown", "md")
    digest = hashlib.sha256(f"artifact {name}".encode()).hexdigest()
    return {"digest": digest, "size": 2048, "media_type": media_type, "name": f"{name}.{suffix}"}
