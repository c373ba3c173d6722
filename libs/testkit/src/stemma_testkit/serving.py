"""Free ports of this machine, and an HTTP server of the tests, in a thread of its own as long as a block runs."""

import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

POLL_S = 0.01


@contextmanager
def serving(server: ThreadingHTTPServer, stopping: threading.Event) -> Iterator[None]:
    """Serve until the block ends; then ``stopping`` is set, so that no handler holds the end up."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": POLL_S})
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


KEPT = range(20_000, 32_000)
"""No system gives one of these to somebody who asks for any port, as each connection does."""


def free_port() -> int:
    while True:
        port = random.SystemRandom().choice(KEPT)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue
