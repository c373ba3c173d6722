"""A service: settings, bus, handlers, health, in this order, and back again when it is told to end."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import stemma_telemetry
from stemma_telemetry import bind, get_logger, names

from .bus import Bus, open_bus
from .cancellation import raise_if_cancelled
from .errors import BusFailed
from .health import health_server
from .settings import BadSettings, ServiceSettings, config_dir, load_settings

S = TypeVar("S", bound=ServiceSettings)
Open = Callable[[S, Bus], AbstractAsyncContextManager[None]]

EXIT_FAILED = 1
EXIT_BAD_SETTINGS = 2
YOUNG_OBJECTS = 20_000
"""Between two collections of garbage; Python's own 700 are less than one message makes."""


@dataclass(frozen=True)
class Service(Generic[S]):
    """A service that can run as a process of its own or beside others in one.

    ``open`` gets settings and bus, builds the adapters, registers subscriptions on the bus, and keeps its
    resources open until the context ends; by then no handler runs any more. It may raise `BadSettings` as well.
    """

    name: str
    settings_class: type[S]
    open: Open[S]

    def load_settings(self, **overrides: Any) -> S:
        """Read ``config/settings.toml`` and the environment; raises `BadSettings`."""
        file = config_dir(f"stemma_{self.name.replace('-', '_')}") / "settings.toml"
        return load_settings(self.name, self.settings_class, file, **overrides)

    async def run(self, settings: S) -> None:
        """Run until cancelled, which drains, or until the bus fails, which raises `BusFailed`."""
        with bind(service=self.name):
            async with open_bus(self.name, settings) as bus, self.open(settings, bus):
                try:
                    await bus.start()
                    raise_if_cancelled()
                    await self._serve(settings, bus)
                finally:
                    await bus.stop()
                    get_logger().info(names.Log.SERVICE_STOPPED)

    async def _serve(self, settings: S, bus: Bus) -> None:
        async with health_server(bus.missing, settings.health_host, settings.health_port) as port:
            _collect_rarely()
            get_logger().info(names.Log.SERVICE_READY, port=port)
            if settings.ready_file is not None:
                _write_whole(settings.ready_file, str(port))
            raise await bus.failure()

    def main(self) -> None:
        """Run as a process: exits with 0 on SIGTERM or SIGINT, 1 on failure, 2 on bad settings."""
        try:
            settings = self.load_settings()
        except BadSettings as bad:
            sys.exit(self._refuse(bad))
        flush = stemma_telemetry.configure(self.name, json=settings.log_json, level=settings.log_level)
        try:
            sys.exit(asyncio.run(self._run_until_signal(settings)))
        finally:
            flush()

    async def _run_until_signal(self, settings: S) -> int:
        running = asyncio.create_task(self.run(settings))
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, running.cancel)
        await asyncio.wait({running})
        if running.cancelled():
            return 0
        failure = running.exception()
        if isinstance(failure, BadSettings):
            return self._refuse(failure)
        reason = str(failure) if isinstance(failure, BusFailed) else ""
        get_logger().error(names.Log.SERVICE_FAILED, error=failure, reason=reason)
        return EXIT_FAILED

    def _refuse(self, bad: BadSettings) -> int:
        for problem in bad.problems:
            print(f"stemma-{self.name}: {problem}", file=sys.stderr)
        return EXIT_BAD_SETTINGS


def _collect_rarely() -> None:
    """What was made at the start stays; looking through it again and again for garbage was a tenth of all work."""
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])


def _write_whole(path: Path, text: str) -> None:
    """Who waits for the file never sees it half written."""
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)
