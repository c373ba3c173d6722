"""Every subject, stream, durable consumer and bucket name is spelled here and nowhere else."""

from dataclasses import dataclass
from enum import StrEnum

from .tokens import Digest, check_person, check_token


class Wildcard(StrEnum):
    """What a pattern may hold in place of a token. Text from outside is never one, whatever it says."""

    ANY = "*"
    REST = ">"


ANY, REST = Wildcard.ANY, Wildcard.REST

ORCHESTRATOR = "orchestrator"
GENERATION = "generation-graph"
EDITOR = "editor-agent"
VALIDATOR = "validator"
CONVERTER = "converter"
NOTIFIER = "notifier"
WORKERS = (GENERATION, EDITOR, VALIDATOR, CONVERTER)
SERVICES = (ORCHESTRATOR, *WORKERS, NOTIFIER)
GATEWAY = "gateway"
"""It has no user and no subject of its own: it connects as whoever calls it."""
LONG_WORKERS = (GENERATION, EDITOR, CONVERTER)
"""Those whose jobs may take long, so that it is worth ending one."""
CALLERS = "client"
"""The `ce-source` of people and programs; a service has its own name there."""

REQUESTS = "REQUESTS"
ANSWERS = "ANSWERS"
EVENTS = "EVENTS"
JOBS = "JOBS"
OUTCOMES = "OUTCOMES"
DEAD = "DEAD"
NOTICES = "NOTICES"
TIMERS = "TIMERS"
ADVISORIES = "ADVISORIES"
ARTIFACTS = "ARTIFACTS"
RECORDS = "RECORDS"
VIEWS_BUCKET = "documents"
CAPABILITIES_BUCKET = "capabilities"
RULES_BUCKET = "notifications"
DELIVERIES_BUCKET = "notified"
VIEWED_BUCKET = "viewed"
PROGRAMS = "_programs"
"""The owner of the rules of a tenant's programs; no person can be called so."""

PROJECTOR = "orchestrator-views"
SWEEPER = "orchestrator-sweeper"

_ROOT = "stemma"
_V = "v1"
_OF_PEOPLE = "v2"
_BULK = "bulk"
_OF_TENANTS = ("request", "answer", "event", "live", "notice", "timer", "elapsed", "presence")
ADVISORY_SUBJECTS = tuple(
    f"$JS.EVENT.ADVISORY.CONSUMER.{given_up}.{queue}.*"
    for given_up in ("MAX_DELIVERIES", "MSG_TERMINATED")
    for queue in (REQUESTS, JOBS, OUTCOMES)
)
"""What the server gave up of our queues. Of the other streams it tells as well, with each summary that is replaced."""


def _address(family: str, *tokens: str, version: str = _V) -> str:
    checked = (t if isinstance(t, Wildcard) else check_token(t, "subject token") for t in tokens)
    return ".".join((_ROOT, family, version, *checked))


def request(tenant: str, name: str) -> str:
    """Where a program publishes a request event; who it is from is what its body claims."""
    return _address("request", tenant, name)


def request_of(tenant: str, person: str, name: str) -> str:
    """Where a person publishes a request event; the server lets nobody else publish there."""
    return _address("request", tenant, person, name, version=_OF_PEOPLE)


def requests_of(tenant: str) -> str:
    """The pattern of all requests of a tenant, of its programs and of its people."""
    return _address("request", tenant, REST, version=ANY)


def requests_consumer(tenant: str) -> str:
    """The consumer of the requests of a tenant: none waits behind those of another one."""
    return f"{ORCHESTRATOR}-{check_token(tenant, 'tenant')}"


def tenant_of_requests(consumer: str) -> str:
    """The tenant whose requests a consumer delivers."""
    return consumer.removeprefix(f"{ORCHESTRATOR}-")


def answer(tenant: str, request_id: str) -> str:
    """Where the answer to a request is read, also later."""
    return _address("answer", tenant, request_id)


def event(tenant: str, document_id: str, name: str) -> str:
    """Where an event of a document lies in the log."""
    return _address("event", tenant, document_id, name)


def events_of(tenant: str) -> str:
    """The pattern of all events of a tenant."""
    return _address("event", tenant, REST)


