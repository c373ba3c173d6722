"""Programs that read hostile input run as processes of their own, with limits, and nothing of ours in reach."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from stemma_confinement import Limits

from .errors import ConversionError

# The shell sets the limits and is replaced by the program: no code runs between fork and exec in our process.
# One for each call, and the soft limit first: the shell refuses two at once, the kernel a hard limit below the soft.
# Where the limits of the whole call are narrower already, the kernel refuses these, and those stay.
_LIMITED = (
    'ulimit -c 0; ulimit -n 256; ulimit -S -t "$1"; ulimit -H -t "$2"; ulimit -f "$3"; '
    '[ "$4" = 0 ] || ulimit -v "$4"; shift 4; exec "$@"'
)
_BLOCK = 512
_CLOSED_PORT = "http://127.0.0.1:9"


async def run_confined(
    what: str, command: Sequence[str | Path], data: bytes, *, folder: Path, limits: Limits, address_space: bool = False
) -> bytes:
    """Run a program in ``folder`` with ``data`` as its input and return its output.

    ``address_space`` applies the memory limit to all that the program maps; a program that reserves more
    than it uses limits itself. Raises `ConversionError`: ``timeout`` or ``<what>_failed``. The whole process
    group is killed when the caller is cancelled. There is no clock: the call that this is part of has one, and
    ends as `Stalled`, which is tried again.
    """
    kilobytes = limits.memory_mb * 1024 if address_space else 0
    numbers = (*limits.cpu_seconds, limits.output_mb * 1024 * 1024 // _BLOCK, kilobytes)
    shell = ("/bin/sh", "-c", _LIMITED, "sh", *map(str, numbers), *map(str, command))
    # Into a file and not into a pipe, because the limit of what is written holds for files.
    with TemporaryFile(dir=folder) as output:
        status = await _run(shell, data, output, folder)
        if status == -signal.SIGXCPU:
            raise ConversionError("timeout", what, why=f"{what} took more than {limits.seconds:g} s of CPU time")
        if status != 0:
            raise ConversionError(f"{what}_failed", what, status)
        output.seek(0)
        return await asyncio.to_thread(output.read)


async def _run(command: Sequence[str], data: bytes, output: IO[bytes], folder: Path) -> int | None:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=_environment(folder),
        stdin=PIPE,
        stdout=output,
        stderr=DEVNULL,
        process_group=0,
    )
    try:
        await process.communicate(data)
    finally:
        _kill_group(process.pid)
        await process.wait()
    return process.returncode


def _environment(folder: Path) -> dict[str, str]:
    """No secrets of the service, and no way to the network for a program that honours proxies."""
    home = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(folder))
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _CLOSED_PORT)
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **home, **proxies}


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
