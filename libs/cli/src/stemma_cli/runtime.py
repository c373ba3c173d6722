"""Running one verb: an event loop, a connection, and errors as words with an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import typer

from .exit_codes import CliError, ExitCode
from .output import note, say_json

if TYPE_CHECKING:
    from stemma_client.client import Client


class Action(Protocol):
    """A verb with its options: a `functools.partial` that takes the connection."""

    @property
    def keywords(self) -> Mapping[str, Any]: ...

    def __call__(self, client: Client, /) -> Awaitable[ExitCode | None]: ...


def run(action: Action) -> None:
    """Connect, run a verb, and end the process with its exit code; never with a traceback for a user's error."""
    _end_with(partial(_run, action))


def run_offline(action: Callable[[], None]) -> None:
    """The same for a verb that needs no server."""
    _end_with(action)


def _end_with(work: Callable[[], ExitCode | None]) -> None:
    from .errors import words_for

    try:
        code = work() or ExitCode.OK
        sys.stdout.flush()
    except KeyboardInterrupt:
        note("interrupted; what was sent to Stemma goes on there")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    except BrokenPipeError:
        # Who read the output has gone; what is still buffered must not fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(ExitCode.FAILED) from None
    except Exception as error:
        told = words_for(error)
        if told is None:
            raise
        tell(told)
        raise typer.Exit(told.code) from None
    raise typer.Exit(code)


def tell(error: CliError) -> None:
    """Say on stderr what is wrong and what to do next."""
    note(f"error: {error}")
    if error.hint:
        note(error.hint)


def _run(action: Action) -> ExitCode | None:
    import asyncio
    import logging

    from stemma_client.client import Client
    from stemma_client.errors import RequestRejectedError

    # The verbs tell of a lost connection in their own words.
    logging.getLogger("nats").setLevel(logging.CRITICAL)

    async def connected() -> ExitCode | None:
        async with Client.connect(actor=_actor(), told=note) as client:
            try:
                return await action(client)
            except RequestRejectedError as error:
                if action.keywords.get("as_json"):
                    say_json(error.answer.model_dump(mode="json"))
                    sys.stdout.flush()
                raise

    return asyncio.run(connected())


def _actor() -> str:
    import getpass
    import re

    name = os.environ.get("STEMMA_ACTOR") or getpass.getuser()
    return re.sub(r"[^A-Za-z0-9_.@-]", "_", name)[:64] or "unknown"