def job(service: str, name: str) -> str:
    """Where a job for a service is published."""
    return _address("job", service, name)


def bulk_job(service: str, name: str) -> str:
    """Where a job of a tenant that has many open is published: it goes behind those of the others."""
    return _address("job", service, _BULK, name)


def bulk_consumer(service: str) -> str:
    """The consumer of such jobs of a service."""
    return f"{check_token(service, 'service')}-{_BULK}"


def job_consumers(service: str) -> dict[str, str]:
    """The consumers of the jobs of a service, each with the pattern of its jobs; those of the first go before."""
    return {service: job(service, ANY), bulk_consumer(service): bulk_job(service, ANY)}


def outcome(service: str, name: str) -> str:
    """Where a service publishes what came of a job."""
    return _address("outcome", service, name)


def dead(service: str, name: str) -> str:
    """Where a service puts a message that it cannot handle."""
    return _address("dead", service, name)


def notice(tenant: str, owner: str, rule_id: str) -> str:
    """Where a notice waits that a rule of a person (or of `PROGRAMS`) calls for."""
    return _address("notice", tenant, owner, rule_id)


def timer(tenant: str, document_id: str, section_id: str, name: str) -> str:
    """Where a timer of a section runs; another one in its place ends it."""
    return _address("timer", tenant, document_id, section_id, name)


def elapsed(tenant: str, document_id: str, section_id: str, name: str) -> str:
    """Where the server puts a timer that elapsed."""
    return _address("elapsed", tenant, document_id, section_id, name)


def live(tenant: str, document_id: str, section_id: str) -> str:
    """Where generated tokens are seen as they come; not stored."""
    return _address("live", tenant, document_id, section_id)


def presence(tenant: str, person: str, document_id: str, section_id: str) -> str:
    """Where a person says that the editor of a section is open; not stored, and the server lets nobody else say it."""
    return _address("presence", tenant, person, document_id, section_id)


def cancelled_job(tenant: str, job_id: str) -> str:
    """Where workers hear that nobody waits for a job any more; not stored, so it may be missed."""
    return _address("cancel", tenant, *job_id.split("."))


def cancelled_jobs() -> str:
    """The pattern of all cancelled jobs."""
    return _address("cancel", REST)


def artifact(tenant: str, document_id: str, digest: Digest) -> str:
    """Where a small artifact lies."""
    return _address("artifact", tenant, document_id, digest)


def record(tenant: str, document_id: str, key: Digest) -> str:
    """Where the record of a model call lies."""
    return _address("record", tenant, document_id, key)


def large_artifact(tenant: str, document_id: str, digest: Digest) -> str:
    """The object name of a large artifact."""
    return "/".join((check_token(tenant, "tenant"), check_token(document_id, "document id"), digest))


def artifacts_bucket(tenant: str) -> str:
    """The object bucket of a tenant's large artifacts: permissions cannot see into one bucket of all tenants."""
    return f"artifacts-{check_token(tenant, 'tenant')}"


def uploads_bucket(tenant: str) -> str:
    """The object bucket that callers of a tenant upload to."""
    return f"uploads-{check_token(tenant, 'tenant')}"


def tenant_of_bucket(stream: str) -> str | None:
    """The tenant whose object bucket a stream is, if it is one."""
    kind, _, tenant = stream.partition("-")
    return tenant if kind in ("OBJ_artifacts", "OBJ_uploads") else None


def copied(tenant: str) -> dict[str, str]:
    """The streams that a tenant reads copies of, each with the pattern of what is the tenant's."""
    views = f"$KV.{VIEWS_BUCKET}.{check_token(tenant, 'tenant')}.>"
    return {EVENTS: events_of(tenant), ANSWERS: answer(tenant, REST), f"KV_{VIEWS_BUCKET}": views}


def copies_api(tenant: str) -> str:
    """What the account of the streams calls the API of the account of a tenant's copies."""
    return f"$JS.COPIES.{check_token(tenant, 'tenant')}.API"


def view_key(tenant: str, document_id: str) -> str:
    """The key of the read model of a document."""
    return f"{check_token(tenant, 'tenant')}.{check_token(document_id, 'document id')}"


