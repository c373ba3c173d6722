"""The installed command, kept warm: each call is a fork of a process that has imported it, and takes a tenth."""

from __future__ import annotations

import array
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_CALL = 1 << 20
START_WITHIN_S = 60
SHIM = """#!{python} -IS
import array, json, os, signal, socket, sys
with socket.socket(socket.AF_UNIX) as there:
    there.connect({address!r})
    call = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    streams = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))
    there.sendmsg([len(call).to_bytes(4, "big")], [streams])
    there.sendall(call)
    pid = int.from_bytes(there.recv(4, socket.MSG_WAITALL), "big")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    os._exit(int.from_bytes(there.recv(4, socket.MSG_WAITALL), "big"))
"""


@contextmanager
def warm_command(folder: Path) -> Iterator[Path]:
    """A folder whose ``stemma`` does what the installed one does, as long as the block lasts."""
    address, shim = folder / "warm", folder / "bin" / "stemma"
    shim.parent.mkdir(parents=True)
    shim.write_text(SHIM.format(python=sys.executable, address=str(address)), encoding="utf-8")
    shim.chmod(0o755)
    with subprocess.Popen([sys.executable, "-P", __file__, str(address)], start_new_session=True) as server:
        try:
            deadline = time.monotonic() + START_WITHIN_S
            while not address.exists():
                assert server.poll() is None, "the command did not start"
                assert time.monotonic() < deadline, "the command was not ready in time"
                time.sleep(0.02)
            yield shim.parent
        finally:
            os.killpg(server.pid, signal.SIGKILL)


def _serve(address: str) -> None:
    """Answer calls; returns in the process that is to be the command."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"{address}.new")
    server.listen(100)
    os.rename(f"{address}.new", address)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        call, _ = server.accept()
        if os.fork() == 0:
            server.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return _answer(call)
        call.close()


def _answer(call: socket.socket) -> None:
    """Return in a process that is as the caller's; the one before it tells the caller how that ends."""
    size, streams = _received(call)
    arguments, here, environment = json.loads(call.recv(size, socket.MSG_WAITALL))
    pid = os.fork()
    if pid:
        call.sendall(pid.to_bytes(4, "big"))
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        call.sendall((code if code >= 0 else 128 - code).to_bytes(4, "big"))
        os._exit(0)
    call.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    sys.argv = ["stemma", *arguments]
    os.chdir(here)
    os.environ.clear()
    os.environ.update(environment)


def _received(call: socket.socket) -> tuple[int, list[int]]:
    """The size of a call, and the caller's standard streams."""
    size, ancillary, _, _ = call.recvmsg(4, socket.CMSG_SPACE(3 * array.array("i").itemsize))
    streams = array.array("i")
    for _, _, data in ancillary:
        streams.frombytes(data)
    return int.from_bytes(size, "big"), list(streams)


def _import_all() -> None:
    from importlib import import_module
    from pkgutil import walk_packages

    import stemma_cli
    import stemma_client

    for package in (stemma_client, stemma_cli):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)


if __name__ == "__main__":
    from stemma_cli.main import main

    _import_all()
    _serve(sys.argv[1])
    main()
