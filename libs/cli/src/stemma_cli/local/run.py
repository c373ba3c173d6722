"""The process of one service, ``python -m stemma_cli.local.run NAME``, set up first; it ends when its parent does."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points

from stemma_confinement.process import yield_processor
from stemma_contracts import subjects

YIELDS = 2
WHO_ANSWER = (subjects.ORCHESTRATOR, subjects.GATEWAY)
SERVICES_GROUP = "stemma.services"
SETUPS: Mapping[str, tuple[str, ...]] = {"generation-graph": ("--setup",)}


def end_with_parent() -> None:

    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def set_up(name: str) -> None:
    """Make what the service needs before it starts; harmless if it is there."""
    if name in SETUPS:
        run_command(name, *SETUPS[name])


def run_command(name: str, *arguments: str) -> None:
    sys.argv = [f"stemma-{name}", *arguments]
    command_of(name)()


def command_of(name: str) -> Callable[[], None]:
    """The command of a service, with all that it imports; raises `ValueError` if there is none."""
    (found,) = entry_points(group="console_scripts", name=f"stemma-{name}")
    command: Callable[[], None] = found.load()
    return command


def main() -> None:
    """Set up and run the service that the argument names; who works leaves the processor to who answers."""
    end_with_parent()
    (name,) = sys.argv[1:]
    if name not in WHO_ANSWER:
        yield_processor(YIELDS)
    set_up(name)
    run_command(name)


if __name__ == "__main__":
    main()
