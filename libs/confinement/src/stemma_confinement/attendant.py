"""A process that works for this one: executed when it is needed first, and again if it was killed."""

from __future__ import annotations

import subprocess
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from socket import AF_UNIX, SOCK_SEQPACKET, send_fds, socket, socketpair


class Attendant:
    """It is executed and not forked: of ours it has one connection alone, whose number is its last argument.

    It has a session of its own, and is killed when this process ends or this is let go of. A copy of this process
    has the connection, too, and does not end it.
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
