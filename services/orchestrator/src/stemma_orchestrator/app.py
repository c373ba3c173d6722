"""Composition root of the orchestrator: the only file that reads settings and builds adapters."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, lru_cache, partial

from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue
from pydantic import Field
from stemma_artifacts.store import JetStreamArtifactStore
from stemma_artifacts.uploads import UploadStore
from stemma_contracts import subjects
from stemma_contracts.v1.capabilities import Capabilities
from stemma_eventlog import Decider, EventStore, JetStreamEventLog
from stemma_messaging import BadSettings, Bus, BusFailed, Service, ServiceSettings, config_dir, open_bus

from .answers import Answers
from .catalog import Catalog, ConfigError, document_kinds, load_catalog
from .core.commands import Command
from .core.decide import decide
from .core.evolve import evolve
from .core.state import NoDocument, State
from .desk import Desk
from .handlers import on_outcome, on_request
from .inputs import Limits
from .intake import Intake
from .open_jobs import OpenJobs
from .projector import Projector, document_of
from .repair import Repair
from .sweeper import Sweeper

DECIDER: Decider[Command, State] = Decider(NoDocument(), decide, evolve)
ADVISORY_SLOTS = 1
PROJECTION_REST_S = 0.25
"""How far the list of documents may be behind; meanwhile the events of a document gather."""


class OrchestratorSettings(ServiceSettings):
    """Settings of the orchestrator; sizes in bytes."""

    max_input_bytes: int = Field(default=50 * 1024 * 1024, ge=1)
    max_inputs_bytes: int = Field(default=200 * 1024 * 1024, ge=1)
    max_text_input_bytes: int = Field(default=5 * 1024 * 1024, ge=1, description="of an input that writers read")
    max_brief_bytes: int = Field(default=1024 * 1024, ge=1)


def catalog() -> Catalog:
    """The document kinds of this installation; raises `BadSettings`."""
    try:
        return load_catalog(config_dir(__package__))
    except ConfigError as error:
        raise BadSettings([str(error)]) from None


def check(_settings: OrchestratorSettings) -> None:
    """Raises `BadSettings` for document kinds that cannot be read."""
    catalog()


def intake(settings: OrchestratorSettings, bus: Bus, kinds: Catalog, capabilities: KeyValue) -> Intake:
    """The intake with the stores of this installation."""
    limits = Limits(
        settings.max_input_bytes, settings.max_inputs_bytes, settings.max_text_input_bytes, settings.max_brief_bytes
    )
    uploads = cache(partial(UploadStore, bus.jetstream))
    artifacts = JetStreamArtifactStore(bus.jetstream)
    return Intake(kinds, artifacts, uploads, partial(known_graphs, capabilities), limits)


async def known_graphs(bucket: KeyValue) -> frozenset[str] | None:
    """The graphs that generation-graph has said it knows, None while it never said."""
    try:
        entry = await bucket.get(subjects.GENERATION)
    except KeyNotFoundError:
        return None
    return _graphs(entry.value or b"{}")


@lru_cache(maxsize=1)
def _graphs(capabilities: bytes) -> frozenset[str]:
    """Generation says the same as long as it runs."""
    return frozenset(Capabilities.model_validate_json(capabilities).graphs)


@asynccontextmanager
async def open_orchestrator(settings: OrchestratorSettings, bus: Bus) -> AsyncIterator[None]:
    """Bind requests, outcomes, the read model and the sweeper."""
    store = EventStore(JetStreamEventLog(bus.nats), DECIDER)
    kinds = catalog()
    capabilities = await bus.jetstream.key_value(subjects.CAPABILITIES_BUCKET)
    desk = Desk(store, intake(settings, bus, kinds, capabilities), OpenJobs(bus.publisher, bus.cancel_job))
    projector = Projector(store, await bus.jetstream.key_value(subjects.VIEWS_BUCKET))
    sweeper = Sweeper(bus.jetstream, bus.publisher)
    requests, outcomes = (
        partial(on_request, desk=desk, answers=Answers(bus.jetstream, bus.publisher)),
        partial(on_outcome, desk=desk),
    )
    told = Capabilities(kinds=document_kinds(kinds))
    await bus.publish_capabilities(told.model_dump_json(exclude_defaults=True).encode())
    bus.subscribe_push(subjects.REQUESTS, subjects.ORCHESTRATOR, requests)
    bus.subscribe_push(subjects.OUTCOMES, subjects.ORCHESTRATOR, outcomes)
    bus.subscribe_latest(subjects.EVENTS, subjects.PROJECTOR, document_of, PROJECTION_REST_S, projector.on_event)
    bus.subscribe_pull(subjects.ADVISORIES, subjects.SWEEPER, ADVISORY_SLOTS, sweeper.on_advisory)
    yield


service = Service(subjects.ORCHESTRATOR, OrchestratorSettings, open_orchestrator, check)


async def repair(settings: OrchestratorSettings) -> int:
    """Make summaries and open jobs anew from the log; how many documents there are."""
    async with open_bus(subjects.ORCHESTRATOR, settings) as bus:
        store = EventStore(JetStreamEventLog(bus.nats), DECIDER)
        projector = Projector(store, await bus.jetstream.key_value(subjects.VIEWS_BUCKET))
        return await Repair(bus.jetstream, store, projector, OpenJobs(bus.publisher, bus.cancel_job)).run()


def main() -> None:
    """Run the orchestrator until it is told to stop, or with ``--repair`` mend what is derived from the log and end."""
    service.main({"--repair": _repair})


def _repair(settings: OrchestratorSettings) -> None:
    """mend what is derived from the log, summaries and open jobs, and end"""
    try:
        print(f"repaired documents: {asyncio.run(repair(settings))}")
    except BusFailed as failure:
        sys.exit(f"stemma-orchestrator: {failure}")
