"""What the orchestrator measures of the whole installation: it alone is in the account of the streams.

Each of several orchestrators sees the same, so that who adds up takes the largest of what they tell.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from uuid import uuid4

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, ConsumerInfo, StreamInfo
from nats.js.errors import KeyNotFoundError, NotFoundError, ServiceUnavailableError
from nats.js.kv import KeyValue
from pydantic import ValidationError
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.events import DocumentErased
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import SectionView
from stemma_domain.features.proposals import Proposed
from stemma_domain.state import AwaitingAnswer, AwaitingReview, Document, Lifecycle, Section, State
from stemma_eventlog import read_batch
from stemma_messaging.lost import consumers_of
from stemma_messaging.outages import reason_of
from stemma_telemetry import get_logger, names
from stemma_telemetry.metrics import Gauges, Labels, histogram
from stemma_telemetry.names import Attr, Metric

_WAITED = histogram(Metric.WAITED)


class WaitsFor(StrEnum):
    REVIEW = "review"
    ANSWER = "answer"
    PROPOSAL = "proposal"


def measure_waits(tenant: str, before: State, after: State, at: datetime) -> None:
    for waits_for, since in ended_waits(before, after):
        waited = max(0.0, (at - since).total_seconds())
        _WAITED.record(waited, {Attr.TENANT: tenant, Attr.WAITS_FOR: waits_for})


def ended_waits(before: State, after: State) -> Iterator[tuple[WaitsFor, datetime]]:
    """What waited and waits no more, and since when it did; who cancels a document decides nothing else."""
    if isinstance(before, Document) and isinstance(after, Document) and after.lifecycle is not Lifecycle.CANCELLED:
        yield from _ended(before.sections, after.sections)


def _ended(before: Mapping[str, Section], after: Mapping[str, Section]) -> Iterator[tuple[WaitsFor, datetime]]:
    for name, section in before.items():
        if section is not (now := after[name]):
            left = dict(_waits(now))
            yield from ((what, since) for what, since in _waits(section) if left.get(what) != since)


def _waits(section: Section) -> Iterator[tuple[WaitsFor, datetime]]:
    since = section.notes.waits_since
    match section.phase:
        case AwaitingReview() if since is not None:
            yield WaitsFor.REVIEW, since
        case AwaitingAnswer() if since is not None:
            yield WaitsFor.ANSWER, since
        case _:
            pass
    match section.proposal:
        case Proposed(made_at=datetime() as made_at):
            yield WaitsFor.PROPOSAL, made_at
        case _:
            pass


OF_DOCUMENTS = (
    Metric.DOCUMENTS,
    Metric.STALE_SECTIONS,
    Metric.FAILED_SECTIONS,
    Metric.WAITING,
    Metric.WAITING_LONGEST,
)
AT_A_TIME = 200
ANSWER_WITHIN_S = 10.0
_BUCKET = f"$KV.{subjects.VIEWS_BUCKET}."
_DOCUMENTS = f"{_BUCKET}{ANY}.{ANY}"
_OPERATION = "KV-Operation"


@dataclass(frozen=True)
class Wait:
    """What of a section waits for a person: which version, need or proposal, and since when."""

    section_id: str
    waits_for: WaitsFor
    about: tuple[object, ...]
    since: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Seen:
    tenant: str
    status: DocumentStatus
    stale: int
    failed: int
    waits: frozenset[Wait]


def _utc_now() -> datetime:
    return datetime.now(UTC)


LOOKED_AT = 3
"""So many earlier documents of a kind say what work takes where a document itself does not."""


class Documents:
    """The read models of all documents; each look reads what changed since the last one."""

    def __init__(self, nats: Client) -> None:
        self._nats = nats
        self.known: dict[str, DocumentSummary] = {}
        self._last = 0
        self._looking = asyncio.Lock()

    async def look(self) -> None:
        async with self._looking:
            more, stream = True, f"KV_{subjects.VIEWS_BUCKET}"
            while more:
                batch = await read_batch(self._nats, stream, _DOCUMENTS, self._last, AT_A_TIME, ANSWER_WITHIN_S)
                for message in batch.messages:
                    self._take(message)
                self._last, more = batch.last, batch.more

    def of(self, tenant: str) -> dict[str, DocumentSummary]:
        """The documents of a tenant by their ids."""
        prefix = f"{tenant}."
        return {one.document_id: one for key, one in self.known.items() if key.startswith(prefix)}

    def like(self, tenant: str, document: Document) -> list[str]:
        """The documents of its kind that were completed last."""
        known = self.of(tenant).values()
        done = [one for one in known if one.kind == document.kind and one.status is DocumentStatus.COMPLETED]
        newest = sorted(done, key=lambda one: one.created_at, reverse=True)
        return [one.document_id for one in newest if one.document_id != document.document_id][:LOOKED_AT]

    def _take(self, message: Msg) -> None:
        key = (message.headers or {})["Nats-Subject"].removeprefix(_BUCKET)
        try:
            summary = DocumentSummary.model_validate_json(message.data)
        except ValidationError:  # it was deleted, or is of a release that knows more
            self.known.pop(key, None)
            return
        self.known[key] = summary.model_copy(update={"sections": ()})


class ErasedUsage:
    """What erased documents came to, by tenant and document; each look reads what is new."""

    def __init__(self, nats: Client) -> None:
        self._nats = nats
        self._last = 0
        self.known: dict[str, dict[str, DocumentErased]] = {}

    async def look(self) -> None:
        more, pattern = True, subjects.event(ANY, ANY, "document-erased")
        while more:
            batch = await read_batch(self._nats, subjects.EVENTS, pattern, self._last, AT_A_TIME, ANSWER_WITHIN_S)
            for message in batch.messages:
                self._take(message.data)
            self._last, more = batch.last, batch.more

    def _take(self, data: bytes) -> None:
        try:
            event = DocumentErased.model_validate_json(data)
        except ValidationError:  # no event of ours
            return
        self.known.setdefault(event.tenant, {})[event.document_id] = event


class Census:
    """Counts documents; each look reads what changed since the last one."""

    def __init__(self, nats: Client, views: KeyValue, gauges: Gauges, now: Callable[[], datetime] = _utc_now) -> None:
        self._nats = nats
        self._views = views
        self._gauges = gauges
        self._now = now
        self._seen: dict[str, Seen] = {}
        self._last = 0

    async def look(self) -> None:
        more = True
        while more:
            stream = f"KV_{subjects.VIEWS_BUCKET}"
            batch = await read_batch(self._nats, stream, _DOCUMENTS, self._last, AT_A_TIME, ANSWER_WITHIN_S)
            for message in batch.messages:
                await self._take(message)
            self._last, more = batch.last, batch.more
        self._tell()

    async def _take(self, message: Msg) -> None:
        headers = message.headers or {}
        key = headers["Nats-Subject"].removeprefix(_BUCKET)
        if _OPERATION in headers:
            self._seen.pop(key, None)
            return
        try:
            summary = DocumentSummary.model_validate_json(message.data)
        except ValidationError:
            return  # of a release that knows more
        before = self._seen.get(key)
        self._seen[key] = await self._of(key, summary, before.waits if before else frozenset())

    async def _of(self, key: str, summary: DocumentSummary, before: frozenset[Wait]) -> Seen:
        known, sections = {wait: wait for wait in before}, _open_sections(summary)
        waits = [known.get(wait) or await self._dated(key, wait) for each in sections for wait in _waits_of(each)]
        return Seen(
            tenant=key.partition(".")[0],
            status=summary.status,
            stale=sum(section.stale for section in sections),
            failed=sum(section.status is SectionStatus.FAILED for section in sections),
            waits=frozenset(waits),
        )

    async def _dated(self, key: str, wait: Wait) -> Wait:
        try:
            entry = await self._views.get(f"{key}.{wait.section_id}")
            details = SectionView.model_validate_json(entry.value or b"")
        except (KeyNotFoundError, ValidationError):
            return wait
        made_at = details.proposal.made_at if details.proposal else None
        since = made_at if wait.waits_for is WaitsFor.PROPOSAL else details.waits_since
        return Wait(wait.section_id, wait.waits_for, wait.about, since)

    def _tell(self) -> None:
        seen, see = self._seen.values(), self._gauges.see
        documents = Counter((each.tenant, each.status) for each in seen)
        see(
            Metric.DOCUMENTS,
            [(n, {Attr.TENANT: tenant, Attr.STATUS: status}) for (tenant, status), n in documents.items()],
        )
        see(Metric.STALE_SECTIONS, _by_tenant((each.tenant, each.stale) for each in seen))
        see(Metric.FAILED_SECTIONS, _by_tenant((each.tenant, each.failed) for each in seen))
        waits = [(each.tenant, wait) for each in seen for wait in each.waits]
        counts = Counter((tenant, wait.waits_for) for tenant, wait in waits)
        see(Metric.WAITING, [(n, _of_waits(*whose)) for whose, n in counts.items()])
        see(Metric.WAITING_LONGEST, self._longest(waits))

    def _longest(self, waits: Iterable[tuple[str, Wait]]) -> Iterator[tuple[float, dict[str, str]]]:
        earliest: dict[tuple[str, WaitsFor], datetime] = {}
        for tenant, wait in waits:
            if wait.since is not None:
                whose = tenant, wait.waits_for
                earliest[whose] = min(wait.since, earliest.get(whose, wait.since))
        for whose, since in earliest.items():
            yield max(0.0, (self._now() - since).total_seconds()), _of_waits(*whose)


def _open_sections(summary: DocumentSummary) -> tuple[SectionSummary, ...]:
    """Those about which somebody can still decide: none of a cancelled document."""
    return () if summary.status is DocumentStatus.CANCELLED else summary.sections


def _waits_of(section: SectionSummary) -> Iterator[Wait]:
    if section.status is SectionStatus.AWAITING_REVIEW:
        yield Wait(section.section_id, WaitsFor.REVIEW, (section.version,))
    if section.need_id is not None:
        yield Wait(section.section_id, WaitsFor.ANSWER, (section.need_id,))
    if section.proposal_id is not None:
        yield Wait(section.section_id, WaitsFor.PROPOSAL, (section.proposal_id,))


def _by_tenant(numbers: Iterable[tuple[str, int]]) -> list[tuple[float, dict[str, str]]]:
    sums: Counter[str] = Counter()
    for tenant, number in numbers:
        sums[tenant] += number
    return [(number, {Attr.TENANT: tenant}) for tenant, number in sums.items()]


def _of_waits(tenant: str, waits_for: WaitsFor) -> dict[str, str]:
    return {Attr.TENANT: tenant, Attr.WAITS_FOR: waits_for}


OF_COPIES = (Metric.COPY_LACKING,)
COPY_WITHIN_S = 5.0
COUNTED_WITHIN_S = 1.0


@dataclass(frozen=True)
class Copies:
    """Compares the number of messages of each copy with its original's; one of both that changed is counted again."""

    nats: Client
    gauges: Gauges
    _whole: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)

    async def look(self) -> None:
        js = self.nats.jetstream(timeout=COPY_WITHIN_S)
        tenants = [subjects.tenant_of_requests(info.name) for info in await consumers_of(js, subjects.REQUESTS)]
        found: list[tuple[float, Labels]] = [
            (await self._lacking(tenant, stream, pattern), {Attr.TENANT: tenant, Attr.STREAM: stream})
            for tenant in tenants
            for stream, pattern in subjects.copied(tenant).items()
        ]
        self.gauges.see(Metric.COPY_LACKING, found)

    async def _lacking(self, tenant: str, stream: str, pattern: str) -> int:
        """The original is counted first: what comes meanwhile is not missed."""
        js = self.nats.jetstream(timeout=COPY_WITHIN_S)
        last = (await js.stream_info(stream)).state.last_seq
        if self._whole.get((tenant, stream)) == (last, await self._copied(tenant, stream)):
            return 0
        counting = ConsumerConfig(
            name=f"count-{uuid4().hex}",
            filter_subject=pattern,
            ack_policy=AckPolicy.EXPLICIT,
            inactive_threshold=COUNTED_WITHIN_S,
            mem_storage=True,
            num_replicas=1,
        )
        stored = (await js.add_consumer(stream, counting)).num_pending or 0
        copied = await self._copied(tenant, stream)
        if copied >= stored:
            self._whole[tenant, stream] = last, copied
        return max(0, stored - copied)

    async def _copied(self, tenant: str, stream: str) -> int:
        """How many messages a copy has; one that nobody can read has none."""
        there = self.nats.jetstream(timeout=COPY_WITHIN_S, prefix=subjects.copies_api(tenant))
        try:
            return int((await there.stream_info(stream)).state.messages)
        except (NotFoundError, ServiceUnavailableError, NoRespondersError, NatsTimeoutError):
            return 0


