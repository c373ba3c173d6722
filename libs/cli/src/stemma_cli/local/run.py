"""The process of one service, ``python -m stemma_cli.local.run NAME``, set up first; it ends when its parent does."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import entry_points

from stemma_confinement.yielding import yield_processor
from stemma_contracts import subjects

YIELDS = 2
DETECT = (subjects.ORCHESTRATOR, subjects.GENERATION, subjects.EDITOR, subjects.CONVERTER)
WHO_ANSWER = (subjects.ORCHESTRATOR, subjects.GATEWAY)
SERVICES_GROUP, MODELS_GROUP = "stemma.services", "stemma.models"
SETUPS: Mapping[str, tuple[str, ...]] = {"generation-graph": ("--setup",)}


def end_with_parent() -> None:
    """Ask this process to end when the other end of its stdin is gone."""

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
    """Run the command of a service in this process."""
    sys.argv = [f"stemma-{name}", *arguments]
    command_of(name)()


@cache
def command_of(name: str) -> Callable[[], None]:
    """The command of a service, with all that it imports; raises `ValueError` if there is none."""
    (found,) = entry_points(group="console_scripts", name=f"stemma-{name}")
    with collecting_no_garbage():
        command: Callable[[], None] = found.load()
    return command


@cache
def import_models() -> None:
    """Import the models that packages bring, which services that call models do when they start."""
    for found in entry_points(group=MODELS_GROUP):
        found.load()


@cache
def load_languages() -> None:
    """Load by what the language of a text is told, which a service does with its first text."""
    from stemma_languages import load_detection

    load_detection()


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """While modules are imported: looking for garbage would be a tenth of the start."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


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
