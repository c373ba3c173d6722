"""One NATS user per service and per tenant of callers, with what it may publish and subscribe, and nothing else.

Only the provisioner makes or deletes streams and durable consumers. Whatever a caller reads is pinned to its
tenant by a subject: direct gets and the extended form of ``CONSUMER.CREATE`` carry what is read in their subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stemma_contracts import subjects
from stemma_contracts.subjects import ANY, REST

from .topology import DEFAULT_TENANTS, Consumer, consumers, deliver_subject

PROVISIONER = "provisioner"
_API = "$JS.API"
_QUEUES = (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES)
_RECORDERS = (subjects.GENERATION, subjects.EDITOR)


@dataclass(frozen=True)
class User:
    """A NATS user; ``deny`` are exceptions from ``publish``."""

    name: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]
    deny: tuple[str, ...] = ()


def client_user(tenant: str) -> str:
    """The user that callers of a tenant connect as."""
    return f"client-{tenant}"


def inbox_prefix(user: str) -> str:
    """Where a user receives replies; nobody else may listen there."""
    return f"_INBOX_{user}"


def users(tenants: Sequence[str] = DEFAULT_TENANTS) -> list[User]:
    """Every user of the account in which Stemma runs."""
    return [
        User(PROVISIONER, (">",), (">",)),
        _orchestrator(tenants),
        *(_worker(service, tenants) for service in subjects.WORKERS),
        *(_client(tenant) for tenant in tenants),
    ]


def _orchestrator(tenants: Sequence[str]) -> User:
    publish = [
        subjects.event(ANY, ANY, ANY),
        subjects.job(ANY, ANY),
        subjects.answer(ANY, ANY),
        subjects.cancelled_jobs(),
        subjects.dead(subjects.ORCHESTRATOR, ANY),
        subjects.outcome(subjects.ORCHESTRATOR, "job-dead"),
        subjects.outcome(subjects.ORCHESTRATOR, ANY),
        f"{_API}.DIRECT.GET.{subjects.EVENTS}",
        f"{_API}.DIRECT.GET.{subjects.EVENTS}.>",
        f"{_API}.STREAM.INFO.{subjects.EVENTS}",
        f"{_API}.DIRECT.GET.{subjects.ANSWERS}",
        *(f"{_API}.STREAM.MSG.{verb}.{queue}" for verb in ("GET", "DELETE") for queue in _QUEUES),
        *_write_artifacts(tenants),
        *(right for tenant in tenants for right in _read_bucket(subjects.uploads_bucket(tenant))),
        *_write_values(subjects.VIEWS_BUCKET, ">"),
        *_read_values(subjects.VIEWS_BUCKET),
        *_read_values(subjects.CAPABILITIES_BUCKET),
        *_write_values(subjects.CAPABILITIES_BUCKET, subjects.ORCHESTRATOR),
    ]
    return _service(subjects.ORCHESTRATOR, publish)


def _worker(service: str, tenants: Sequence[str]) -> User:
    publish = [
        subjects.outcome(service, ANY),
        subjects.dead(service, ANY),
        *_write_artifacts(tenants),
        *_write_values(subjects.CAPABILITIES_BUCKET, service),
    ]
    if service in _RECORDERS:
        publish += [
            subjects.record(ANY, ANY, ANY),
            _direct_get(subjects.RECORDS, subjects.record(ANY, ANY, ANY)),
        ]
    if service == subjects.GENERATION:
        publish.append(subjects.live(ANY, ANY, ANY))
    return _service(service, publish)


def _service(name: str, publish: Iterable[str]) -> User:
    own = [consumer for consumer in consumers() if _owner(consumer) == name]
    rights = (right for consumer in own for right in _consume(consumer))
    deliveries = (deliver_subject(consumer.stream, consumer.durable) for consumer in own if consumer.push)
    cancels = (subjects.cancelled_jobs(),) if name in subjects.LONG_WORKERS else ()
    return User(name, (*publish, *rights), (f"{inbox_prefix(name)}.>", *deliveries, *cancels))


def _owner(consumer: Consumer) -> str:
    views = (subjects.PROJECTOR, subjects.SWEEPER)
    return subjects.ORCHESTRATOR if consumer.durable in views else consumer.durable


def _consume(consumer: Consumer) -> list[str]:
    where = f"{consumer.stream}.{consumer.durable}"
    rights = [f"{_API}.CONSUMER.INFO.{where}", f"$JS.ACK.{where}.>"]
    return rights if consumer.push else [*rights, f"{_API}.CONSUMER.MSG.NEXT.{where}"]


def _client(tenant: str) -> User:
    events, answers = subjects.event(tenant, ANY, ANY), subjects.answer(tenant, ANY)
    views = f"$KV.{subjects.VIEWS_BUCKET}.{tenant}"
    publish = (
        subjects.request(tenant, ANY),
        _direct_get(subjects.ANSWERS, answers),
        _direct_get(f"KV_{subjects.VIEWS_BUCKET}", f"{views}.*"),
        _direct_get(f"KV_{subjects.CAPABILITIES_BUCKET}", f"$KV.{subjects.CAPABILITIES_BUCKET}.*"),
        _direct_get(subjects.ARTIFACTS, subjects.artifact(tenant, ANY, ANY)),
        f"{_API}.STREAM.INFO.KV_{subjects.VIEWS_BUCKET}",
        *_read_bucket(subjects.artifacts_bucket(tenant)),
        *_read_bucket(subjects.uploads_bucket(tenant)),
        *_write_bucket(subjects.uploads_bucket(tenant)),
        *_follow(subjects.EVENTS, subjects.events_of(tenant)),
        *_follow(subjects.ANSWERS, subjects.answer(tenant, REST)),
        *_follow(f"KV_{subjects.VIEWS_BUCKET}", f"{views}.>"),
    )
    name = client_user(tenant)
    subscribe = (f"{inbox_prefix(name)}.>", events, answers, subjects.live(tenant, ANY, ANY))
    return User(name, publish, subscribe, _hands_off())


def _follow(stream: str, pattern: str) -> list[str]:
    """Throw-away consumers, pushed or pulled; their names are the caller's own secret."""
    verbs = ("CONSUMER.INFO", "CONSUMER.MSG.NEXT", "CONSUMER.DELETE")
    return [
        f"{_API}.CONSUMER.CREATE.{stream}.*.{pattern}",
        *(f"{_API}.{verb}.{stream}.*" for verb in verbs),
        f"$JS.ACK.{stream}.>",
        f"$JS.FC.{stream}.>",
    ]


