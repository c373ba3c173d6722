"""Who can be asked for a prepared process that is a copy of it, because it has imported already what calls need."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from socket import AF_UNIX, SOCK_SEQPACKET, recv_fds, send_fds, socket, socketpair
from typing import ClassVar, NamedTuple

from .attendant import Attendant
from .calls import LONGEST

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
"""Of a prepared process."""


class Asked(NamedTuple):
    """What a copy is to be: the module and function that prepare it, and the connection that it attends to."""

    module: str
    function: str
    control: socket


def ask(whom: socket) -> None:
    """Ask there for the prepared processes of this process from now on.

    It must hold no secret, and have one thread: all that it has in its memory is in reach of the calls.
    """
    PreparedProcess.asked = whom


def asked_by(connection: socket) -> Asked | None:
    """What who asks wants; nothing once it is gone."""
    message, descriptors, _, _ = recv_fds(connection, LONGEST, 1)
    if not message:
        return None
    module, function = json.loads(message)
    return Asked(module, function, socket(fileno=descriptors[0]))


class PreparedProcess(Attendant):
    """A copy of who can be asked for it, or else executed; its command ends with what prepares it."""

    asked: ClassVar[socket | None] = None

    def __init__(self, command: Sequence[str], called: tuple[str, str]) -> None:
        super().__init__([*command, *called], ENVIRONMENT, folder=Path("/"))
        self._called = called

    def _begin(self) -> socket:
        return self._execute() if self.asked is None else self._copied(self.asked)

    def _copied(self, whom: socket) -> socket:
        ours, theirs = socketpair(AF_UNIX, SOCK_SEQPACKET)
        with theirs:
            send_fds(whom, [json.dumps(self._called).encode()], [theirs.fileno()])
        return ours
