"""Composition root of the orchestrator: the only file that reads settings and builds adapters."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial

from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue
from pydantic import Field, ValidationError
from stemma_artifacts.store import JetStreamArtifactStore
from stemma_artifacts.uploads import UploadStore
from stemma_contracts import subjects
from stemma_contracts.v1.capabilities import Capabilities
from stemma_document.evolve import evolve
from stemma_document.state import NoDocument, State
from stemma_eventlog import Decider, EventStore, JetStreamEventLog, StreamId
from stemma_messaging import BadSettings, Bus, BusFailed, Handler, Service, ServiceSettings, config_dir, open_bus
from stemma_messaging.cancellation import end
from stemma_messaging.turns import Turns
from stemma_telemetry import get_logger, names

from .answers import Answers
from .bounds import Bounds, TenantLimits
from .catalog import Catalog, ConfigError, document_kinds, load_catalog
from .core.commands import Command
from .core.decide import decide
from .desk import Desk
from .handlers import on_outcome, on_request
from .inputs import Limits
from .intake import Intake
from .lost import SWEEP_EVERY_S, LostMessages
from .open_count import OpenCount
from .open_jobs import OpenJobs
from .projector import Projector, key_of
from .repair import Repair
from .sweeper import Sweeper

DECIDER: Decider[Command, State] = Decider(NoDocument(), decide, evolve)
ADVISORY_SLOTS = 1
PROJECTION_REST_S = 0.25
"""How far the list of documents may be behind; meanwhile the events of a document gather."""


class OrchestratorSettings(ServiceSettings):
    """Settings of the orchestrator; sizes in bytes."""

    sweep_every_s: float = Field(default=SWEEP_EVERY_S, gt=0, description="between two looks for lost messages")

    slots: int = Field(default=8, ge=1, description="messages at a time; they are taken from tenants in turn")
    max_input_bytes: int = Field(default=50 * 1024 * 1024, ge=1)
    max_inputs_bytes: int = Field(default=200 * 1024 * 1024, ge=1)
    max_text_input_bytes: int = Field(default=5 * 1024 * 1024, ge=1, description="of an input that writers read")
    max_brief_bytes: int = Field(default=1024 * 1024, ge=1)
    max_waiting_requests: int = Field(default=2000, ge=1, description="of one tenant, by whomever of it")
    max_open_jobs: int = Field(default=1000, ge=1, description="of one tenant")
    bulk_from_open_jobs: int = Field(default=16, ge=0, description="of one tenant: more go behind the jobs of others")
    max_open_exports: int = Field(default=16, ge=1, description="of one tenant")
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


def event_store(bus: Bus) -> EventStore[Command, State]:
    """The documents in the log of this installation; what is no event of them is told to operators."""
    return EventStore(JetStreamEventLog(bus.nats), DECIDER, report=_skipped)


def _skipped(stream: StreamId, sequence: int, reason: str) -> None:
    place = {"tenant": stream.tenant, "document_id": stream.document_id, "sequence": sequence}
    get_logger().error(names.Log.EVENT_SKIPPED, **place, reason=reason)


def intake(settings: OrchestratorSettings, bus: Bus, kinds: Catalog, capabilities: KeyValue) -> Intake:
    """The intake with the stores of this installation."""
    limits = Limits(
        settings.max_input_bytes, settings.max_inputs_bytes, settings.max_text_input_bytes, settings.max_brief_bytes
    )
    uploads = cache(partial(UploadStore, bus.jetstream))
    artifacts = JetStreamArtifactStore(bus.jetstream)
    return Intake(kinds, artifacts, uploads, partial(known_graphs, capabilities), limits)


def bounds(settings: OrchestratorSettings, bus: Bus, open_count: OpenCount) -> Bounds:
    """What one tenant may have open."""
    limits = TenantLimits(
        settings.max_waiting_requests, settings.max_open_jobs, settings.max_open_exports, settings.max_stored_bytes
    )

    async def stored(tenant: str) -> int:
        return (await bus.jetstream.stream_info(f"OBJ_{subjects.artifacts_bucket(tenant)}")).state.bytes

    return Bounds(open_count, limits, stored)


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
    """The orchestrator, ready to handle what arrives."""

    store: EventStore[Command, State]
    projector: Projector
    jobs: OpenJobs
    on_request: Handler
    on_outcome: Handler
    lost: LostMessages


async def build(settings: OrchestratorSettings, bus: Bus, kinds: Catalog) -> Parts:
    """The orchestrator on a bus."""
    store = event_store(bus)
    capabilities = await bus.jetstream.key_value(subjects.CAPABILITIES_BUCKET)
    open_count = OpenCount(store)
    jobs = OpenJobs(bus.publisher, bus.cancel_job, open_count, settings.bulk_from_open_jobs)
    desk = Desk(store, intake(settings, bus, kinds, capabilities), jobs, bounds(settings, bus, open_count))
    requests = partial(on_request, desk=desk, answers=Answers(bus.jetstream, bus.publisher))
    outcomes = partial(on_outcome, desk=desk)
    handlers = {subjects.REQUESTS: requests, subjects.OUTCOMES: outcomes}
    lost = LostMessages(bus.jetstream, bus.publisher, handlers)
    projector = Projector(store, await bus.jetstream.key_value(subjects.VIEWS_BUCKET))
    return Parts(store, projector, jobs, requests, outcomes, lost)


@asynccontextmanager
async def open_orchestrator(settings: OrchestratorSettings, bus: Bus) -> AsyncIterator[None]:
    """Bind requests, outcomes, the read model and the sweeper, and look for lost messages."""
    kinds = catalog()
    parts = await build(settings, bus, kinds)
    sweeper = Sweeper(bus.jetstream, bus.publisher)
    told = Capabilities(kinds=document_kinds(kinds))
    await bus.publish_capabilities(told.model_dump_json(exclude_defaults=True).encode())
    turns = Turns(settings.slots)
    bus.subscribe_push_by_tenant(subjects.REQUESTS, turns.in_turn(parts.on_request))
    bus.subscribe_push(subjects.OUTCOMES, (subjects.ORCHESTRATOR,), turns.in_turn(parts.on_outcome))
    on_event = turns.in_turn(parts.projector.on_event)
    bus.subscribe_latest(subjects.EVENTS, subjects.PROJECTOR, key_of, PROJECTION_REST_S, on_event)
    bus.subscribe_pull(subjects.ADVISORIES, (subjects.SWEEPER,), ADVISORY_SLOTS, sweeper.on_advisory)
    sweeping = asyncio.create_task(parts.lost.sweep_for_ever(settings.sweep_every_s))
    try:
        yield
    finally:
        await end([sweeping])


service = Service(subjects.ORCHESTRATOR, OrchestratorSettings, open_orchestrator, check)


async def repair(settings: OrchestratorSettings) -> int:
    """See to lost messages, and make summaries and open jobs anew from the log; how many documents there are."""
    async with open_bus(subjects.ORCHESTRATOR, settings) as bus:
        parts = await build(settings, bus, catalog())
        await parts.lost.bring_back()
        return await Repair(bus.jetstream, parts.store, parts.projector, parts.jobs).run()


def main() -> None:
    """Run the orchestrator until it is told to stop, or with ``--repair`` mend what is derived from the log and end."""
    service.main({"--repair": _repair})


def _repair(settings: OrchestratorSettings) -> None:
    """see to messages that no consumer sees any more, mend what is derived from the log, and end"""
    try:
        print(f"repaired documents: {asyncio.run(repair(settings))}")
    except BusFailed as failure:
        sys.exit(f"stemma-orchestrator: {failure}")
