"""A process that is started again when it dies."""

from __future__ import annotations

import asyncio
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

FIRST_DELAY_S = 0.2
LONGEST_DELAY_S = 10.0
STEADY_AFTER_S = 30.0
GRACE_S = 20.0
POLL_S = 0.05
BAD_SETTINGS = 2
ATTEMPTS_TO_START = 5

Report = Callable[[str, str], None]


class DidNotStartError(RuntimeError):
    """A process ended, or was not ready in time, before it was ever ready; the log says why."""

    def __init__(self, name: str, reason: str, log: Path) -> None:
        self.log = log
        super().__init__(f"{name} {reason}; see {log}")


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
        """Whether it runs, has said that it is ready, and that was reported."""
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
