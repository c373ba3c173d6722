"""Every stream, consumer and bucket, as data. Services bind to them and never declare any."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nats.js.api import (
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY

from .bounds import Bounds

DAY_S = 24 * 3600.0
ACK_WAIT_S = 3.0
"""How long the server waits for a sign of life of a message before it delivers it again."""
LONGER_ACK_WAIT_S = 10.0
"""The same for jobs that wait for models or programs, where a process that only stalls would be taken for dead and its
calls be paid twice, and where streams are on several servers, which take as long to have a new leader."""
LONGER, LONGEST_WAIT_S = (1, 2, 4), 12.0
"""It waits longer after each delivery, so that those of a process that hangs do not use up all that there are."""
KIB = 1024
MAX_PAYLOAD = 1024 * KIB
REQUEST_SIZE = 128 * KIB
"""Of what people and programs send, headers included; what services write may be as large as the server takes it."""
PIECE = 128 * KIB
"""Of an upload, as client libraries cut it."""
DEFAULT_TENANTS = ("default",)
DEFAULT_BOUNDS = Bounds()
REQUESTS_IN_HAND = 8
"""Of one tenant, by all processes of the orchestrator; the others wait in their queue, behind nobody else's."""
REQUEST_DELIVERIES = 8
"""More than come to an orchestrator that hangs, before the server lets go of it (``config.PING_EVERY_S``)."""
BULK_IN_HAND = 8
"""Of short jobs that others go before: so many of the others' are at work beside them at once."""
NOTICES_WAITING = 1000
"""Of one rule; what comes while so many wait for their receiver is told by the log of the rule alone."""
RULES_SIZE = 64 * KIB
STREAMS = "STEMMA"
"""The account of all streams. The server keeps them in a folder of that name: with another one they would be gone."""


@dataclass(frozen=True)
class Consumer:
    """A durable consumer; ``push`` ones deliver to the queue group of their service."""

    stream: str
    durable: str
    filters: tuple[str, ...] = ()
    push: bool = False
    service: str = ""
    max_deliver: int = -1
    max_ack_pending: int = 1000
    headers_only: bool = False
    from_now: bool = False
    """Of what was stored before the consumer was made it delivers nothing."""

    def config(self, ack_wait_s: float) -> ConsumerConfig:
        """What the server is told; ``ack_wait_s`` bounds how soon the work of a killed process comes back first."""
        return ConsumerConfig(
            durable_name=self.durable,
            deliver_policy=DeliverPolicy.NEW if self.from_now else None,
            filter_subject=self.filters[0] if self.filters else None,
            ack_wait=ack_wait_s,
            backoff=waits_s(ack_wait_s),
            max_deliver=self.max_deliver,
            max_ack_pending=self.max_ack_pending,
            headers_only=self.headers_only or None,
            deliver_subject=deliver_subject(self.stream, self.owner) if self.push else None,
            deliver_group=self.owner if self.push else None,
        )

    @property
    def owner(self) -> str:
        """The service that handles what it delivers."""
        return self.service or self.durable


def default_ack_wait_s(consumer: Consumer, replicas: int) -> float:
    """How long the server waits unless it is told, where streams are on so many servers."""
    is_long = consumer.stream == subjects.JOBS and consumer.owner in subjects.LONG_WORKERS
    return LONGER_ACK_WAIT_S if is_long or replicas > 1 else ACK_WAIT_S


def waits_s(ack_wait_s: float) -> list[float]:
    """How long the server waits for a sign of life of each delivery in turn; the last stands for all that follow."""
    return [max(ack_wait_s, min(ack_wait_s * longer, LONGEST_WAIT_S)) for longer in LONGER]


def deliver_subject(stream: str, service: str) -> str:
    """Where push consumers deliver; their service alone may subscribe there.

    All that a service has on a stream deliver to one subject, so that it hears those as well that come later.
    """
    return f"_DELIVER.{service}.{stream}"


