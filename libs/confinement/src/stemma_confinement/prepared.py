"""A process that has imported what calls need and is copied for each: a call costs a copy and no imports."""

import asyncio
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from socket import AF_UNIX, SHUT_WR, SOCK_SEQPACKET, send_fds, socket, socketpair

from .calls import LONGEST, Call, Crashed, Ended, Limits, OutOfMemory, OutOfTime, Stalled
from .keeping import KEEPER, NO_MEMORY


class Attendant:
    """It is executed and not forked: of ours it has one connection alone, whose number is its last argument.

    It has a session of its own, and is killed when this process ends or this is let go of.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        folder: Path | None = None,
    ) -> None:
        self._command = command
        self._environment = environment
        self._folder = folder
        self._control: socket | None = None

    def send(self, message: bytes, *descriptors: int) -> None:
        """Send a message with open descriptors."""
        if self._control is not None:
            try:
                send_fds(self._control, [message], descriptors)
                return
            except ConnectionError:  # it was killed
                self._control.close()
        self._control = self._execute()
        send_fds(self._control, [message], descriptors)

    def _execute(self) -> socket:
        ours, theirs = socketpair(AF_UNIX, SOCK_SEQPACKET)
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - our own code
                [*self._command, str(theirs.fileno())],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        weakref.finalize(ours, _end, process)
        return ours


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
"""Of a prepared process."""


class Prepared:
    """A process that called ``prepare`` of some module, started with the first call; all end with this process.

    It is executed and never forked from this process: it has none of our environment, memory, threads and connections.
    """

    def __init__(self, prepare: Callable[[], None]) -> None:
        command = [sys.executable, "-I", "-m", f"{__package__}.preparing", prepare.__module__, prepare.__qualname__]
        # It holds no calls itself: keepers end theirs when our ends of their connections are gone.
        self._process = Attendant(command, ENVIRONMENT, folder=Path("/"))
        self._idle: list[socket] = []

    async def run(self, function: Callable[[Path], None], folder: Path, limits: Limits) -> None:
        """Call a function with a folder; nothing that it started outlives this, also if it is cancelled.

        Raises `OutOfTime`, `OutOfMemory`, `Crashed` or `Stalled`.
        """
        keeper = self._begun(Call.of(function, folder, limits).written())
        try:
            message = await asyncio.get_running_loop().sock_recv(keeper, LONGEST)
        except BaseException:
            await _until_gone(keeper)
            raise
        if not message:
            keeper.close()
            raise Crashed(None)
        self._idle.append(keeper)
        _raise_for(Ended.read(message), limits)

    def _begun(self, call: bytes) -> socket:
        """The keeper of a call, one that waits for its next one if there is one."""
        while self._idle:
            keeper = self._idle.pop()
            try:
                keeper.send(call)
                return keeper
            except OSError:  # it was killed
                keeper.close()
        keeper = self._new_keeper()
        keeper.send(call)
        return keeper

    def _new_keeper(self) -> socket:
        ours, theirs = socketpair(AF_UNIX, SOCK_SEQPACKET)
        ours.setblocking(False)
        with theirs:
            self._process.send(KEEPER, theirs.fileno())
        return ours


async def _until_gone(keeper: socket) -> None:
    """Let go of a keeper, and wait until it has ended all of its call."""
    with keeper:
        keeper.shutdown(SHUT_WR)
        while await asyncio.get_running_loop().sock_recv(keeper, LONGEST):
            pass


def _raise_for(ended: Ended, limits: Limits) -> None:
    if ended.stalled:
        raise Stalled(limits.by_the_clock)
    if ended.status is None:
        raise OutOfTime(limits.seconds)
    if ended.status == NO_MEMORY:
        raise OutOfMemory(limits.memory_mb)
    if ended.status:
        raise Crashed(ended.status, ended.raised)