def _hands_off() -> tuple[str, ...]:
    """A consumer can be changed, drained and deleted by its name: the provisioned names are not for callers."""
    names = [f"{consumer.stream}.{consumer.durable}" for consumer in consumers() if consumer.stream not in _QUEUES]
    api = [f"{_API}.CONSUMER.*.{name}" for name in names] + [f"{_API}.CONSUMER.*.{name}.>" for name in names]
    return (*api, *(f"{_API}.CONSUMER.MSG.NEXT.{name}" for name in names), *(f"$JS.ACK.{name}.>" for name in names))


def _direct_get(stream: str, pattern: str) -> str:
    return f"{_API}.DIRECT.GET.{stream}.{pattern}"


def _write_artifacts(tenants: Sequence[str]) -> list[str]:
    every = subjects.artifact(ANY, ANY, ANY)
    buckets = [subjects.artifacts_bucket(tenant) for tenant in tenants]
    large = [right for bucket in buckets for right in (*_read_bucket(bucket), *_write_bucket(bucket))]
    return [every, _direct_get(subjects.ARTIFACTS, every), *large]


def _read_bucket(bucket: str) -> list[str]:
    return [f"{_API}.{verb}.OBJ_{bucket}" for verb in ("STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET")]


def _write_bucket(bucket: str) -> list[str]:
    """Purging is part of writing: a failed put takes back its chunks."""
    return [f"$O.{bucket}.C.>", f"$O.{bucket}.M.>", f"{_API}.STREAM.PURGE.OBJ_{bucket}"]


def _write_values(bucket: str, key: str) -> list[str]:
    return [f"$KV.{bucket}.{key}", f"{_API}.STREAM.INFO.KV_{bucket}"]


def _read_values(bucket: str) -> list[str]:
    return [f"{_API}.STREAM.INFO.KV_{bucket}", f"{_API}.DIRECT.GET.KV_{bucket}.>"]
