"""Programs that read hostile input run as processes of their own, with limits, and nothing of ours in reach."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from .errors import ConversionError

# The shell sets the limits and is replaced by the program: no code runs between fork and exec in our process.
_LIMITED = (
    'ulimit -c 0 -t "$1" -n 256; ulimit -f "$2"; [ "$3" = 0 ] || ulimit -v "$3"; [ "$4" = 0 ] || ulimit -d "$4"; '
    'shift 4; exec "$@"'
)
_BLOCK = 512
_CLOSED_PORT = "http://127.0.0.1:9"


@dataclass(frozen=True)
class Limits:
    """Bounds of one program run: wall and CPU time, memory, and the size of what it writes."""

    seconds: float = 60
    memory_mb: int = 512
    output_mb: int = 256


async def run_confined(
    what: str,
    command: Sequence[str | Path],
    data: bytes,
    *,
    folder: Path,
    limits: Limits,
    address_space: bool = False,
    data_segment: bool = False,
    grace_s: float = 0,
) -> bytes:
    """Run a program in ``folder`` with ``data`` as its input and return its output.

    ``address_space`` applies the memory limit to all that the program maps, ``data_segment`` to what it and those that
    it starts write; one that reserves more than it uses limits itself. Raises `ConversionError`: ``timeout`` or
    ``<what>_failed``. The whole process group is killed when the time is up or the caller is cancelled; a program that
    starts others in groups of their own has ``grace_s`` seconds to end them.
    """
    kilobytes = limits.memory_mb * 1024
    memory = (kilobytes if address_space else 0, kilobytes if data_segment else 0)
    numbers = (int(limits.seconds) + 1, limits.output_mb * 1024 * 1024 // _BLOCK, *memory)
    shell = ("/bin/sh", "-c", _LIMITED, "sh", *map(str, numbers), *map(str, command))
    # Into a file and not into a pipe, because the limit of what is written holds for files.
    with TemporaryFile(dir=folder) as output:
        status = await _run(what, shell, data, output, folder, limits.seconds, grace_s)
        if status != 0:
            raise ConversionError(f"{what}_failed", what, status)
        output.seek(0)
        return await asyncio.to_thread(output.read)


async def _run(
    what: str,
    command: Sequence[str],
    data: bytes,
    output: IO[bytes],
    folder: Path,
    seconds: float,
    grace_s: float,
) -> int | None:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=_environment(folder),
        stdin=PIPE,
        stdout=output,
        stderr=DEVNULL,
        start_new_session=True,
    )
    try:
        await asyncio.wait_for(process.communicate(data), seconds)
    except TimeoutError:
        raise ConversionError("timeout", what) from None
    finally:
        if grace_s and process.returncode is None:
            await _ended(process, grace_s)
        _kill_group(process.pid, signal.SIGKILL)
        await process.wait()
    return process.returncode


async def _ended(process: Process, within_s: float) -> None:
    """Ask a program to end, and wait so long for it."""
    _kill_group(process.pid, signal.SIGTERM)
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), within_s)


def _environment(folder: Path) -> dict[str, str]:
    """No secrets of the service, and no way to the network for a program that honours proxies."""
    home = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(folder))
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _CLOSED_PORT)
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **home, **proxies}


def _kill_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)