OF_STREAMS = (
    Metric.CONSUMER_PENDING,
    Metric.CONSUMER_UNACKNOWLEDGED,
    Metric.CONSUMER_DELIVERED,
    Metric.STREAM_SIZE,
    Metric.STREAM_MESSAGES,
    Metric.TENANT_LIMIT,
    Metric.DEAD_LETTERS,
)
_QUEUES = (
    subjects.REQUESTS,
    subjects.JOBS,
    subjects.OUTCOMES,
    subjects.TIMERS,
    subjects.ADVISORIES,
    subjects.NOTICES,
)
_OF_EVENTS = (subjects.PROJECTOR, subjects.NOTIFIER)
_OWNERS = {durable: service for service in subjects.WORKERS for durable in subjects.job_consumers(service)}
_OWNERS[subjects.NOTIFIER] = subjects.NOTIFIER
Values = list[tuple[float, dict[str, str]]]


@dataclass(frozen=True)
class Fleet:
    """Looks at the account of the streams; ``most_stored`` are the bytes that a tenant may have."""

    jetstream: JetStreamContext
    gauges: Gauges
    most_stored: int

    async def look(self) -> None:
        streams = [stream async for stream in self._streams()]
        consumers = [info for queue in _QUEUES for info in await consumers_of(self.jetstream, queue)]
        for durable in _OF_EVENTS:
            with suppress(NotFoundError):  # its service says so
                consumers.append(await self.jetstream.consumer_info(subjects.EVENTS, durable))
        dead = await self.jetstream.stream_info(subjects.DEAD, subjects_filter=">")
        see = self.gauges.see
        see(Metric.STREAM_SIZE, [(stream.state.bytes, _of_stream(stream)) for stream in streams])
        see(Metric.STREAM_MESSAGES, [(stream.state.messages, _of_stream(stream)) for stream in streams])
        see(Metric.CONSUMER_PENDING, [(info.num_pending or 0, _of_consumer(info)) for info in consumers])
        see(Metric.CONSUMER_UNACKNOWLEDGED, [(info.num_ack_pending or 0, _of_consumer(info)) for info in consumers])
        see(Metric.CONSUMER_DELIVERED, [(_delivered(info), _of_consumer(info)) for info in consumers])
        see(Metric.DEAD_LETTERS, _dead_letters(dead.state.subjects or {}))
        see(Metric.TENANT_LIMIT, [(self.most_stored, {})])

    async def _streams(self) -> AsyncIterator[StreamInfo]:
        """All of them; the server tells 256 at a time."""
        seen = 0
        while page := await self.jetstream.streams_info(offset=seen):
            seen += len(page)
            for stream in page:
                yield stream


