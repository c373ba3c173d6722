"""A service as a process of its own that nobody starts again."""

import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from stemma_cli.local import run

from .servers import eventually

READY_WITHIN_S = 120.0


@asynccontextmanager
async def service_process(name: str, environment: Mapping[str, str], ready: Path, log: Path) -> AsyncIterator[Process]:
    """A service that is ready, as its file says, and killed at the end of the block; a log takes what it says."""
    ready.unlink(missing_ok=True)  # noqa: ASYNC240 - a test has nothing else to do
    command = [sys.executable, "-P", "-m", run.__name__, name]
    environment = {**environment, "STEMMA_READY_FILE": str(ready)}
    with log.open("ab") as file:
        process = await create_subprocess_exec(*command, env=environment, stdin=PIPE, stdout=file, stderr=file)

    async def is_ready() -> bool:
        assert process.returncode is None, log.read_text()  # noqa: ASYNC240
        return ready.exists()  # noqa: ASYNC240

    try:
        await eventually(is_ready, READY_WITHIN_S)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
