"""A keeper sees to the limits and the end of one call after the other; each is done by a worker of its own."""

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
from .process import CHILD_SUBREAPER, PDEATHSIG, prctl

KEEPER = b"k"
FAILED, NO_MEMORY = 1, 113
RAISED = "raised.txt"
_MEGABYTE = 1024 * 1024
_GLANCE_S = 0.1
HOMES = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME")


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
    worker = os.fork()
    if worker == 0:
        connection.close()
        _work(call)
    status = _status_of(worker, connection, call.limits)
    _end_descendants()
    if status == -signal.SIGXCPU:
        return Ended(None)
    return Ended(status, _raised(call) if status == FAILED else "", stalled=status is None)


def _status_of(worker: int, connection: socket, limits: Limits) -> int | None:
    """The exit status of a worker, negative for a signal; none if it had to be ended by the clock.

    What the worker started counts with it: its processes together use no more CPU time than one may.
    """
    latest, ending = time.monotonic() + limits.by_the_clock, os.pidfd_open(worker)
    ready, left = list[int](), limits.seconds
    try:
        while not ready and left > 0 and (remaining := latest - time.monotonic()) > 0:
            glance = min(remaining, max(_GLANCE_S, left / (os.cpu_count() or 1)))
            ready, _, _ = select.select([ending, connection.fileno()], [], [], glance)
            left = limits.seconds - (0 if ready else _spent(worker))
    finally:
        os.close(ending)
    if ending in ready:
        return os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    return -signal.SIGXCPU if left <= 0 else None


def _spent(worker: int) -> float:
    """CPU seconds of a process, of those that it started and that live, and of those that ended before."""
    seconds, children = dict[int, float](), dict[int, list[int]]()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            told = (process / "stat").read_text().rpartition(")")[2].split()
            seconds[int(process.name)] = sum(map(int, told[11:15])) / os.sysconf("SC_CLK_TCK")
            children.setdefault(int(told[1]), []).append(int(process.name))
    total, found = 0.0, [worker]
    while found:
        total += seconds.get(one := found.pop(), 0)
        found += children.get(one, [])
    return total


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
    for name in HOMES:
        os.environ[name] = str(folder)
    resource.setrlimit(resource.RLIMIT_CPU, limits.cpu_seconds)
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, _held() + limits.memory_mb * _MEGABYTE),
        (resource.RLIMIT_FSIZE, limits.output_mb * _MEGABYTE),
        (resource.RLIMIT_NOFILE, 256),
    ):
        resource.setrlimit(kind, (most, most))


def _held() -> int:
    """Bytes of data that this process has from the one that it is a copy of, and shares with it."""
    return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()


def _place_of(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
