"""Processes that are started again when they die: those of services, and the NATS server with its data and port."""

import asyncio
import json
import os
import shutil
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import nats
import nats.errors
from stemma_provisioning import PROVISIONER, NatsServer, ServerFailed

FIRST_DELAY_S = 0.2
LONGEST_DELAY_S = 10.0
STEADY_AFTER_S = 30.0
GRACE_S = 20.0
POLL_S = 0.05
BAD_SETTINGS = 2
ATTEMPTS_TO_START = 5
TAIL_LINES = 5

Report = Callable[[str, str], None]


class DidNotStartError(RuntimeError):
    """A process ended, or was not ready in time, before it was ever ready; the log says why."""

    def __init__(self, name: str, reason: str, log: Path) -> None:
        self.log = log
        super().__init__(f"{name} {reason}; see {log}")

    @property
    def last_lines(self) -> list[str]:
        """What the log says of it."""
        return self.log.read_text(errors="replace").splitlines()[-TAIL_LINES:]


class ManagedProcess:
    """One child process: ready when it has written its ready file, started again with backoff when it dies.

    Its standard input is a pipe that this process holds open, so that it can see when this process is gone.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        log: Path,
        ready_file: Path,
        report: Report,
    ) -> None:
        self.name = name
        self._command = command
        self._environment = environment
        self.restarts = 0
        self._was_ready = False
        self._announced = False
        self._log = log
        self._ready_file = ready_file
        self._report = report
        self._process: Process | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process and self._process.returncode is None else None

    @property
    def ready(self) -> bool:
        return self.pid is not None and self._announced

    async def start(self, within_s: float) -> None:
        """Start it and wait until it is ready. Raises `DidNotStartError`."""
        if self._task is not None:
            raise RuntimeError(f"{self.name} is started already")
        self._task = asyncio.create_task(self._keep_running())
        try:
            async with asyncio.timeout(within_s):
                await self.wait_ready()
        except TimeoutError:
            raise DidNotStartError(self.name, f"was not ready in {within_s:g} s", self._log) from None

    async def wait_ready(self) -> None:
        """Wait until it is ready, however often it dies before. Raises `DidNotStartError` if it gave up."""
        while not self.ready:
            if self._task is None or self._task.done():
                raise DidNotStartError(self.name, "refused to start", self._log)
            await asyncio.sleep(POLL_S)

    async def stop(self) -> None:
        """End it: asked first, killed when it does not end by itself; it is not started again."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await self._end()

    def kill(self) -> None:
        if self._process is not None and self.pid is not None:
            self._process.kill()

    async def _keep_running(self) -> None:
        delay = FIRST_DELAY_S
        while True:
            began = asyncio.get_running_loop().time()
            code = await self._run_once()
            lasted = asyncio.get_running_loop().time() - began
            if self._is_hopeless(code):
                return
            delay = FIRST_DELAY_S if lasted > STEADY_AFTER_S else delay
            self._report(self.name, f"ended with {_ending(code)}, starts again in {delay:g} s")
            self.restarts += 1
            await asyncio.sleep(delay)
            delay = min(delay * 2, LONGEST_DELAY_S)

    def _is_hopeless(self, code: int) -> bool:
        """Whether it was never ready and refuses its settings, or has died too often before."""
        return not self._was_ready and (code == BAD_SETTINGS or self.restarts + 1 >= ATTEMPTS_TO_START)

    async def _run_once(self) -> int:
        self._ready_file.unlink(missing_ok=True)
        self._announced = False
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                env=self._environment,
                stdin=PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C of the terminal is for the supervisor alone
            )
        announcing = asyncio.create_task(self._announce())
        try:
            return await self._process.wait()
        finally:
            announcing.cancel()

    async def _announce(self) -> None:
        while not self._ready_file.exists():  # noqa: ASYNC110 - a file has no event
            await asyncio.sleep(POLL_S)
        self._was_ready = True
        self._report(self.name, "ready")
        self._announced = True

    async def _end(self) -> None:
        if self._process is None or self.pid is None:
            return
        self._process.terminate()
        try:
            async with asyncio.timeout(GRACE_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


ENOUGH_BYTES = 16 * 1024 * 1024
_NO_ROOM = (b"no space left on device", b"disk quota exceeded")


class FullDisk:
    def __init__(self, log: Path) -> None:
        self._log = log
        self._read = log.stat().st_size if log.exists() else 0

    def was_met(self) -> bool:
        with suppress(OSError), self._log.open("rb") as log:
            log.seek(self._read)
            told = log.read()
            self._read += len(told)
            return any(words in told for words in _NO_ROOM)
        return False

    def has_room(self) -> bool:
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
