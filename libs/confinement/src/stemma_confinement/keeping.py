"""A keeper sees to the limits and the end of one call after the other; each is done by a worker of its own."""

from __future__ import annotations

import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from socket import socket
from typing import NoReturn

from .calls import LONGEST, Call, Ended, Limits
from .prctl import CHILD_SUBREAPER, PDEATHSIG, prctl

KEEPER = b"k"
FAILED, NO_MEMORY = 1, 113
RAISED = "raised.txt"
_MEGABYTE = 1024 * 1024
_HOMES = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME")


def keep(connection: socket) -> NoReturn:
    """See one call after the other to its end, as they come, until nobody is there any more; then leave the process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # What outlives its parent in a call becomes a child of the keeper, in whatever group it is.
    prctl(CHILD_SUBREAPER, 1)
    with suppress(OSError):  # nobody waits for the answer any more
        while message := connection.recv(LONGEST):
            connection.send(_kept(Call.read(message), connection).written())
    os._exit(0)


def _kept(call: Call, connection: socket) -> Ended:
    """How a call ended, by itself or because its time was up or nobody waits for it; nothing is left of it."""
    latest = time.monotonic() + call.limits.seconds
    worker = os.fork()
    if worker == 0:
        connection.close()
        _work(call)
    status = _status_of(worker, connection, latest)
    _end_descendants()
    return Ended(status, _raised(call) if status == FAILED else "")


def _status_of(worker: int, connection: socket, latest: float) -> int | None:
    """The exit status of a worker, negative for a signal; none if it had to be ended."""
    ending = os.pidfd_open(worker)
    try:
        ready, _, _ = select.select([ending, connection.fileno()], [], [], max(0, latest - time.monotonic()))
    finally:
        os.close(ending)
    if ending not in ready:
        return None
    status = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    return None if status == -signal.SIGXCPU else status


def _end_descendants() -> None:
    with suppress(ChildProcessError):
        while True:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                for child in _children():
                    os.kill(child, signal.SIGKILL)
                os.waitpid(-1, 0)


def _children() -> Iterator[int]:
    """The children of this process that live; what they started comes to it when they are gone."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
            if int(parent) == os.getpid() and state != "Z":
                yield int(process.name)


def _raised(call: Call) -> str:
    try:
        return (Path(call.folder) / RAISED).read_text(encoding="utf-8")[:300]
    except OSError:
        return ""


def _work(call: Call) -> NoReturn:
    try:
        prctl(PDEATHSIG, signal.SIGKILL)
        _confine(Path(call.folder), call.limits)
        getattr(import_module(call.module), call.function)(Path(call.folder))
    except MemoryError:
        os._exit(NO_MEMORY)
    except BaseException as error:
        with suppress(OSError):  # there may be no room for it
            (Path(call.folder) / RAISED).write_text(_place_of(error), encoding="utf-8")
        os._exit(FAILED)
    os._exit(0)


def _confine(folder: Path, limits: Limits) -> None:
    os.chdir(folder)
    for name in _HOMES:
        os.environ[name] = str(folder)
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, int(limits.seconds) + 1),
        (resource.RLIMIT_DATA, _held() + limits.memory_mb * _MEGABYTE),
        (resource.RLIMIT_FSIZE, limits.output_mb * _MEGABYTE),
        (resource.RLIMIT_NOFILE, 256),
    ):
        resource.setrlimit(kind, (most, most))


def _held() -> int:
    """Bytes of data that this process has from the one that it is a copy of, and shares with it."""
    return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()


def _place_of(error: BaseException) -> str:
    """The kind of an exception and the line that it comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
