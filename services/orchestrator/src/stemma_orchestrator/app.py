"""Composition root of the orchestrator: the only file that reads settings and builds adapters."""

import asyncio
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, lru_cache, partial
from typing import Any

from faststream import FastStream
from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue
from pydantic import Field, ValidationError
from stemma_artifacts.jetstream import JetStreamArtifactStore
from stemma_artifacts.uploads import UploadStore
from stemma_contracts import subjects
from stemma_contracts.v1.capabilities import Capabilities
from stemma_contracts.v1.events import AnyEvent
from stemma_domain.commands import Command
from stemma_domain.decide import decide
from stemma_domain.evolve import evolve
from stemma_domain.state import NoDocument, State
from stemma_eventlog import Decider, EventStore, JetStreamEventLog, StreamId
from stemma_messaging import (
    BadSettings,
    BusFailed,
    Handler,
    Opened,
    Service,
    ServiceSettings,
    StemmaBroker,
    config_dir,
)
from stemma_messaging.cancellation import end
from stemma_messaging.drivers import CompactingDriver, Driver, PullDriver, PushDriver
from stemma_messaging.turns import Throttle, Turns
from stemma_telemetry import get_logger, names

from stemma_orchestrator.handlers import publications
from stemma_orchestrator.job_publisher import OpenCount
from stemma_orchestrator.lost import AdvisoryHandler

from .answers import Answers
from .bounds import Bounds, Stored, TenantLimits
from .catalog import Catalog, ConfigError, digests, document_kinds, load_catalog
from .command_service import CommandService
from .comparing import Comparing
from .erasing import Eraser
from .handlers import Tools, on_outcome, routes
from .inputs import Limits
from .intake import Intake
from .job_publisher import JobPublisher
from .late import LateErasures
from .lost import SWEEP_EVERY_S, LostMessages
from .observing import GAUGES, Census, Copies, Documents, ErasedUsage, Fleet, Observer
from .orphans import Orphans
from .planning import Planning
from .projector import Projector, key_of
from .repair import Repair
from .tenant_budgets import TenantBudget, TenantBudgets, Whom
from .timers import Timers

DECIDER: Decider[Command, State, AnyEvent] = Decider(NoDocument(), decide, evolve)
ADVISORY_SLOTS = 1
TIMER_SLOTS = 2
PROJECTION_REST_S = 0.25
"""How far the list of documents may be behind, a second where much is done; meanwhile events of a document gather."""


class OrchestratorSettings(ServiceSettings):
    """Settings of the orchestrator; sizes in bytes."""

    sweep_every_s: float = Field(default=SWEEP_EVERY_S, gt=0, description="between two looks for lost messages")

    slots: int = Field(default=4, ge=1, description="messages at a time; they are taken from tenants in turn")
    max_input_bytes: int = Field(default=50 * 1024 * 1024, ge=1)
    max_inputs_bytes: int = Field(default=200 * 1024 * 1024, ge=1)
    max_text_input_bytes: int = Field(default=5 * 1024 * 1024, ge=1, description="of an input that writers read")
    max_brief_bytes: int = Field(default=1024 * 1024, ge=1)
    max_waiting_requests: int = Field(default=2000, ge=1, description="of one tenant, by whomever of it")
    max_open_jobs: int = Field(default=1000, ge=1, description="of one tenant")
    bulk_from_open_jobs: int = Field(default=16, ge=0, description="of one tenant: more go behind the jobs of others")
    max_open_exports: int = Field(default=16, ge=1, description="of one tenant")
    remind_before_s: float = Field(default=86400.0, ge=0, le=31_622_400, description="of what is due; 0: not before")
    tenant_budgets: dict[Whom, TenantBudget] = Field(
        default={}, description='by tenant, * every other: {"*": {"cost": 50, "per": "month"}}'
    )
    max_stored_bytes: int = Field(default=20 * 1024**3, ge=1, description="large artifacts of one tenant")


def catalog() -> Catalog:
    """The document kinds of this installation; raises `BadSettings`."""
    try:
        return load_catalog(config_dir(__package__))
    except ConfigError as error:
        raise BadSettings([str(error)]) from None


