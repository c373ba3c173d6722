"""Programs that read hostile text run as processes of their own, with limits, and with nothing of ours in reach."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Literal

from .calls import Limits, OutOfTime
from .keeping import HOMES
from .prepared import ENVIRONMENT

# The shell sets the limits and is replaced by the program: no code runs between fork and exec in our process.
# One for each call, and the soft limit first: the shell refuses two at once, the kernel a hard limit below the soft.
# Where the limits of a call around this are narrower already, the kernel refuses these, and those stay.
_LIMITED = (
    'ulimit -c 0; ulimit -n 256; ulimit -S -t "$1"; ulimit -H -t "$2"; ulimit -f "$3"; '
    '[ -z "$4" ] || ulimit "$4" "$5"; shift 5; exec "$@"'
)
_BLOCK = 512
_CLOSED_PORT = "http://127.0.0.1:9"
_PROXIES = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _CLOSED_PORT)


@dataclass(frozen=True)
class Finished:
    """What a program left behind; a negative status is a signal."""

    status: int | None
    stdout: bytes
    stderr: bytes


async def run_program(
    command: Sequence[str | Path],
    data: bytes = b"",
    *,
    folder: Path,
    limits: Limits,
    memory: Literal["addresses", "data", "own"] = "addresses",
) -> Finished:
    """Run a program in ``folder`` with ``data`` as its input; nothing of its process group outlives the call.

    ``memory`` says what counts as its memory: all ``addresses``, only ``data`` for a program that reserves far more of
    them than it uses, or nothing, because it limits its ``own``. There is no clock. Raises `OutOfTime`.
    """
    kind = {"addresses": "-v", "data": "-d", "own": ""}[memory]
    numbers = (*limits.cpu_seconds, limits.output_mb * 1024 * 1024 // _BLOCK, kind, limits.memory_mb * 1024)
    shell = ("/bin/sh", "-c", _LIMITED, "sh", *map(str, numbers), *map(str, command))
    # Into files and not into pipes, because the limit of what is written holds for files.
    with TemporaryFile(dir=folder) as stdout, TemporaryFile(dir=folder) as stderr:
        process = await _start(shell, folder, stdout, stderr)
        try:
            await process.communicate(data)
        finally:
            await _end(process)
        if process.returncode == -signal.SIGXCPU:
            raise OutOfTime(limits.seconds)
        return Finished(process.returncode, *await asyncio.to_thread(lambda: (_read(stdout), _read(stderr))))


async def _start(command: Sequence[str], folder: Path, stdout: IO[bytes], stderr: IO[bytes]) -> Process:
    """Start a program in a process group of its own; nothing of it is left if the start is cancelled."""
    # No secrets of the service, and no way to the network for a program that honours proxies.
    environment = {**ENVIRONMENT, **dict.fromkeys(HOMES, str(folder)), **_PROXIES}
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command, cwd=folder, env=environment, stdin=PIPE, stdout=stdout, stderr=stderr, process_group=0
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # A start that is cancelled kills the program, not its children, and then waits for them.
        await _end(await starting)
        raise


async def _end(process: Process) -> None:
    """Kill the group: the program may have left children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