def section_view_key(tenant: str, document_id: str, section_id: str) -> str:
    """The key of the read model of a section."""
    return f"{view_key(tenant, document_id)}.{check_token(section_id, 'section id')}"


def rules_key(tenant: str, owner: str) -> str:
    """The key of the rules by which a person, or `PROGRAMS`, is notified."""
    return _key(tenant, owner)


def deliveries_key(tenant: str, owner: str, rule_id: str) -> str:
    """The key of what became of the notices of a rule."""
    return _key(tenant, owner, rule_id)


def viewed_key(tenant: str, owner: str, document_id: str) -> str:
    """The key of what a person, or `PROGRAMS`, has viewed of a document."""
    return _key(tenant, owner, document_id)


def signed_out_key(tenant: str, owner: str) -> str:
    """The key of the sessions that a person, or `PROGRAMS`, ended; no document has an id with an equals sign."""
    return f"{_key(tenant, owner)}.=signed-out"


def filters_key(tenant: str, owner: str) -> str:
    """The key of the filters that a person, or `PROGRAMS`, named."""
    return f"{_key(tenant, owner)}.=filters"


def _key(*tokens: str) -> str:
    return ".".join(t if isinstance(t, Wildcard) else check_token(t, "part of a key") for t in tokens)


@dataclass(frozen=True)
class RequestAddress:
    """What the subject of a request says: tenant and person are pinned by the caller's permission."""

    tenant: str
    name: str
    person: str | None = None


@dataclass(frozen=True)
class EventAddress:
    """What the subject of an event says."""

    tenant: str
    document_id: str
    name: str


@dataclass(frozen=True)
class OutcomeAddress:
    """What the subject of an outcome says; the service is pinned by its permission."""

    service: str
    name: str


@dataclass(frozen=True)
class ElapsedAddress:
    """What the subject of a timer that elapsed says."""

    tenant: str
    document_id: str
    section_id: str
    name: str


def tenant_of(subject: str) -> str | None:
    """The tenant that a subject names, if those of its family do."""
    root, family, _, tenant, *rest = (*subject.split("."), "", "", "", "")
    return tenant if root == _ROOT and family in _OF_TENANTS and any(rest) else None


def parse_request(subject: str) -> RequestAddress:
    """Read the subject of a request, of a program or a person; raises `ValueError` for another subject."""
    root, family, version, tenant, *person, name = subject.split(".")
    if (root, family, version, len(person)) not in ((_ROOT, "request", _V, 0), (_ROOT, "request", _OF_PEOPLE, 1)):
        raise ValueError(f"not a request subject: {subject!r}")
    who = check_person(person[0]) if person else None
    return RequestAddress(check_token(tenant, "tenant"), check_token(name, "request name"), who)


def parse_outcome(subject: str) -> OutcomeAddress:
    """Read the subject of an outcome; raises `ValueError` for another subject."""
    root, family, version, service, name = subject.split(".")
    if (root, family, version) != (_ROOT, "outcome", _V):
        raise ValueError(f"not an outcome subject: {subject!r}")
    return OutcomeAddress(check_token(service, "service"), check_token(name, "outcome name"))


def parse_elapsed(subject: str) -> ElapsedAddress:
    """Read the subject of a timer that elapsed; raises `ValueError` for another subject."""
    root, family, version, tenant, document_id, section_id, name = subject.split(".")
    if (root, family, version) != (_ROOT, "elapsed", _V):
        raise ValueError(f"not the subject of a timer that elapsed: {subject!r}")
    return ElapsedAddress(tenant, document_id, section_id, name)


def parse_cancelled_job(subject: str) -> str:
    """The id of the job that a subject cancels."""
    return subject.split(".", 4)[-1]


def parse_event(subject: str) -> EventAddress:
    """Read the subject of an event; raises `ValueError` for another subject."""
    root, family, version, tenant, document_id, name = subject.split(".")
    if (root, family, version) != (_ROOT, "event", _V):
        raise ValueError(f"not an event subject: {subject!r}")
    return EventAddress(check_token(tenant, "tenant"), check_token(document_id, "document id"), name)