def check(_settings: OrchestratorSettings) -> None:
    """Raises `BadSettings` for document kinds that cannot be read."""
    catalog()


def event_store(broker: StemmaBroker) -> EventStore[Command, State, AnyEvent]:
    """The documents in the log of this installation; what is no event of them is told to operators."""
    return EventStore(JetStreamEventLog(broker.nats), DECIDER, report=_skipped)


def _skipped(stream: StreamId, sequence: int, reason: str) -> None:
    place = {"tenant": stream.tenant, "document_id": stream.document_id, "sequence": sequence}
    get_logger().error(names.Log.EVENT_SKIPPED, **place, reason=reason)


def intake(settings: OrchestratorSettings, broker: StemmaBroker, kinds: Catalog, capabilities: KeyValue) -> Intake:
    limits = Limits(
        settings.max_input_bytes, settings.max_inputs_bytes, settings.max_text_input_bytes, settings.max_brief_bytes
    )
    uploads = cache(partial(UploadStore, broker.jetstream))
    artifacts = JetStreamArtifactStore(broker.jetstream)
    return Intake(kinds, artifacts, uploads, partial(known_graphs, capabilities), limits)


def tenant_limits(settings: OrchestratorSettings) -> TenantLimits:
    return TenantLimits(
        settings.max_waiting_requests, settings.max_open_jobs, settings.max_open_exports, settings.max_stored_bytes
    )


def stored_bytes(broker: StemmaBroker) -> Stored:
    async def stored(tenant: str) -> int:
        return (await broker.jetstream.stream_info(f"OBJ_{subjects.artifacts_bucket(tenant)}")).state.bytes

    return stored


async def known_graphs(bucket: KeyValue) -> frozenset[str] | None:
    """The graphs that generation-graph has said it knows, None while it never said, or nobody can read what."""
    try:
        entry = await bucket.get(subjects.GENERATION)
    except KeyNotFoundError:
        return None
    try:
        return _graphs(entry.value or b"{}")
    except ValidationError:
        return None


@lru_cache(maxsize=1)
def _graphs(capabilities: bytes) -> frozenset[str]:
    """Generation says the same as long as it runs."""
    return frozenset(Capabilities.model_validate_json(capabilities).graphs)


@dataclass(frozen=True)
class Parts:
    store: EventStore[Command, State, AnyEvent]
    commands: CommandService
    jobs: JobPublisher
    timers: Timers
    tools: Tools
    lost: LostMessages
    late: LateErasures
    observer: Observer


async def build(settings: OrchestratorSettings, broker: StemmaBroker, kinds: Catalog) -> Parts:
    store, sender = event_store(broker), broker.sender
    capabilities = await broker.jetstream.key_value(subjects.CAPABILITIES_BUCKET)
    open_count = OpenCount(store)
    jobs = JobPublisher(sender, broker.cancel_job, open_count, settings.bulk_from_open_jobs, digests(kinds))
    timers = Timers(sender, timedelta(seconds=settings.remind_before_s))
    making = intake(settings, broker, kinds, capabilities)
    views = await broker.jetstream.key_value(subjects.VIEWS_BUCKET)
    eraser = Eraser(broker.nats, views)
    documents = Documents(broker.nats)
    budgets = TenantBudgets(settings.tenant_budgets, documents, ErasedUsage(broker.nats), store)
    commands = CommandService(store, making, jobs, timers, Comparing(making.artifacts), eraser, budgets)
    bounds = Bounds(store, open_count, tenant_limits(settings), stored_bytes(broker))
    planning = Planning(commands, documents)
    answers = Answers(broker.jetstream, sender, bounds, commands, planning)
    advisories = AdvisoryHandler(broker.jetstream, sender)
    projector = Projector(store, views)
    handlers: dict[str, Handler] = {
        subjects.REQUESTS: answers,
        subjects.OUTCOMES: partial(on_outcome, commands=commands),
    }
    lost = LostMessages(broker.jetstream, sender, handlers)
    fleet = Fleet(broker.jetstream, GAUGES, settings.max_stored_bytes)
    observer = Observer(fleet, Copies(broker.nats, GAUGES), Census(broker.nats, views, GAUGES))
    late = LateErasures(broker.jetstream, commands, eraser)
    return Parts(store, commands, jobs, timers, Tools(commands, answers, projector, advisories), lost, late, observer)


