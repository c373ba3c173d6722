"""The command ``stemma-admission``: answer a server that asks whom to admit, until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from nats.aio.client import Client
from stemma_contracts.servers import check_servers
from stemma_contracts.tls import BadCertificates, tls_of

from .admission import Seals, admitting
from .providers import Trusted

MISSING = "stemma_service_missing"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
WORDS = "text/plain; charset=utf-8"

Look = Callable[[], bool]


@contextmanager
def exposed(host: str, port: int, alive: Look, connected: Look) -> Iterator[int]:
    """Serve ``/metrics``, ``/health`` and ``/ready`` in the block; gives the port. Raises `OSError` if it is taken."""
    with ThreadingHTTPServer((host, port), partial(_Handler, alive, connected)) as server:
        threading.Thread(target=server.serve_forever, name="exposed", daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, alive: Look, connected: Look, *request: object) -> None:
        self._alive, self._connected = alive, connected
        super().__init__(*request)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        match self.path:
            case "/metrics":
                missing = int(not self._connected())
                sample = f'# TYPE {MISSING} gauge\n{MISSING}{{stemma_missing="server"}} {missing}\n'
                self._answer(HTTPStatus.OK, METRICS, sample)
            case "/health":
                self._tell(self._hung())
            case "/ready":
                self._tell(self._hung() or ("" if self._connected() else "has no server"))
            case _:
                self.send_error(HTTPStatus.NOT_FOUND)

    def _hung(self) -> str:
        return "" if self._alive() else "stands still"

    def _tell(self, wrong: str) -> None:
        status = HTTPStatus.SERVICE_UNAVAILABLE if wrong else HTTPStatus.OK
        self._answer(status, WORDS, f"{wrong or 'ok'}\n")

    def _answer(self, status: HTTPStatus, content_type: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Not a line for each question."""


ALIVE_FOR_S = 10.0
BEAT_EVERY_S = 1.0


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command. Its secret comes from ``STEMMA_NATS_PASSWORD``, the server from ``STEMMA_NATS_URL``.

    With ``STEMMA_ADMISSION_METRICS_PORT`` it serves ``/metrics``, ``/health`` and ``/ready`` there, on
    ``STEMMA_ADMISSION_METRICS_HOST``.
    """
    arguments = _arguments(argv)
    secret = os.environ.get("STEMMA_NATS_PASSWORD")
    if not secret:
        sys.exit("stemma-admission: STEMMA_NATS_PASSWORD is not set")
    try:
        tls, trusted = tls_of(os.environ), Trusted.of(os.environ)
    except (BadCertificates, ValueError) as error:
        sys.exit(f"stemma-admission: {error}")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    asyncio.run(_run(arguments.server, arguments.folder, Seals.of(secret), tls, trusted))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="stemma-admission", description=__doc__)
    parser.add_argument("folder", type=Path, help="of those who are admitted: `stemma user --admitted` writes there")
    parser.add_argument(
        "--server",
        type=check_servers,
        default=os.environ.get("STEMMA_NATS_URL", "nats://127.0.0.1:4222"),
        help="STEMMA_NATS_URL by default",
    )
    return parser.parse_args(argv)


class Beat:
    """Whether the event loop goes on, for who asks from another thread."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def alive(self) -> bool:
        """Whether it has gone on a moment ago."""
        return time.monotonic() - self._last < ALIVE_FOR_S

    async def until(self, stopping: asyncio.Event) -> None:
        """Beat until the event is set."""
        while not stopping.is_set():
            self._last = time.monotonic()
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), BEAT_EVERY_S)


async def _run(server: str, folder: Path, seals: Seals, tls: Mapping[str, Any], trusted: Trusted | None) -> None:
    stopping, beat = asyncio.Event(), Beat()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    async with admitting(server, folder, seals, tls, trusted) as client:
        with _exposed(client, beat):
            await beat.until(stopping)


def _exposed(client: Client, beat: Beat) -> AbstractContextManager[object]:
    if not (port := os.environ.get("STEMMA_ADMISSION_METRICS_PORT")):
        return nullcontext()
    host = os.environ.get("STEMMA_ADMISSION_METRICS_HOST", "127.0.0.1")
    return exposed(host, int(port), beat.alive, lambda: bool(client.is_connected))