def streams(
    tenants: Sequence[str] = DEFAULT_TENANTS, bounds: Bounds = DEFAULT_BOUNDS, replicas: int = 1
) -> list[StreamConfig]:
    """Every stream, those behind buckets included, each on so many servers; its consumers are where it is."""
    return [replace(stream, num_replicas=replicas) for stream in _streams(tenants, bounds)]


def _streams(tenants: Sequence[str], bounds: Bounds) -> list[StreamConfig]:
    pieces = bounds.upload_bytes // PIECE + 1
    return [
        _requests_queue(bounds.waiting_requests),
        _queue(subjects.JOBS, subjects.job(ANY, ANY), subjects.bulk_job(ANY, ANY)),
        _queue(subjects.OUTCOMES, subjects.outcome(ANY, ANY)),
        _log(subjects.ANSWERS, [subjects.answer(ANY, ANY)], max_age=7 * DAY_S, max_msgs_per_subject=8),
        # A document that is erased goes event by event; all at once nobody can empty the log.
        replace(_log(subjects.EVENTS, [subjects.event(ANY, ANY, ANY)], allow_atomic=True), deny_purge=True),
        _log(subjects.DEAD, [subjects.dead(ANY, ANY)], max_age=14 * DAY_S),
        _queue(subjects.NOTICES, subjects.notice(ANY, ANY, ANY), most_of_subject=NOTICES_WAITING),
        _timers(),
        _log(subjects.ADVISORIES, list(subjects.ADVISORY_SUBJECTS), max_age=7 * DAY_S),
        _keyed(subjects.ARTIFACTS, subjects.artifact(ANY, ANY, ANY), once=True),
        _keyed(subjects.RECORDS, subjects.record(ANY, ANY, ANY)),
        _key_value(subjects.VIEWS_BUCKET),
        _key_value(subjects.CAPABILITIES_BUCKET, rollup=False),
        replace(_key_value(subjects.RULES_BUCKET, rollup=False), max_msg_size=RULES_SIZE),
        replace(_key_value(subjects.DELIVERIES_BUCKET, rollup=False), max_age=14 * DAY_S),
        replace(_key_value(subjects.VIEWED_BUCKET, rollup=False), max_age=365 * DAY_S, max_msg_size=RULES_SIZE),
        *(_objects(subjects.artifacts_bucket(tenant)) for tenant in tenants),
        *(_uploads(tenant, pieces) for tenant in tenants),
    ]


def consumers(tenants: Sequence[str] = DEFAULT_TENANTS) -> list[Consumer]:
    """Every durable consumer. Short handlers are pushed to, long jobs are pulled as slots become free."""
    return [
        *(_requests(tenant) for tenant in tenants),
        Consumer(subjects.OUTCOMES, subjects.ORCHESTRATOR, push=True, max_deliver=20, max_ack_pending=256),
        *_jobs(subjects.VALIDATOR, push=True, in_hand=64, of_bulk=BULK_IN_HAND),
        *_jobs(subjects.GENERATION),
        *_jobs(subjects.EDITOR),
        *_jobs(subjects.CONVERTER),
        Consumer(subjects.EVENTS, subjects.PROJECTOR, service=subjects.ORCHESTRATOR, headers_only=True),
        Consumer(subjects.EVENTS, subjects.NOTIFIER, max_deliver=20, from_now=True),
        Consumer(subjects.NOTICES, subjects.NOTIFIER, max_ack_pending=-1),
        Consumer(f"KV_{subjects.RULES_BUCKET}", subjects.NOTIFIER, from_now=True),
        Consumer(subjects.TIMERS, subjects.ORCHESTRATOR, (subjects.elapsed(ANY, ANY, ANY, ANY),)),
        Consumer(subjects.ADVISORIES, subjects.SWEEPER, service=subjects.ORCHESTRATOR),
    ]


def _requests(tenant: str) -> Consumer:
    return Consumer(
        subjects.REQUESTS,
        subjects.requests_consumer(tenant),
        (subjects.requests_of(tenant),),
        push=True,
        service=subjects.ORCHESTRATOR,
        max_deliver=REQUEST_DELIVERIES,
        max_ack_pending=REQUESTS_IN_HAND,
    )


