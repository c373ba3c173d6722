"""Programs that read hostile text run here: with limits on CPU time and memory, and nothing of our environment."""

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

from stemma_confinement import Limits, Stalled

from .errors import EngineNotFound, ValidationTimeout

_MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Finished:
    """What a process left behind."""

    status: int
    stdout: bytes
    stderr: bytes


async def run_limited(
    name: str,
    argv: Sequence[str | Path],
    *,
    folder: Path,
    limits: Limits,
    stdin: bytes | None = None,
    counted: int = resource.RLIMIT_AS,
) -> Finished:
    """Run a program in ``folder`` to its end; nothing of its process group outlives the call.

    ``counted`` is what counts as its memory: all addresses, or `resource.RLIMIT_DATA` for a program that reserves
    far more of them than it uses. Raises `EngineNotFound` with ``name``, `ValidationTimeout` and `Stalled`.
    """
    try:
        process = await _start(argv, folder, stdin=PIPE if stdin is not None else DEVNULL, stderr=PIPE)
    except (FileNotFoundError, PermissionError):
        raise EngineNotFound(name) from None
    try:
        return await _finish(process, limits, stdin, counted)
    finally:
        await _end(process)


async def _start(argv: Sequence[str | Path], folder: Path, *, stdin: int, stderr: int) -> Process:
    """Start a program in a process group of its own; nothing of it is left if the start is cancelled."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *argv, cwd=folder, env={}, stdin=stdin, stdout=PIPE, stderr=stderr, process_group=0
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # A start that is cancelled kills the program, not its children, and then waits for them.
        await _end(await starting)
        raise


async def _finish(process: Process, limits: Limits, stdin: bytes | None, counted: int) -> Finished:
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(process.pid, counted, (limits.memory_mb * _MEGABYTE,) * 2)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, limits.cpu_seconds)
    try:
        async with asyncio.timeout(limits.by_the_clock):
            stdout, stderr = await process.communicate(stdin)
    except TimeoutError:
        raise Stalled(limits.by_the_clock) from None
    if (status := await process.wait()) == -signal.SIGXCPU:
        raise ValidationTimeout(limits.seconds)
    return Finished(status, stdout, stderr)


async def _end(process: Process) -> None:
    """Kill the group: the program may have left children that hold its pipes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
