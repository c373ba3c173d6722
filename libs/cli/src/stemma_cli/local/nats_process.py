"""The NATS server of one installation, started again on the same port when it dies."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import nats
import nats.errors
from stemma_provisioning import PROVISIONER, NatsServer, ServerFailed

from .processes import Report

ENOUGH_BYTES = 16 * 1024 * 1024
_NO_ROOM = (b"no space left on device", b"disk quota exceeded")


class FullDisk:
    """What the log of a server tells of the disk that it writes to."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._read = log.stat().st_size if log.exists() else 0

    def was_met(self) -> bool:
        """Whether the server could not write since it was asked last."""
        with suppress(OSError), self._log.open("rb") as log:
            log.seek(self._read)
            told = log.read()
            self._read += len(told)
            return any(words in told for words in _NO_ROOM)
        return False

    def has_room(self) -> bool:
        """Whether something can be written there by now."""
        with suppress(OSError):
            return shutil.disk_usage(self._log.parent).free >= ENOUGH_BYTES
        return False


NAME = "nats"
WATCH_S = 0.1
RETRY_S = 2.0
ROOM_S = 2.0
BEGUN_ANEW_AGAIN_S = 30.0
"""Where a quota is used up, the disk has room and the server has none: it is not killed every other second then."""
LEFT_OVER_S = 15


class ManagedNats:
    """A NATS server that comes back with its data and its port."""

    def __init__(self, server: NatsServer, report: Report) -> None:
        self.restarts = 0
        self._server = server
        self._report = report
        self._task: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def pid(self) -> int | None:
        return self._server.pid

    async def start(self) -> None:
        """Start it. Raises `ServerFailed`."""
        await asyncio.to_thread(self._server.start)
        self._report(NAME, f"ready at {self.url}")
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await asyncio.to_thread(self._server.stop)

    async def admit(self, tenants: Sequence[str]) -> None:
        """Let these tenants in, with everybody at work. Raises `ServerFailed`."""
        await asyncio.to_thread(self._server.admit, tenants)

    def kill(self) -> None:
        self._server.kill()

    async def _watch(self) -> None:
        async with asyncio.TaskGroup() as watching:
            watching.create_task(self._keep_running())
            watching.create_task(self._keep_writing())

    async def _keep_writing(self) -> None:
        """Tell of a disk that is full, and begin anew once it has room: the server would take nothing all the same."""
        disk, told = FullDisk(self._server.log), False
        while True:
            await asyncio.sleep(ROOM_S)
            if not disk.was_met():
                continue
            if disk.has_room():
                self._report(NAME, "takes nothing since its disk was full; there is room now")
                self._server.kill()
                told = False
                await asyncio.sleep(BEGUN_ANEW_AGAIN_S)
            elif not told:
                self._report(NAME, f"takes nothing: no space left for {self._server.folder}; goes on once there is")
                told = True

    async def _keep_running(self) -> None:
        while True:
            await asyncio.sleep(WATCH_S)
            if not self._server.running:
                await self._start_again()

    async def _start_again(self) -> None:
        self._report(NAME, "ended, starts again")
        self.restarts += 1
        try:
            await asyncio.to_thread(self._server.start)
            self._report(NAME, f"ready at {self.url}")
        except ServerFailed as error:
            self._report(NAME, str(error))
            await asyncio.sleep(RETRY_S)


async def end_left_over(folder: Path, password: str) -> None:
    """End the server that a killed supervisor left behind; two servers on one folder would destroy its data.

    The server that takes the provisioner's random password is ours, whatever became of the process id otherwise.
    Raises `ServerFailed` if it does not end.
    """
    if (started := _last_started(folder)) is None:
        return
    url, pid = started
    try:
        async with asyncio.timeout(LEFT_OVER_S):
            while await _answers(url, password):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
                await asyncio.sleep(WATCH_S)
    except TimeoutError:
        raise ServerFailed(f"a server of an earlier start, process {pid}, does not end; end it and try again") from None


def _last_started(folder: Path) -> tuple[str, int] | None:
    """Address and process id of the last server that ran on a folder, from the file that it writes."""
    told = max(folder.glob("nats-server_*.ports"), key=lambda path: path.stat().st_mtime_ns, default=None)
    return (json.loads(told.read_text())["nats"][0], int(told.stem.rpartition("_")[2])) if told else None


async def _answers(url: str, password: str) -> bool:
    try:
        connection = await nats.connect(
            url,
            user=PROVISIONER,
            password=password,
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=LEFT_OVER_S,
            error_cb=_ignore,
        )
    except (OSError, nats.errors.Error):
        return False
    await connection.close()
    return True


async def _ignore(error: Exception) -> None:
    """A server that is not there is what is hoped for."""
