"""What the copies lack that tenants read: messages of the original that a lost server, or a lag, keeps from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import uuid4

from nats.aio.client import Client
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import AckPolicy, ConsumerConfig
from nats.js.errors import NotFoundError, ServiceUnavailableError
from stemma_contracts import subjects
from stemma_messaging.lost import consumers_of
from stemma_telemetry.metrics import Gauges, Labels
from stemma_telemetry.names import Attr, Metric

METRICS = (Metric.COPY_LACKING,)
ANSWER_WITHIN_S = 5.0
COUNTED_WITHIN_S = 1.0


@dataclass(frozen=True)
class Copies:
    """Compares the number of messages of each copy with its original's; one of both that changed is counted again."""

    nats: Client
    gauges: Gauges
    _whole: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)

    async def look(self) -> None:
        """Measure what is there now."""
        js = self.nats.jetstream(timeout=ANSWER_WITHIN_S)
        tenants = [subjects.tenant_of_requests(info.name) for info in await consumers_of(js, subjects.REQUESTS)]
        found: list[tuple[float, Labels]] = [
            (await self._lacking(tenant, stream, pattern), {Attr.TENANT: tenant, Attr.STREAM: stream})
            for tenant in tenants
            for stream, pattern in subjects.copied(tenant).items()
        ]
        self.gauges.see(Metric.COPY_LACKING, found)

    async def _lacking(self, tenant: str, stream: str, pattern: str) -> int:
        """The original is counted first: what comes meanwhile is not missed."""
        js = self.nats.jetstream(timeout=ANSWER_WITHIN_S)
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
        there = self.nats.jetstream(timeout=ANSWER_WITHIN_S, prefix=subjects.copies_api(tenant))
        try:
            return int((await there.stream_info(stream)).state.messages)
        except (NotFoundError, ServiceUnavailableError, NoRespondersError, NatsTimeoutError):
            return 0
