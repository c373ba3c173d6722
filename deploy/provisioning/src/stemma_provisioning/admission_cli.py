"""The command ``stemma-admission``: answer a server that asks whom to admit, until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any

from nats.aio.client import Client
from stemma_contracts.servers import check_servers
from stemma_contracts.tls import BadCertificates, tls_of

from .admission import Seals, admitting
from .exposed import exposed
from .providers import Trusted

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
