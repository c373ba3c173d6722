"""A replica that is stopped, as by ``kill -STOP``, once it has looked at a thread and before it acts on what it saw.

At which of its looks is told by a file: the number of looks to come.
"""

import os
import signal
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil

from .servers import eventually


def stops_after_its_look(armed: Path) -> str:
    """The code that has a process stop itself behind a look, once this file is there; it is stopped once."""
    return f"from pathlib import Path\nfrom {__name__} import install\n\ninstall(Path({str(armed)!r}))\n"


def install(armed: Path) -> None:
    saver: Any = import_module("stemma_generation_graph.checkpoints.saving").OneSuccessor
    look = saver.aget_tuple

    async def look_and_stop(self: Any, config: Any) -> Any:
        found = await look(self, config)
        if _is_the_last(armed):
            os.kill(os.getpid(), signal.SIGSTOP)
        return found

    saver.aget_tuple = look_and_stop


def _is_the_last(armed: Path) -> bool:
    if not armed.exists():
        return False
    left = int(armed.read_text()) - 1
    if left:
        armed.write_text(str(left))
    else:
        armed.unlink()
    return not left


async def stopped_of(processes: list[psutil.Process]) -> psutil.Process:
    async def is_there() -> bool:
        return any(process.status() == psutil.STATUS_STOPPED for process in processes)

    await eventually(is_there)
    return next(process for process in processes if process.status() == psutil.STATUS_STOPPED)
