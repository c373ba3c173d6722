"""Who sends a contract, who reads it, and at which address."""

from __future__ import annotations

from stemma_contracts import Entry, Family, subjects

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
