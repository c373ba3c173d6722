"""The process of one service, ``python -m stemma_local.run NAME [ARGUMENTS]``; it ends when its parent does."""

from __future__ import annotations

import os
import signal
import sys
import threading
from importlib.metadata import entry_points

SERVICES_GROUP = "stemma.services"


def end_with_parent() -> None:
    """Ask this process to end when the other end of its stdin is gone."""

    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Run the command of the service that the first argument names, with the other arguments."""
    command = f"stemma-{sys.argv[1]}"
    sys.argv = [command, *sys.argv[2:]]
    end_with_parent()
    (found,) = entry_points(group="console_scripts", name=command)
    found.load()()


if __name__ == "__main__":
    main()
