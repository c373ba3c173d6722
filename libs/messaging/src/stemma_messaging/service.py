"""A service: settings, bus, handlers, health, in this order, and back again when it is told to end."""

import argparse
import asyncio
import faulthandler
import json
import signal
import socket
import sys
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, Generic, TypeVar

import stemma_telemetry
import uvicorn
from faststream import FastStream
from stemma_telemetry import bind, get_logger, names
from stemma_telemetry.measuring import CONTENT_TYPE, exposition
from stemma_telemetry.metrics import Gauges
from stemma_telemetry.names import Metric

from .broker import StemmaBroker
from .cancellation import end, raise_if_cancelled
from .errors import BusFailed
from .outages import reason_of
from .settings import BadSettings, ServiceSettings, config_dir, load_settings

# ``/metrics``: what it measured, as Prometheus reads it.
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
Missing = Callable[[], Awaitable[list[str]]]


@asynccontextmanager
async def health_server(missing: Missing, host: str, port: int) -> AsyncIterator[int]:
    """Serve until the block ends; gives the port. Raises `OSError` if it is taken."""
    async with http_server(_app(missing), host, port, lifespan="off") as taken:
        yield taken


def _app(missing: Missing) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        match scope["path"]:
            case "/health":
                await _respond(send, 200, {"status": "alive"})
            case "/ready":
                gone = await missing()
                await _respond(
                    send, 503 if gone else 200, {"status": "not ready" if gone else "ready", "missing": gone}
                )
            case "/metrics":
                await _send(send, 200, CONTENT_TYPE, exposition())
            case _:
                await _respond(send, 404, {"status": "not found"})

    return app


async def _respond(send: Send, status: int, body: dict[str, Any]) -> None:
    await _send(send, status, "application/json", json.dumps(body).encode())


async def _send(send: Send, status: int, content_type: str, body: bytes) -> None:
    headers = [(b"content-type", content_type.encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


S = TypeVar("S", bound=ServiceSettings)
BuildApp = Callable[[S], Any]
Verb = Callable[[S], None]
Check = Callable[[S], None]

EXIT_FAILED = 1
EXIT_BAD_SETTINGS = 2


def _nothing_to_check(_settings: object) -> None:
    """Settings alone were checked when they were read."""


@dataclass(frozen=True)
class Service(Generic[S]):
    """An application as a service: its settings, its process, its health. It is one of FastStream, unless `run` is
    another one.

    ``build_app`` makes broker and application and connects to nothing; the lifespan of the application opens what
    handlers need, and may raise `BadSettings` as well. ``check`` reads what is configured beside the settings, before
    the server is waited for, and raises it too.

    In place of ``FastStream.run``, which takes the signals of the process, wakes up ten times a second, and cannot
    stand beside another one in a process; ``AsgiFastStream`` ends with another code than 0 when it is told to, and
    stays up when a consumer is missing at the start.
    """

    name: str
    settings_class: type[S]
    build_app: BuildApp[S]
    check: Check[S] = _nothing_to_check

    def load_settings(self, **overrides: Any) -> S:
        """Read ``config/settings.toml`` and the environment; raises `BadSettings`."""
        file = config_dir(f"stemma_{self.name.replace('-', '_')}") / "settings.toml"
        return load_settings(self.name, self.settings_class, file, **overrides)

    async def run(self, settings: S) -> None:
        """Run until cancelled, which drains, or until the bus fails, which raises `BusFailed`."""
        with bind(service=self.name):
            self.check(settings)
            app = self.build_app(settings)
            async with app.lifespan_context():
                await self._work(settings, app)

    async def _work(self, settings: S, app: FastStream) -> None:
        try:
            await app.start()
            raise_if_cancelled()
            await self._serve(settings, app.broker)
        finally:
            await app.stop()
            get_logger().info(names.Log.SERVICE_STOPPED)

    async def _serve(self, settings: S, broker: object) -> None:
        assert isinstance(broker, StemmaBroker)
        async with self.ready(settings, broker.missing):
            observing = asyncio.create_task(broker.observe_for_ever(settings.observe_every_s))
            try:
                raise await broker.failure()
            finally:
                await end([observing])

    @asynccontextmanager
    async def ready(self, settings: S, missing: Missing) -> AsyncIterator[None]:
        """Tell, while the block runs, that the service is at work, and what is missing."""
        async with health_server(missing, settings.health_host, settings.health_port) as port:
            get_logger().info(names.Log.SERVICE_READY, port=port)
            if settings.ready_file is not None:
                _write_whole(settings.ready_file, str(port))
            yield

    def main(self, verbs: Mapping[str, Verb[S]] | None = None) -> None:
        """Run as a process: exits with 0 on SIGTERM or SIGINT, 1 on failure, 2 on bad settings or arguments.

        ``verbs`` are what the command can do instead, by argument; their docstrings are what ``--help`` tells.
        """
        verb = self._chosen(verbs or {})
        try:
            settings = self.load_settings()
        except BadSettings as bad:
            sys.exit(self._refuse(bad))
        if verb is not None:
            verb(settings)
            return
        flush = stemma_telemetry.configure(self.name, json=settings.log_json, level=settings.log_level)
        try:
            sys.exit(asyncio.run(self._run_until_signal(settings)))
        finally:
            flush()

    def _chosen(self, verbs: Mapping[str, Verb[S]]) -> Verb[S] | None:
        parser = argparse.ArgumentParser(
            prog=f"stemma-{self.name}",
            description=f"{_summary(self.name)} A service of Stemma; it runs until SIGTERM or SIGINT.",
            epilog="Settings are no arguments: they stand in config/settings.toml, and variables of the environment "
            f"override them, STEMMA_{self.name.upper().replace('-', '_')}_<KEY>, or STEMMA_NATS_URL and the like for "
            "what all services share.",
            allow_abbrev=False,
        )
        # An empty group cannot be shown by argparse of Python 3.11.
        group = parser.add_mutually_exclusive_group() if verbs else parser
        for name, verb in verbs.items():
            group.add_argument(name, dest="verb", action="store_const", const=verb, help=verb.__doc__)
        parser.set_defaults(verb=None)
        chosen: Verb[S] | None = parser.parse_args().verb
        return chosen

    async def _run_until_signal(self, settings: S) -> int:
        running = asyncio.create_task(self.run(settings))
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, running.cancel)
        async with ended_by_standstill():
            await asyncio.wait({running})
        if running.cancelled():
            return 0
        failure = running.exception()
        if isinstance(failure, BadSettings):
            return self._refuse(failure)
        reason = str(failure) if isinstance(failure, BusFailed) else reason_of(failure)
        get_logger().error(names.Log.SERVICE_FAILED, error=failure, reason=reason)
        return EXIT_FAILED

    def _refuse(self, bad: BadSettings) -> int:
        for problem in bad.problems:
            print(f"stemma-{self.name}: {problem}", file=sys.stderr)
        return EXIT_BAD_SETTINGS


def _summary(name: str) -> str:
    try:
        return f"{metadata(f'stemma-{name}')['Summary']}."
    except PackageNotFoundError:
        return f"{name}."


def _write_whole(path: Path, text: str) -> None:
    """Who waits for the file never sees it half written."""
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)