def _of_stream(stream: StreamInfo) -> dict[str, str]:
    name = stream.config.name or ""
    tenant = subjects.tenant_of_bucket(name)
    return {Attr.STREAM: name, **({Attr.TENANT: tenant} if tenant else {})}


def _of_consumer(info: ConsumerInfo) -> dict[str, str]:
    service = _OWNERS.get(info.name, subjects.ORCHESTRATOR)
    labels: dict[str, str] = {
        Attr.SERVICE: service,
        Attr.STREAM: info.stream_name,
        Attr.MESSAGING_CONSUMER: info.name,
    }
    if info.stream_name == subjects.REQUESTS:
        labels[Attr.TENANT] = subjects.tenant_of_requests(info.name)
    return labels


def _delivered(info: ConsumerInfo) -> int:
    return info.delivered.consumer_seq if info.delivered else 0


def _dead_letters(found: Mapping[str, int]) -> Iterator[tuple[float, dict[str, str]]]:
    """By the service that put them aside and the last word of their subject; what operators did stands there too."""
    for subject, count in found.items():
        *_, service, name = subject.split(".")
        if service in subjects.SERVICES:
            yield count, {Attr.SERVICE: service, Attr.MESSAGE: name}


GAUGES = Gauges(*OF_STREAMS, *OF_COPIES, *OF_DOCUMENTS)


class Observer:
    """Measures what no single message tells. While it cannot look, it tells nothing: what was seen then is not true."""

    def __init__(self, *looking: Fleet | Copies | Census) -> None:
        self._looking = looking

    async def observe_for_ever(self, every_s: float) -> None:
        """Look now and every so many seconds, until cancelled."""
        try:
            while True:
                await self._look()
                await asyncio.sleep(every_s)
        finally:
            GAUGES.forget()

    async def _look(self) -> None:
        try:
            for each in self._looking:
                await each.look()
        except Exception as error:
            GAUGES.forget()
            get_logger().warning(names.Log.OBSERVING_FAILED, error=error, reason=reason_of(error))
