"""The prepared process: it imports, and then makes copies of itself, which keep calls. It reads nothing from outside.

usage: python -m stemma_confinement.preparing MODULE FUNCTION CONTROL
"""

import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from socket import recv_fds, socket

from . import computing  # noqa: F401 - calls are made by it, and each would import it
from .keeping import KEEPER, keep
from .process import yield_processor

YIELDS = 10
"""How much less of the processor calls have than who answers people, while there is not enough for both."""


def main() -> None:
    """Import, then fork a keeper for each message, until the service closes its end of the connection.

    A first call waits for the imports, so the processor is given way to others only after them.
    """
    module, function, number = sys.argv[1:]
    control = socket(fileno=int(number))
    getattr(import_module(module), function)()
    yield_processor(YIELDS)
    signal.signal(signal.SIGCHLD, _reap)
    with control:
        while _copied(control):
            pass


def _reap(_number: int, _frame: object) -> None:
    """Take note of keepers that ended; the time that they took counts as ours."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _copied(control: socket) -> bool:
    message, connections, _, _ = recv_fds(control, len(KEEPER), 1)
    if not message:
        return False
    with socket(fileno=connections[0]) as connection:
        if os.fork() == 0:
            control.close()
            keep(connection)
    return True


if __name__ == "__main__":
    main()
