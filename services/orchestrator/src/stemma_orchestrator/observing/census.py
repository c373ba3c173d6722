"""What the read model tells of all documents: how many there are, what is stale, and what waits for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue
from pydantic import ValidationError
from stemma_contracts import subjects
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_contracts.v1.views import SectionView
from stemma_eventlog import read_batch
from stemma_telemetry.metrics import Gauges
from stemma_telemetry.names import Attr, Metric

from .waits import WaitsFor

METRICS = (
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
    """A document as it was seen last."""

    tenant: str
    status: DocumentStatus
    stale: int
    failed: int
    waits: frozenset[Wait]


def _utc_now() -> datetime:
    return datetime.now(UTC)


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
        """Measure what is there now."""
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
        """Since when it waits, which stands in the read model of the section."""
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
