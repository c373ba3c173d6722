"""Processes of services beside a local installation, each ready, with a log of its own."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import psutil
from stemma_cli.local.launcher import launcher
from stemma_cli.local.starts import Start
from stemma_cli.local.supervisor import LocalStemma
from stemma_contracts import subjects
from stemma_testkit.customizing import CODE, RUNS
from stemma_testkit.servers import eventually

GENERATION = subjects.GENERATION
RUN = "stemma_cli.local.run"


@asynccontextmanager
async def replica(
    stemma: LocalStemma, name: str, more: Mapping[str, str], service: str = GENERATION, first: str = ""
) -> AsyncIterator[psutil.Process]:
    """One more process of a service, ready, with a log of its own; nobody starts it again.

    ``first`` is code that it runs before its own.
    """
    ready = stemma.folder.ready_file(name)
    env = {
        **os.environ,
        CODE: first,
        **more,
        "STEMMA_NATS_URL": stemma.url,
        "STEMMA_NATS_USER": service,
        "STEMMA_NATS_PASSWORD": stemma.password(service),
        "STEMMA_DATA_DIR": str(stemma.folder.root),
        "STEMMA_READY_FILE": str(ready),
    }
    with stemma.folder.log(name).open("ab") as log:
        launched = await launcher().start(Start(name, RUNS, [RUN, service], env), log)
    process = psutil.Process(launched.pid)

    async def is_ready() -> bool:
        assert process.is_running()
        return ready.exists()

    try:
        await eventually(is_ready, 60)
        yield process
    finally:
        launched.kill()
        await launched.wait()
