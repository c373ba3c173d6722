"""Starts services as copies of one process that has imported their modules: that costs a copy and no imports."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from functools import cache
from socket import AF_UNIX, MSG_CMSG_CLOEXEC, SOCK_SEQPACKET, recv_fds, socket, socketpair
from typing import IO

from stemma_confinement.attendant import Attendant

from .environment import harmless
from .starts import LONGEST, Descriptors, Start


class Launched:
    """A process that the launcher started; as `asyncio.subprocess.Process`, as far as it is needed here."""

    def __init__(self, pid: int, pidfd: int, report: socket, kept: ExitStack) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._pidfd = pidfd
        self._report = report
        self._kept = kept

    async def wait(self) -> int:
        """Wait until it has ended; its exit code, or the negative number of the signal that ended it."""
        if self.returncode is None:
            await _readable(self._pidfd)
            await _readable(self._report.fileno())
            told = self._report.recv(LONGEST)
            # Without a word the launcher was killed, which kills what it started.
            self.returncode = int(told) if told else -signal.SIGKILL
            self._kept.close()
        return self.returncode

    def terminate(self) -> None:
        """Ask it to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, number)


class Launcher:
    """The launcher of this process. It is executed with the first need, and again if it was killed.

    It is not a copy of this process, and no secret is in its environment. What it started ends with it, and it ends
    with this process; if that was killed, once all that it started has ended in good order.
    """

    def __init__(self) -> None:
        command = [sys.executable, "-P", "-m", f"{__package__}.launching"]
        self._process = Attendant(command, harmless(os.environ), errors=None)

    def prepare(self, services: Iterable[str]) -> None:
        """Have the modules of services imported while this process goes on."""
        self._process.send(json.dumps(list(services)).encode())

    async def start(self, start: Start, log: IO[bytes]) -> Launched:
        """Start a process that writes what it says to a log, and ends when this one is gone.

        Raises `ConnectionError` if the launcher was killed meanwhile, or has no room for it.
        """
        with ExitStack() as kept:
            report = self._ask(start, log, kept)
            await _readable(report.fileno())
            message, descriptors, _, _ = recv_fds(report, LONGEST, 1, MSG_CMSG_CLOEXEC)
            if not message:
                raise ConnectionResetError("nothing was started")
            kept.callback(os.close, descriptors[0])
            return Launched(int(message), descriptors[0], report, kept.pop_all())

    def _ask(self, start: Start, log: IO[bytes], kept: ExitStack) -> socket:
        ours, theirs = socketpair(AF_UNIX, SOCK_SEQPACKET)
        kept.enter_context(ours)
        reading, writing = os.pipe()
        kept.callback(os.close, writing)
        with ExitStack() as sent:
            sent.enter_context(theirs)
            given = start.written(), os.open(".", os.O_PATH), reading
            for descriptor in given:
                sent.callback(os.close, descriptor)
            descriptors = Descriptors(*given, log.fileno(), theirs.fileno())
            self._process.send(json.dumps(list(start.services)).encode(), *descriptors)
        return ours


@cache
def launcher() -> Launcher:
    """The one of this process, for all installations that it runs."""
    return Launcher()


async def _readable(descriptor: int) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
