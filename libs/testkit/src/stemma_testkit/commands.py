"""Programs of ours as copies of one process that has imported them: a hundred commands pay their imports once.

`copied_programs` gives a folder for the front of a ``PATH``. Each program in it asks for a copy, which gets its
arguments, its folder, its environment and its descriptors, and ends as that copy does; a copy that nobody waits for is
killed. Who makes the copies is itself one of the launcher.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import pkgutil
import signal
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from select import select
from socket import AF_UNIX, SOCK_SEQPACKET, recv_fds, socket
from typing import IO, NamedTuple, TypeVar

import stemma_cli.main
from stemma_cli.local.environment import live_in
from stemma_cli.local.launcher import Launched, launcher
from stemma_cli.local.starts import Start

from .launching import build_contracts

LONGEST = 128 * 1024
"""Bytes of what is told: arguments and an environment."""
STANDARD = (0, 1, 2)
WITHIN_S = 120.0
POLL_S = 0.01
COMMAND = "stemma"
T = TypeVar("T")
ASKING = """#!{python} -IS
import json, os, signal, sys
from socket import AF_UNIX, SOCK_SEQPACKET, send_fds, socket

with socket(AF_UNIX, SOCK_SEQPACKET) as server:
    server.connect({address!r})
    told = json.dumps([os.path.basename(sys.argv[0]), sys.argv[1:], os.getcwd(), dict(os.environ)])
    send_fds(server, [told.encode()], [0, 1, 2])
    copy = int(server.recv(64))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(copy, number))
    sys.exit(int(server.recv(64)))
"""


class Command(NamedTuple):
    """What was typed, and where."""

    program: str
    arguments: list[str]
    folder: str
    environment: dict[str, str]


@contextmanager
def copied_programs(*programs: str) -> Iterator[Path]:
    """A folder with these programs, which packages that are installed here bring along, as long as it is entered."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as aside:

        def run(waiting: Coroutine[object, object, T]) -> T:
            """Who enters this may have a loop that runs."""
            return aside.submit(asyncio.run, waiting).result()

        address, log = Path(folder, "address"), Path(folder, "log")
        for program in programs:
            made = Path(folder, program)
            made.write_text(ASKING.format(python=sys.executable, address=str(address)), encoding="utf-8")
            made.chmod(0o700)
        with log.open("wb") as file:
            server = run(_begun([str(address), *programs], file))
        try:
            _await(address, log)
            yield Path(folder)
        finally:
            server.kill()
            run(_ended(server))


async def _begun(arguments: list[str], log: IO[bytes]) -> Launched:
    return await launcher().start(Start("stemma-commands", __name__, arguments, dict(os.environ)), log)


async def _ended(server: Launched) -> None:
    await server.wait()


def _await(address: Path, log: Path) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not address.exists():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(POLL_S)


def main() -> None:
    """Make a copy for everybody who asks, until killed; or be one."""
    address, *programs = sys.argv[1:]
    with socket(AF_UNIX, SOCK_SEQPACKET) as listening:
        listening.bind(f"{address}.new")
        listening.listen()
        os.rename(f"{address}.new", address)
        _import_all(programs)
        command = _until_asked(listening)
    _run(command)


def _import_all(programs: list[str]) -> None:
    for program in programs:
        for found in entry_points(group="console_scripts", name=program):
            found.load()
    if COMMAND in programs:  # its verbs import what they need when they are typed
        for module in pkgutil.walk_packages(stemma_cli.__path__, f"{stemma_cli.__name__}."):
            import_module(module.name)
        stemma_cli.main.built_app()
    build_contracts()
    gc.freeze()


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
    live_in(command.environment)
    sys.argv = [command.program, *command.arguments]
    # What tells how it is called asks whether it was started as a module, which only the copied process was.
    sys.modules["__main__"].__package__ = None
    (found,) = entry_points(group="console_scripts", name=command.program)
    found.load()()


if __name__ == "__main__":
    main()
