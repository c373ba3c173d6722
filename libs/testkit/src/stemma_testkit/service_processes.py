"""A service as a process of its own that nobody starts again: a copy of the launcher, which has its imports once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from stemma_cli.local import run
from stemma_cli.local.launcher import Launched as Launched
from stemma_cli.local.launcher import launcher
from stemma_cli.local.starts import Start

from .servers import eventually

READY_WITHIN_S = 120.0


@asynccontextmanager
async def service_process(name: str, environment: Mapping[str, str], ready: Path, log: Path) -> AsyncIterator[Launched]:
    """A service that is ready, as its file says, and killed at the end of the block; a log takes what it says."""
    start = Start(f"stemma-{name}", run.__name__, [name], _told(environment, ready))
    with log.open("ab") as file:
        process = await launcher().start(start, file)

    async def is_ready() -> bool:
        return _is_ready(process, ready, log)

    try:
        await eventually(is_ready, READY_WITHIN_S)
        yield process
    finally:
        process.kill()
        await process.wait()


def _told(environment: Mapping[str, str], ready: Path) -> Mapping[str, str]:
    ready.unlink(missing_ok=True)
    return {**environment, "STEMMA_READY_FILE": str(ready)}


def _is_ready(process: Launched, ready: Path, log: Path) -> bool:
    assert Path(f"/proc/{process.pid}").exists(), log.read_text()
    return ready.exists()
