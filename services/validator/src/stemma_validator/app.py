"""Composition root of the validator."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Literal

from pydantic import Field
from stemma_artifacts.store import JetStreamArtifactStore
from stemma_contracts import subjects
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_messaging import Bus, Handlers, WorkerSettings, config_dir, worker_service

from .engines import warm_rumdl
from .engines.rumdl import packaged_rumdl
from .handlers import DRAFT_LIMIT, on_validate_draft
from .processes import Limits


class ValidatorSettings(WorkerSettings):
    """What can be set; see config/settings.toml."""

    engine: Literal["rumdl"] = "rumdl"
    time_limit_s: float = Field(default=30.0, gt=0, description="one check of a draft")
    memory_limit_mib: int = Field(default=1024, ge=64, description="of one process")
    processes: int = Field(default=4, ge=1, description="linter processes at a time")
    draft_limit_bytes: int = Field(default=DRAFT_LIMIT, ge=1)


@asynccontextmanager
async def open_handlers(settings: ValidatorSettings, bus: Bus) -> AsyncIterator[Handlers]:
    """Wire the handler to the bus and the linter."""
    limits = Limits(settings.time_limit_s, settings.memory_limit_mib * 1024 * 1024)
    rules = (config_dir("stemma_validator") / "rumdl.toml").read_text(encoding="utf-8")
    async with warm_rumdl(rules, executable=packaged_rumdl(), limits=limits, processes=settings.processes) as engine:
        handle = partial(
            on_validate_draft,
            artifacts=JetStreamArtifactStore(bus.jetstream),
            engine=engine,
            limits=limits,
            draft_limit=settings.draft_limit_bytes,
        )
        yield {ValidateDraft: handle}


service = worker_service(subjects.VALIDATOR, ValidatorSettings, open_handlers, consumer="push")


def main() -> None:
    """Run the service until it is told to stop."""
    service.main()
