"""Free ports of this machine."""

import random
import socket

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
