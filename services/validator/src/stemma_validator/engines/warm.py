"""rumdl without the cost of a process per draft: starting it takes ten times as long as linting a section.

A process that stays lints one draft at a time. Whatever goes wrong with it, the draft is linted again by a process of
its own, which tells the cause; the one that failed is ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError
from stemma_confinement import Limits

from stemma_validator.normalise import RawIssue

from .base import without_switches
from .language_server import LanguageServer, ServerLost
from .rumdl import RumdlEngine

WARM_CHARACTERS = 64 * 1024
WARM_SECONDS = 30.0
"""Longer than a busy machine needs for a draft: another process for it would take more of the machine."""
DRAFTS_PER_PROCESS = 1000


class WarmRumdl:
    """A `LintEngine` over processes that stay; made by `warm_rumdl`."""

    def __init__(
        self, cold: RumdlEngine, rules: Path, executable: Path, limits: Limits, processes: int, warm_seconds: float
    ) -> None:
        self.name = cold.name
        self.version = cold.version
        self._cold = cold
        self._rules = rules
        self._executable = executable
        self._limits = limits
        self._warm_seconds = min(warm_seconds, limits.by_the_clock)
        self._free = asyncio.Semaphore(processes)
        self._idle: list[LanguageServer] = []

    async def lint(self, text: str) -> list[RawIssue]:
        """See `LintEngine.lint`."""
        issues = await self._warm(text) if self._takes(text) else None
        return await self._cold.lint(text) if issues is None else await self._cold.described(issues)

    def _takes(self, text: str) -> bool:
        """Long texts may take seconds, and the two ways read a blank last line with a carriage return differently."""
        return len(text) <= WARM_CHARACTERS and "\r" not in text

    async def _warm(self, text: str) -> list[RawIssue] | None:
        """The issues, nothing if a process that stays cannot tell them."""
        async with self._free:
            try:
                server = self._idle.pop() if self._idle else await self._start()
            except OSError:
                return None
            done = False
            try:
                async with asyncio.timeout(self._warm_seconds):
                    issues = await server.issues(without_switches(text))
                done = server.drafts < DRAFTS_PER_PROCESS
            except (ServerLost, ValidationError, TimeoutError):
                return None
            finally:
                if done:
                    self._idle.append(server)
                else:
                    await server.kill()
            return issues

    async def _start(self) -> LanguageServer:
        return await LanguageServer.start(self._executable, self._rules, self._limits)

    async def stop(self) -> None:
        """End the processes."""
        while self._idle:
            await self._idle.pop().kill()


@asynccontextmanager
async def warm_rumdl(
    rules: str, *, executable: Path, limits: Limits, processes: int, warm_seconds: float = WARM_SECONDS
) -> AsyncIterator[WarmRumdl]:
    """An engine whose processes end with the block; one that stays is given up after ``warm_seconds``."""
    cold = RumdlEngine(rules, executable=executable, limits=limits, processes=processes)
    with TemporaryDirectory(prefix="stemma-lint-") as folder:
        path = Path(folder) / "rumdl.toml"
        path.write_text(rules, encoding="utf-8")
        engine = WarmRumdl(cold, path, executable, limits, processes, warm_seconds)
        try:
            yield engine
        finally:
            await engine.stop()
