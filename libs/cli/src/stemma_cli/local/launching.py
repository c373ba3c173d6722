"""The launcher: a process that imports what services need, and of which each service is a copy.

usage: python -m stemma_cli.local.launching CONTROL

What a copy does and its environment, with its secrets, are read by the copy alone. The launcher has one thread.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from select import select
from socket import MSG_DONTWAIT, MSG_PEEK, recv_fds, send_fds, socket

from stemma_confinement.prctl import PDEATHSIG, prctl

from .run import SERVICES_GROUP
from .starts import LONGEST, Descriptors, Start


def main() -> None:
    """Make copies as long as somebody is there who could ask for them, and see to their ends; or be one of them."""
    _name_process("stemma-launcher")
    gc.disable()
    began_with = _read_by_python()
    with socket(fileno=int(sys.argv[1])) as control:
        start = Launching(control).until_copied()
    if start is not None:
        _run(start, copied=_read_by_python() == began_with)


@dataclass(frozen=True)
class Copy:
    """A copy that runs, or whose end is not told yet."""

    pid: int
    pidfd: int
    report: socket

    def close(self) -> None:
        """Know no more of it."""
        os.close(self.pidfd)
        self.report.close()


class Launching:
    """Does what the messages of one connection say, one after the other.

    Each names services, whose modules are imported now; one with descriptors asks for a copy as well.
    """

    def __init__(self, control: socket) -> None:
        self._control = control
        self._asked = True
        self._copies: dict[int, Copy] = {}

    def until_copied(self) -> Start | None:
        """What this copy is to do; nothing in the launcher, when nobody asks any more and no copy is left."""
        while self._asked or self._copies:
            control = [self._control.fileno()] if self._asked else []
            for descriptor in select([*self._copies, *control], [], [])[0]:
                if descriptor in self._copies:
                    self._tell_end(descriptor)
                elif (start := self._answer()) is not None:
                    return start
        return None

    def _answer(self) -> Start | None:
        message, received, _, _ = recv_fds(self._control, LONGEST, len(Descriptors._fields))
        if not message:
            self._asked = False
            return None
        _import(json.loads(message))
        return self._copy(Descriptors(*received)) if received else None

    def _copy(self, descriptors: Descriptors) -> Start | None:
        report, launcher = socket(fileno=descriptors.report), os.getpid()
        try:
            pid = None if _is_given_up(report) else _fork()
            if pid == 0:
                report.close()
                self._forget_all()
                return _become(launcher, descriptors)
        finally:
            for descriptor in descriptors[:-1]:
                os.close(descriptor)
        if pid is None:
            report.close()
        else:
            self._tell_begin(pid, report)
        return None

    def _forget_all(self) -> None:
        self._control.close()
        for copy in self._copies.values():
            copy.close()

    def _tell_begin(self, pid: int, report: socket) -> None:
        # It cannot stand for another process: until it is waited for, its number is not given away.
        pidfd = os.pidfd_open(pid)
        self._copies[pidfd] = Copy(pid, pidfd, report)
        with suppress(OSError):  # it was given up, and ends by itself
            send_fds(report, [str(pid).encode()], [pidfd])

    def _tell_end(self, pidfd: int) -> None:
        copy = self._copies.pop(pidfd)
        _, status = os.waitpid(copy.pid, 0)
        with suppress(OSError):  # it was given up
            copy.report.send(str(os.waitstatus_to_exitcode(status)).encode())
        copy.close()


def _import(services: list[str]) -> None:
    for name in services:
        for found in entry_points(group=SERVICES_GROUP, name=name):
            with suppress(Exception):  # the copy runs into it as well, and its log says so
                found.load()
    # What is here stays in all copies: looking through it for garbage would copy it.
    gc.freeze()


def _fork() -> int | None:
    try:
        return os.fork()
    except OSError:  # no memory, or too many processes, which may pass
        return None


def _is_given_up(report: socket) -> bool:
    try:
        return not report.recv(1, MSG_PEEK | MSG_DONTWAIT)
    except BlockingIOError:
        return False


def _become(launcher: int, descriptors: Descriptors) -> Start:
    """Give a copy what is its own; it ends with its launcher, as nobody else would tell of its end."""
    prctl(PDEATHSIG, signal.SIGKILL)
    if os.getppid() != launcher:
        os.kill(os.getpid(), signal.SIGKILL)
    os.setsid()
    os.dup2(descriptors.stdin, sys.stdin.fileno())
    for stream in (sys.stdout, sys.stderr):
        os.dup2(descriptors.log, stream.fileno())
    os.fchdir(descriptors.folder)
    start = Start.read(descriptors.start)
    os.environ.clear()
    os.environ.update(start.environment)
    time.tzset()
    _name_process(start.name)
    gc.enable()
    return start


def _name_process(name: str) -> None:
    """Be told from others by ``ps``, which shows the first 15 letters."""
    Path("/proc/self/comm").write_text(name)


def _read_by_python() -> dict[str, str]:
    """The variables of the environment that Python reads when it begins."""
    return {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}


def _run(start: Start, *, copied: bool) -> None:
    """Do it here, or in this process begun anew, where a copy would lack what the environment says to Python."""
    if not copied:
        os.execv(sys.executable, [sys.executable, "-P", "-m", start.module, *start.services])  # noqa: S606 - our own
    sys.argv = [start.module, *start.services]
    import_module(start.module).main()


if __name__ == "__main__":
    main()
