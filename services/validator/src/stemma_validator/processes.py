"""Programs that read hostile text run here: with a time limit, a memory limit, and nothing of our environment."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import EngineNotFound, ValidationTimeout


@dataclass(frozen=True)
class Limits:
    """Wall time in seconds and address space in bytes of one process."""

    seconds: float = 30.0
    memory: int = 1024 * 1024 * 1024


@dataclass(frozen=True)
class Finished:
    """What a process left behind."""

    status: int
    stdout: bytes
    stderr: bytes


async def run_limited(
    name: str, argv: Sequence[str | Path], *, folder: Path, limits: Limits, stdin: bytes | None = None
) -> Finished:
    """Run a program in ``folder`` to its end; nothing of its process group outlives the call.

    Raises `EngineNotFound` with ``name`` and `ValidationTimeout`.
    """
    try:
        process = await _start(argv, folder, PIPE if stdin is not None else DEVNULL)
    except (FileNotFoundError, PermissionError):
        raise EngineNotFound(name) from None
    try:
        return await _finish(process, limits, stdin)
    finally:
        await _end(process)


async def _start(argv: Sequence[str | Path], folder: Path, stdin: int) -> Process:
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *argv, cwd=folder, env={}, stdin=stdin, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # A start that is cancelled kills the program, not its children, and then waits for them.
        await _end(await starting)
        raise


async def _finish(process: Process, limits: Limits, stdin: bytes | None) -> Finished:
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(process.pid, resource.RLIMIT_AS, (limits.memory, limits.memory))
    try:
        async with asyncio.timeout(limits.seconds):
            stdout, stderr = await process.communicate(stdin)
    except TimeoutError:
        raise ValidationTimeout(limits.seconds) from None
    return Finished(await process.wait(), stdout, stderr)


async def _end(process: Process) -> None:
    """Kill the group: the program may have left children that hold its pipes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
