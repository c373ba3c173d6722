"""Processes of services beside a local installation, each ready, with a log of its own."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import psutil
from stemma_cli.local.supervisor import LocalStemma
from stemma_contracts import subjects
from stemma_testkit.service_processes import service_process

GENERATION = subjects.GENERATION


@asynccontextmanager
async def replica(
    stemma: LocalStemma, name: str, more: Mapping[str, str], service: str = GENERATION
) -> AsyncIterator[psutil.Process]:
    """One more process of a service, ready, with a log of its own; nobody starts it again."""
    env = {
        **os.environ,
        **more,
        "STEMMA_NATS_URL": stemma.url,
        "STEMMA_NATS_USER": service,
        "STEMMA_NATS_PASSWORD": stemma.password(service),
        "STEMMA_DATA_DIR": str(stemma.folder.root),
    }
    log, ready = stemma.folder.log(name), stemma.folder.ready_file(name)
    async with service_process(service, env, ready, log) as process:
        yield psutil.Process(process.pid)
