"""A receiver of webhooks, which hands on what it is told."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .serving import serving


class Receiver(ThreadingHTTPServer):
    """What comes is in ``told``, for the loop that made it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.told = asyncio.Queue[dict[str, Any]]()
        self._loop = asyncio.get_running_loop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def hand_on(self, call: dict[str, Any]) -> None:
        self._loop.call_soon_threadsafe(self.told.put_nowait, call)


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        self.server.hand_on(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@contextmanager
def receiving() -> Iterator[Receiver]:
    with serving(server := Receiver(), threading.Event()):
        yield server
