"""The command ``stemma`` as copies of one process that has imported it: a hundred commands pay its imports once.

`copied_command` gives a folder for the front of a ``PATH``. The program in it asks for a copy, which gets its
arguments, its folder, its environment and its descriptors, and ends as that copy does; a copy that nobody waits for is
killed.

usage: python -P -m stemma_testkit.commands LISTENING
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from select import select
from socket import AF_UNIX, SOCK_SEQPACKET, recv_fds, socket
from tempfile import TemporaryDirectory
from typing import NamedTuple

import stemma_cli
from stemma_contracts import Contract

LONGEST = 128 * 1024
"""Bytes of what is told: arguments and an environment."""
STANDARD = (0, 1, 2)
ASKING = """#!{python} -IS
import json, os, signal, sys
from socket import AF_UNIX, SOCK_SEQPACKET, send_fds, socket

with socket(AF_UNIX, SOCK_SEQPACKET) as server:
    server.connect({address!r})
    told = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)])
    send_fds(server, [told.encode()], [0, 1, 2])
    copy = int(server.recv(64))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(copy, number))
    sys.exit(int(server.recv(64)))
"""


class Command(NamedTuple):
    """What was typed, and where."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]


@contextmanager
def copied_command() -> Iterator[Path]:
    """A folder with a program ``stemma``, as long as it is entered."""
    with TemporaryDirectory() as folder, socket(AF_UNIX, SOCK_SEQPACKET) as listening:
        address, program = f"{folder}/address", Path(folder, "stemma")
        listening.bind(address)
        listening.listen()
        program.write_text(ASKING.format(python=sys.executable, address=address), encoding="utf-8")
        program.chmod(0o700)
        number = listening.fileno()
        server = subprocess.Popen([sys.executable, "-P", "-m", __name__, str(number)], pass_fds=[number])
        try:
            yield Path(folder)
        finally:
            server.kill()
            server.wait()


def main() -> None:
    """Make a copy for everybody who asks, until killed; or be one."""
    with socket(fileno=int(sys.argv[1])) as listening:
        _import_all()
        command = _until_asked(listening)
    _run(command)


def _import_all() -> None:
    for module in pkgutil.walk_packages(stemma_cli.__path__, f"{stemma_cli.__name__}."):
        import_module(module.name)
    for contract in _all_of(Contract):
        contract.model_rebuild()
    gc.freeze()


def _all_of(contract: type[Contract]) -> Iterator[type[Contract]]:
    for more in contract.__subclasses__():
        yield more
        yield from _all_of(more)


def _until_asked(listening: socket) -> Command:
    """What a copy is to do; only copies return."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        asking, _ = listening.accept()
        with asking:
            if os.fork() == 0:
                listening.close()
                return _attended(asking)


def _attended(asking: socket) -> Command:
    """Have a copy do what is asked for, and see to its end. The server is free meanwhile, and only the copy returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    told, descriptors, _, _ = recv_fds(asking, LONGEST, len(STANDARD))
    copy = os.fork()
    if copy == 0:
        for descriptor, number in zip(descriptors, STANDARD, strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
        return Command(*json.loads(told))
    for descriptor in descriptors:
        os.close(descriptor)
    asking.send(str(copy).encode())
    pidfd = os.pidfd_open(copy)
    if pidfd not in select([asking.fileno(), pidfd], [], [])[0]:
        os.kill(copy, signal.SIGKILL)
    _, status = os.waitpid(copy, 0)
    asking.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _run(command: Command) -> None:
    os.chdir(command.folder)
    os.environ.clear()
    os.environ.update(command.environment)
    time.tzset()
    sys.argv = ["stemma", *command.arguments]
    import_module("stemma_cli.main").main()


if __name__ == "__main__":
    main()