def build_app(settings: OrchestratorSettings) -> FastStream:
    """The orchestrator: its broker, its handlers, and what they need, which is opened when it starts."""
    broker, tools = make_broker(settings), Opened[Tools]()
    broker.include_routers(routes(tools), publications())

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        kinds = catalog()
        async with broker.connected():
            parts = await build(settings, broker, kinds)
            tools.give(parts.tools)
            can = Capabilities(kinds=document_kinds(kinds))
            await broker.publish_capabilities(can.model_dump(mode="json", exclude_defaults=True))
            sweeping = asyncio.create_task(parts.lost.sweep_for_ever(settings.sweep_every_s))
            late = asyncio.create_task(parts.late.sweep_for_ever(settings.sweep_every_s))
            renewing = asyncio.create_task(parts.commands.renew_for_ever(settings.sweep_every_s))
            observing = asyncio.create_task(parts.observer.observe_for_ever(settings.observe_every_s))
            try:
                yield
            finally:
                await end([sweeping, late, renewing, observing])

    return FastStream(broker, lifespan=lifespan, logger=None)


def make_broker(settings: OrchestratorSettings) -> StemmaBroker:
    return StemmaBroker(subjects.ORCHESTRATOR, settings, *drivers(settings))


def drivers(settings: OrchestratorSettings) -> tuple[Driver, ...]:
    """How each stream is fed: requests and outcomes are pushed, of events the latest of each document counts.

    These are taken from tenants in turn.
    """
    turns = Turns(settings.slots)
    return (
        PushDriver(subjects.REQUESTS, turns=Throttle(turns)),
        PushDriver(subjects.OUTCOMES, (subjects.ORCHESTRATOR,), turns=turns),
        CompactingDriver(subjects.EVENTS, subjects.PROJECTOR, key_of, PROJECTION_REST_S, turns=turns),
        PullDriver(subjects.TIMERS, (subjects.ORCHESTRATOR,), TIMER_SLOTS),
        PullDriver(subjects.ADVISORIES, (subjects.SWEEPER,), ADVISORY_SLOTS),
    )


service = Service(subjects.ORCHESTRATOR, OrchestratorSettings, build_app, check)


async def repair(settings: OrchestratorSettings) -> int:
    """See to lost messages, and make summaries and open jobs anew from the log; how many documents there are."""
    broker = make_broker(settings)
    async with broker.connected():
        parts = await build(settings, broker, catalog())
        await parts.lost.bring_back()
        return await Repair(broker.jetstream, parts.store, parts.tools.projector, parts.jobs, parts.timers).run()


async def sweep(settings: OrchestratorSettings, *, take: bool) -> int:
    """Take artifacts away of documents that were never made, or only look; how many there are."""
    broker = make_broker(settings)
    async with broker.connected():
        parts = await build(settings, broker, catalog())
        return await Orphans(broker.jetstream, parts.late.eraser).swept(take=take)


def main() -> None:
    """Run the orchestrator until it is told to stop, or do what a verb says, and end."""
    service.main({"--repair": _repair, "--orphans": _orphans, "--take-orphans": _take_orphans})


def _repair(settings: OrchestratorSettings) -> None:
    """see to messages that no consumer sees any more, mend what is derived from the log, and end"""
    _told("repaired documents", repair(settings))


def _orphans(settings: OrchestratorSettings) -> None:
    """count artifacts of eight days before the latest event whose document was never made, and end"""
    _told("artifacts of no document", sweep(settings, take=False))


def _take_orphans(settings: OrchestratorSettings) -> None:
    """take such artifacts away, 10,000 at most, and end"""
    _told("taken away", sweep(settings, take=True))


def _told(what: str, counting: Coroutine[Any, Any, int]) -> None:
    try:
        print(f"{what}: {asyncio.run(counting)}")
    except BusFailed as failure:
        sys.exit(f"stemma-orchestrator: {failure}")
