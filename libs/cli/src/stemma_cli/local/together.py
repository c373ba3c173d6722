"""All services in one process and one event loop, ``python -m stemma_cli.local.together NAME...``."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import stemma_telemetry
from stemma_messaging import BadSettings, Service
from stemma_messaging.service import ended_by_standstill

from .folder import DataFolder
from .processes import BAD_SETTINGS
from .run import SERVICES_GROUP, end_with_parent, set_up

READY_POLL_S = 0.05


def main() -> None:
    """Run the services that the arguments name; exits with 0 on SIGTERM, 1 on failure, 2 on bad settings."""
    end_with_parent()
    names = sys.argv[1:]
    for name in names:
        set_up(name)
    flush = stemma_telemetry.configure("stemma")
    refused: list[str] = []
    try:
        asyncio.run(_run_until_signal(names))
    except* BadSettings as group:
        refused = [problem for bad in _leaves(group) for problem in bad.problems]
    finally:
        flush()
    if refused:
        print(*refused, sep="\n", file=sys.stderr)
        sys.exit(BAD_SETTINGS)


def _leaves(group: BaseExceptionGroup[BadSettings]) -> Iterator[BadSettings]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


async def _run_until_signal(names: list[str]) -> None:
    running = asyncio.create_task(_run(names))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    async with ended_by_standstill():
        await asyncio.wait({running})
    if not running.cancelled():
        running.result()


async def _run(names: list[str]) -> None:
    folder = DataFolder(Path(os.environ["STEMMA_DATA_DIR"]))
    services = [_loaded(name, folder) for name in names]
    async with asyncio.TaskGroup() as group:
        for service, settings in services:
            group.create_task(service.run(settings))
        await _all_ready([settings.ready_file for _, settings in services])
        _announce()


def _loaded(name: str, folder: DataFolder) -> tuple[Service[Any], Any]:
    ready_file = folder.ready_file(name)
    ready_file.unlink(missing_ok=True)
    (found,) = entry_points(group=SERVICES_GROUP, name=name)
    service: Service[Any] = found.load()
    password = folder.passwords().get(name)
    who = {"nats_user": name, "nats_password": password} if password else {}
    return service, service.load_settings(**who, ready_file=ready_file)


async def _all_ready(ready_files: list[Path]) -> None:
    while not all(file.exists() for file in ready_files):  # noqa: ASYNC110 - a file has no event
        await asyncio.sleep(READY_POLL_S)


def _announce() -> None:
    Path(os.environ["STEMMA_READY_FILE"]).touch()


if __name__ == "__main__":
    main()
