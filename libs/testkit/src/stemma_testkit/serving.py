"""An HTTP server of the tests, in a thread of its own as long as a block runs."""

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
