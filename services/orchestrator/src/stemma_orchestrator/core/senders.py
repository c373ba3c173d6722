"""Whose outcome counts: the id of a job says which service has it, the subject of an outcome which service speaks."""

from __future__ import annotations

from stemma_contracts import subjects
from stemma_contracts.v1.outcomes import JobDead, Outcome, ThreadsHeld
from stemma_document.state import Document

from .features import FEATURES

OWNERS = {name: service for feature in FEATURES for name, service in feature.job_owners.items()}
_PARTS = 4


def name_of(job_id: str) -> str:
    """The name of a job, nothing for an id that no job has."""
    parts = job_id.split(".")
    return parts[2] if len(parts) == _PARTS else ""


def owner_of(job_id: str) -> str | None:
    """The service that has a job; none of an id that no job has."""
    return OWNERS.get(name_of(job_id))


def may_report(sender: str, outcome: Outcome) -> bool:
    """Whether an outcome is the sender's to report.

    The orchestrator reports jobs that were given up: of its own accord, or because of a message of their owner.
    """
    if isinstance(outcome, ThreadsHeld):
        return sender == subjects.GENERATION
    owner = owner_of(outcome.job_id)
    if sender == subjects.ORCHESTRATOR:
        return owner is not None and isinstance(outcome, JobDead) and outcome.service in (None, owner)
    return sender == owner


def is_ahead(job_id: str, document: Document) -> bool:
    """Whether no event of the document can have opened the job yet."""
    document_id, number, *_ = (*job_id.split("."), "")
    return document_id != document.document_id or not number.isdecimal() or int(number) > document.number