T = TypeVar("T")


class Opened(Generic[T]):
    """Is given what handlers work with, and gives it to them; nothing is handled before."""

    def __init__(self) -> None:
        self._given: T | None = None

    def give(self, what: T) -> None:
        """From now on this is what handlers work with."""
        self._given = what

    def __call__(self) -> T:
        """What was given; raises `RuntimeError` before."""
        if self._given is None:
            raise RuntimeError("the lifespan of the application has not opened yet what handlers work with")
        return self._given


CPU_SECONDS = 30.0
"""What a process may spend while its loop does not come round; a suspended process spends none."""
_ROUNDS_S = 1.0
_REMEMBERED = 60
"""Rounds of which the latest one is told: at least as many as there are between two scrapes."""
_gauges = Gauges(Metric.LOOP_LAG)


@asynccontextmanager
async def ended_by_standstill(cpu_seconds: float = CPU_SECONDS) -> AsyncIterator[None]:
    """End this process by SIGPROF, with the traceback of all threads in its errors, where the loop stands still.

    The kernel counts and ends: code that holds the interpreter cannot put it off.
    """
    # The handler writes the traceback, then has the signal do what it does by itself: end the process.
    faulthandler.register(signal.SIGPROF, chain=True)
    rounds = asyncio.create_task(_come_round(cpu_seconds))
    try:
        yield
    finally:
        await end([rounds])
        signal.setitimer(signal.ITIMER_PROF, 0)


async def _come_round(cpu_seconds: float) -> None:
    loop, late = asyncio.get_running_loop(), deque[float](maxlen=_REMEMBERED)
    while True:
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        due = loop.time() + _ROUNDS_S
        await asyncio.sleep(_ROUNDS_S)
        late.append(max(0.0, loop.time() - due))
        _gauges.see(Metric.LOOP_LAG, [(max(late), {})])


TCP_USER_TIMEOUT = getattr(socket, "TCP_USER_TIMEOUT", None)
"""Only Linux has it."""


class _Server(uvicorn.Server):
    """A server that leaves the signals of the process to the service."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def http_server(
    app: Any, host: str, port: int, takes_within_s: float = 60.0, **options: Any
) -> AsyncIterator[int]:
    """Serve until the block ends; gives the port. Raises `OSError` if it is taken.

    A client that takes nothing of its answer for ``takes_within_s`` seconds is disconnected; ``options`` are those of
    uvicorn.
    """
    listening = socket.create_server((host, port))
    # Accepted sockets inherit both. Without this one, answers on kept connections wait for delayed acknowledgements.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if TCP_USER_TIMEOUT is not None:
        listening.setsockopt(socket.IPPROTO_TCP, TCP_USER_TIMEOUT, int(takes_within_s * 1000))
    config = uvicorn.Config(app, http="h11", ws="none", log_config=None, access_log=False, **options)
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
