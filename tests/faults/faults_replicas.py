"""Processes of services beside a local installation, each ready, with a log of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from stemma_contracts import subjects
from stemma_local.supervisor import LocalStemma
from stemma_testkit.servers import eventually

GENERATION = subjects.GENERATION


@asynccontextmanager
async def replica(
    stemma: LocalStemma, name: str, more: Mapping[str, str], service: str = GENERATION
) -> AsyncIterator[Process]:
    """One more process of a service, ready, with a log of its own; nobody starts it again."""
    ready = stemma.folder.ready_file(name)
    env = {
        **os.environ,
        **more,
        "STEMMA_NATS_URL": stemma.url,
        "STEMMA_NATS_USER": service,
        "STEMMA_NATS_PASSWORD": stemma.password(service),
        "STEMMA_DATA_DIR": str(stemma.folder.root),
        "STEMMA_READY_FILE": str(ready),
    }
    command = [sys.executable, "-m", "stemma_local.run", service]
    with stemma.folder.log(name).open("ab") as log:
        process = await asyncio.create_subprocess_exec(*command, env=env, stdin=PIPE, stdout=log, stderr=log)

    async def is_ready() -> bool:
        assert process.returncode is None
        return ready.exists()

    try:
        await eventually(is_ready, 60)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
