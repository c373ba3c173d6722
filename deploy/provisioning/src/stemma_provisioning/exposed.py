"""Whether the admission has its server, as Prometheus asks it of services as well; it has no other metric."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MISSING = "stemma_service_missing"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@contextmanager
def exposed(host: str, port: int, connected: Callable[[], bool]) -> Iterator[int]:
    """Serve ``/metrics`` until the block ends; gives the port. Raises `OSError` if it is taken."""
    with ThreadingHTTPServer((host, port), partial(_Handler, connected)) as server:
        threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, connected: Callable[[], bool], *request: object) -> None:
        self._connected = connected
        super().__init__(*request)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        if self.path != "/metrics":
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        missing = int(not self._connected())
        body = f'# TYPE {MISSING} gauge\n{MISSING}{{stemma_missing="server"}} {missing}\n'.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("content-type", CONTENT_TYPE)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Not a line for each question."""
