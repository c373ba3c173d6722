"""What the admission tells who asks: whether it lives and has its server, as services do; it has no other metric."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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
