"""The launcher: a process that imports what services need, and of which each service is a copy.

usage: python -m stemma_cli.local.launching CONTROL

What a copy does and its environment, with its secrets, are read by the copy alone. The launcher has one thread, so that
copies may have it copied as well, into the processes that hostile text is read in.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from select import select
from socket import AF_UNIX, MSG_DONTWAIT, MSG_PEEK, SOCK_SEQPACKET, recv_fds, send_fds, socket, socketpair
from typing import NoReturn

from stemma_confinement import copies
from stemma_confinement.prctl import PDEATHSIG, prctl
from stemma_confinement.preparing import attend

from .environment import CALL_MODELS, live_in
from .run import DETECT, command_of, import_models, load_languages
from .starts import LONGEST, Descriptors, Start


def main() -> None:
    """Make copies as long as somebody is there who could ask for them, and see to their ends; or be one of them."""
    _name_process("stemma-launcher")
    gc.disable()
    # The offline writer imports NumPy, whose threads would be none of its copies'.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    began_with = _read_by_python()
    with socket(fileno=int(sys.argv[1])) as control:
        start = Launching(control).until_copied()
    if start is not None:
        _run(start, copied=_read_by_python() == began_with)


@dataclass(frozen=True)
class Copy:
    """A copy that runs, or whose end is not told yet; ``asking`` is where it asks for prepared processes."""

    pid: int
    pidfd: int
    report: socket
    asking: socket

    def close(self) -> None:
        """Know no more of it."""
        os.close(self.pidfd)
        self.report.close()
        self.asking.close()


class Launching:
    """Does what the messages of one connection say, one after the other.

    Each names services, whose modules are imported now; one with descriptors asks for a copy as well.
    """

    def __init__(self, control: socket) -> None:
        self._control = control
        self._copies: dict[int, Copy] = {}
        self._prepared: dict[int, int] = {}
        self._heard: dict[int, Callable[[], Start | None]] = {control.fileno(): self._answer}
        """What to do when something comes from a descriptor, or what it stands for has ended."""

    def until_copied(self) -> Start | None:
        """What this copy is to do; nothing in the launcher, when nobody asks any more and no copy is left."""
        while self._control.fileno() in self._heard or self._copies:
            # One at a time: it may close others, whose numbers are given away then.
            ready, *_ = select(self._heard, [], [])[0]
            if (start := self._heard[ready]()) is not None:
                return start
        return None

    def _answer(self) -> Start | None:
        message, received, _, _ = recv_fds(self._control, LONGEST, len(Descriptors._fields))
        if not message:
            del self._heard[self._control.fileno()]
            return None
        _import(json.loads(message))
        return self._copy(Descriptors(*received)) if received else None

    def _copy(self, descriptors: Descriptors) -> Start | None:
        report, launcher = socket(fileno=descriptors.report), os.getpid()
        ours, theirs = socketpair(AF_UNIX, SOCK_SEQPACKET)
        try:
            pid = None if _is_given_up(report) else _fork()
            if pid == 0:
                report.close()
                ours.close()
                self._forget_all()
                return _become(launcher, descriptors, theirs)
        finally:
            for descriptor in descriptors[:-1]:
                os.close(descriptor)
        theirs.close()
        if pid is None:
            report.close()
            ours.close()
        else:
            self._tell_begin(pid, report, ours)
        return None

    def _forget_all(self) -> None:
        self._control.close()
        for copy in self._copies.values():
            copy.close()
        for prepared in self._prepared:
            os.close(prepared)

    def _tell_begin(self, pid: int, report: socket, asking: socket) -> None:
        # It cannot stand for another process: until it is waited for, its number is not given away.
        pidfd = os.pidfd_open(pid)
        copy = self._copies[pidfd] = Copy(pid, pidfd, report, asking)
        self._heard[pidfd] = partial(self._tell_end, pidfd)
        self._heard[asking.fileno()] = partial(self._prepare, copy)
        with suppress(OSError):  # it was given up, and ends by itself
            send_fds(report, [str(pid).encode()], [pidfd])

    def _tell_end(self, pidfd: int) -> None:
        del self._heard[pidfd]
        copy = self._copies.pop(pidfd)
        self._heard.pop(copy.asking.fileno(), None)
        _, status = os.waitpid(copy.pid, 0)
        with suppress(OSError):  # it was given up
            copy.report.send(str(os.waitstatus_to_exitcode(status)).encode())
        copy.close()

    def _prepare(self, copy: Copy) -> None:
        """Make a copy in which the calls of another one are made, and which ends with that one."""
        asked = copies.asked_by(copy.asking)
        if asked is None:
            del self._heard[copy.asking.fileno()]
            return
        with asked.control:
            pid = _fork()
            if pid == 0:
                self._forget_all()
                _attend(asked)
        if pid is not None:
            pidfd = os.pidfd_open(pid)
            self._prepared[pidfd] = pid
            self._heard[pidfd] = partial(self._reap, pidfd)

    def _reap(self, pidfd: int) -> None:
        del self._heard[pidfd]
        os.waitpid(self._prepared.pop(pidfd), 0)
        os.close(pidfd)


def _import(services: list[str]) -> None:
    for name in services:
        with suppress(Exception):  # the copy runs into it as well, and its log says so
            command_of(name)
    if not set(services).isdisjoint(CALL_MODELS):
        with suppress(Exception):
            import_models()
    if not set(services).isdisjoint(DETECT):
        with suppress(Exception):
            load_languages()
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


def _attend(asked: copies.Asked) -> NoReturn:
    """Be a prepared process, as if it had been executed: with nothing of the launcher but what it imported."""
    try:
        os.setsid()
        os.chdir("/")
        with open(os.devnull, "r+b", buffering=0) as nowhere:
            for stream in (sys.stdin, sys.stdout, sys.stderr):
                os.dup2(nowhere.fileno(), stream.fileno())
        live_in(copies.ENVIRONMENT)
        _name_process("stemma-confined")
        gc.enable()
        attend(*asked)
    finally:
        os._exit(0)


def _become(launcher: int, descriptors: Descriptors, asking: socket) -> Start:
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
    live_in(start.environment)
    _name_process(start.name)
    gc.enable()
    copies.ask(asking)
    return start


def _name_process(name: str) -> None:
    """Be told from others by ``ps``, which shows the first 15 letters."""
    Path("/proc/self/comm").write_text(name)


def _read_by_python() -> dict[str, str]:
    """The variables of the environment that Python reads when it begins."""
    return {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}


def _run(start: Start, *, copied: bool) -> NoReturn:
    """Do it here, or in this process begun anew, where a copy would lack what the environment says to Python."""
    if not copied:
        os.execv(sys.executable, [sys.executable, "-P", "-m", start.module, *start.services])  # noqa: S606 - our own
    sys.argv = [start.module, *start.services]
    _leave(_code_of(import_module(start.module).main))


def _code_of(main: Callable[[], None]) -> int:
    """Do it, and tell the code that it ends with; what ends by an error or with words ends as Python lets it."""
    try:
        main()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        return end.code or 0
    return 0


def _leave(code: int) -> NoReturn:
    """End as Python does, but with all modules in place: taking them apart would copy most of the launcher first."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
