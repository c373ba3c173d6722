"""Composition root of the orchestrator: the only file that reads settings and builds adapters."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial

from nats.js import JetStreamContext
from nats.js.errors import KeyNotFoundError
from pydantic import Field
from stemma_artifacts.store import JetStreamArtifactStore
from stemma_artifacts.uploads import UploadStore
from stemma_contracts import subjects
from stemma_eventlog import Decider, EventStore, JetStreamEventLog
from stemma_messaging import BadSettings, Bus, Service, ServiceSettings, config_dir

from .answers import Answers
from .catalog import Catalog, ConfigError, load_catalog
from .core.commands import Command
from .core.decide import decide
from .core.evolve import evolve
from .core.state import NoDocument, State
from .desk import Desk
from .handlers import on_outcome, on_request
from .intake import Intake, Limits
from .open_jobs import OpenJobs
from .projector import Projector, document_of
from .sweeper import Sweeper

DECIDER: Decider[Command, State] = Decider(NoDocument(), decide, evolve)
ADVISORY_SLOTS = 1
PROJECTION_REST_S = 0.25
"""How far the list of documents may be behind; meanwhile the events of a document gather."""


class OrchestratorSettings(ServiceSettings):
    """Settings of the orchestrator; sizes in bytes."""

    max_input_bytes: int = Field(default=50 * 1024 * 1024, ge=1)
    max_inputs_bytes: int = Field(default=200 * 1024 * 1024, ge=1)
    max_brief_bytes: int = Field(default=1024 * 1024, ge=1)


def catalog() -> Catalog:
    """The document kinds of this installation; raises `BadSettings`."""
    try:
        return load_catalog(config_dir(__package__))
    except ConfigError as error:
        raise BadSettings([str(error)]) from None


def intake(settings: OrchestratorSettings, bus: Bus) -> Intake:
    """The intake with the stores of this installation."""
    limits = Limits(settings.max_input_bytes, settings.max_inputs_bytes, settings.max_brief_bytes)
    uploads = cache(partial(UploadStore, bus.jetstream))
    artifacts = JetStreamArtifactStore(bus.jetstream)
    return Intake(catalog(), artifacts, uploads, partial(known_graphs, bus.jetstream), limits)


async def known_graphs(jetstream: JetStreamContext) -> frozenset[str] | None:
    """The graphs that generation-graph has said it knows, None while it never said."""
    bucket = await jetstream.key_value(subjects.CAPABILITIES_BUCKET)
    try:
        entry = await bucket.get(subjects.GENERATION)
    except KeyNotFoundError:
        return None
    return frozenset(json.loads(entry.value or b"{}").get("graphs", ()))


@asynccontextmanager
async def open_orchestrator(settings: OrchestratorSettings, bus: Bus) -> AsyncIterator[None]:
    """Bind requests, outcomes, the read model and the sweeper."""
    store = EventStore(JetStreamEventLog(bus.nats), DECIDER)
    desk = Desk(store, intake(settings, bus), OpenJobs(bus.publisher))
    projector = Projector(store, await bus.jetstream.key_value(subjects.VIEWS_BUCKET))
    sweeper = Sweeper(bus.jetstream, bus.publisher)
    requests, outcomes = (
        partial(on_request, desk=desk, answers=Answers(bus.jetstream, bus.publisher)),
        partial(on_outcome, desk=desk),
    )
    bus.subscribe_push(subjects.REQUESTS, subjects.ORCHESTRATOR, requests)
    bus.subscribe_push(subjects.OUTCOMES, subjects.ORCHESTRATOR, outcomes)
    bus.subscribe_latest(subjects.EVENTS, subjects.PROJECTOR, document_of, PROJECTION_REST_S, projector.on_event)
    bus.subscribe_pull(subjects.ADVISORIES, subjects.SWEEPER, ADVISORY_SLOTS, sweeper.on_advisory)
    yield


service = Service(subjects.ORCHESTRATOR, OrchestratorSettings, open_orchestrator)


def main() -> None:
    """Run the orchestrator until it is told to stop."""
    service.main()