def _jobs(service: str, *, push: bool = False, in_hand: int = 1000, of_bulk: int = 1000) -> list[Consumer]:
    """The jobs of a service, and those that go behind them."""
    lanes = zip(subjects.job_consumers(service).items(), (in_hand, of_bulk), strict=True)
    return [
        Consumer(subjects.JOBS, durable, (jobs,), push=push, service=service, max_deliver=8, max_ack_pending=most)
        for (durable, jobs), most in lanes
    ]


def _requests_queue(most_of_subject: int) -> StreamConfig:
    of_all, of_one = subjects.request(ANY, ANY), subjects.request_of(ANY, ANY, ANY)
    queue = _queue(subjects.REQUESTS, of_all, of_one, most_of_subject=most_of_subject)
    return replace(queue, max_msg_size=REQUEST_SIZE)


def _queue(name: str, *subjects: str, most_of_subject: int = -1) -> StreamConfig:
    return StreamConfig(
        name=name,
        subjects=list(subjects),
        retention=RetentionPolicy.WORK_QUEUE,
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        max_msg_size=MAX_PAYLOAD,
        max_msgs_per_subject=most_of_subject,
        discard_new_per_subject=most_of_subject > 0,
        duplicate_window=DAY_S,
    )


def _timers() -> StreamConfig:
    """Timers, each the last message under its subject, and those that elapsed. Nothing bounds them, so none is dropped.

    The server schedules in no stream that refuses new messages, and replaces a timer by rolling up its subject.
    """
    both = (subjects.timer(ANY, ANY, ANY, ANY), subjects.elapsed(ANY, ANY, ANY, ANY))
    queue = _queue(subjects.TIMERS, *both)
    return replace(queue, allow_msg_schedules=True, allow_rollup_hdrs=True, discard=DiscardPolicy.OLD)


def _log(
    name: str,
    subjects: list[str],
    *,
    max_age: float = 0,
    max_msgs_per_subject: int = -1,
    duplicate_window: float = 120,
    allow_atomic: bool | None = None,
    once: bool = False,
) -> StreamConfig:
    """``once``: what lies under a subject is never replaced."""
    return StreamConfig(
        name=name,
        subjects=subjects,
        retention=RetentionPolicy.LIMITS,
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        allow_direct=True,
        max_age=max_age,
        max_msgs_per_subject=max_msgs_per_subject,
        max_msg_size=MAX_PAYLOAD,
        duplicate_window=duplicate_window,
        allow_atomic=allow_atomic,
        discard_new_per_subject=once,
    )


def _keyed(name: str, subject: str, *, once: bool = False) -> StreamConfig:
    return _log(name, [subject], max_msgs_per_subject=1, once=once)


def _key_value(bucket: str, *, rollup: bool = True) -> StreamConfig:
    """The stream behind a key-value bucket, as client libraries make it.

    A message that rolls up deletes all others: not where several services write.
    """
    return StreamConfig(
        name=f"KV_{bucket}",
        subjects=[f"$KV.{bucket}.>"],
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        max_msgs_per_subject=1,
        duplicate_window=120,
        allow_direct=True,
        allow_rollup_hdrs=rollup,
        deny_delete=True,
    )


def _uploads(tenant: str, pieces: int) -> StreamConfig:
    """Bounded by their number: the server keeps room free for as many bytes as a stream may have.

    Client libraries write here and roll up: a header of any message then empties the bucket.
    """
    bucket = _objects(subjects.uploads_bucket(tenant), max_age=7 * DAY_S)
    return replace(bucket, max_msgs=pieces, allow_rollup_hdrs=True)


def _objects(bucket: str, *, max_age: float = 0) -> StreamConfig:
    """The stream behind an object bucket, as client libraries make it."""
    return StreamConfig(
        name=f"OBJ_{bucket}",
        subjects=[f"$O.{bucket}.C.>", f"$O.{bucket}.M.>"],
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        max_age=max_age,
        duplicate_window=120,
        allow_direct=True,
    )
