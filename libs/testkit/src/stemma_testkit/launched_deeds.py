"""What processes do that the launcher starts in tests; the argument of each names one, and what it finds is its log."""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path
from socket import socket
from typing import Any

from stemma_confinement import Limits, Prepared

from . import confined_deeds

MODULE = __name__


def main() -> None:
    """Do what the argument names."""
    _, deed = sys.argv
    globals()[deed]()


def show_surroundings() -> None:
    """Tell all that a process can have from those that started it."""
    inherited = subprocess.run(["/usr/bin/env", "-0"], capture_output=True, check=True).stdout
    descriptors = {int(name) for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")}
    sockets = {number for number in descriptors if os.readlink(f"/proc/self/fd/{number}").startswith("socket:")}
    _tell(
        environment=dict(os.environ),
        inherited=dict(line.split("=", 1) for line in os.fsdecode(inherited).split("\0") if line),
        folder=os.getcwd(),
        temporary=tempfile.gettempdir(),
        descriptors=sorted(descriptors),
        kinds={number: socket(fileno=os.dup(number)).type.name.removeprefix("SOCK_") for number in sockets},
        arguments=sys.argv,
        leads_session=os.getsid(0) == os.getpid(),
        collects=gc.isenabled(),
        masked=sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        customized=getattr(sys.modules.get("sitecustomize"), "__file__", None),
        name=Path("/proc/self/comm").read_text().strip(),
        launcher=os.getppid(),
        models="stemma_offline_writer" in sys.modules,
        languages=_languages_are_loaded(),
    )


def _languages_are_loaded() -> bool:
    detection = sys.modules.get("stemma_languages.detection")
    return detection is not None and detection._identifier.cache_info().currsize == 1


def show_ids() -> None:
    """Tell one id of every kind that somebody makes; those of traces are random numbers."""
    from langchain_core.utils.uuid import uuid7
    from nats.nuid import NUID

    _tell(
        random=random.getrandbits(64),
        uuid4=str(uuid.uuid4()),
        uuid7=str(uuid7(1))[-12:],
        nuid=NUID().next().decode(),
        file=Path(tempfile.mktemp()).name,
    )


def confine() -> None:
    """Have a call tell what is in its reach, and who its processes are; then wait."""
    folder, prepared = Path(os.environ["FOLDER"]), Prepared(confined_deeds.prepare)
    asyncio.run(prepared.run(confined_deeds.write_surroundings, folder, Limits()))
    wait()


def fail() -> None:
    """End with an exit code."""
    sys.exit(3)


def refuse() -> None:
    """End with words."""
    sys.exit("not like this")


class _Kept:
    def __del__(self) -> None:
        print("taken apart")


_KEPT: list[_Kept] = []


def leave() -> None:
    """Leave a thread at work, something to be done at the end, and an object that stays."""
    _KEPT.append(_Kept())
    threading.Timer(0.1, print, ["thread"]).start()
    atexit.register(print, "at exit")


def crash() -> None:
    """End as one does who did not expect it."""
    raise RuntimeError("unforeseen")


def wait() -> None:
    """Wait until the parent is gone, and leave in good order."""
    print("waiting", flush=True)
    sys.stdin.read()
    print("left in good order", flush=True)


def _tell(**found: Any) -> None:
    print(json.dumps(found))


if __name__ == "__main__":
    main()
