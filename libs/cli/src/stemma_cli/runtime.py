"""Running one verb: an event loop, a connection, and errors as words with an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any

import typer

from .exit_codes import CliError, ExitCode
from .output import note, say_json

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_contracts.v1.plans import Plan

PLANS: ContextVar[bool] = ContextVar("plans", default=False)
"""Whether the verb that runs is only to be planned."""


class Planned(Exception):
    """What a verb would lead to."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.plan = plan


Outcome = Coroutine[Any, Any, ExitCode | None] | ExitCode | None


def command(verb: Callable[..., Outcome]) -> Callable[..., None]:
    """A verb as the command line calls it: it ends the process with its exit code.

    It never ends with a traceback for a user's error.
    """

    @wraps(verb)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            code = _finished(verb(*args, **kwargs)) or ExitCode.OK
            sys.stdout.flush()
        except KeyboardInterrupt:
            note("interrupted; what was sent to Stemma goes on there")
            raise typer.Exit(ExitCode.INTERRUPTED) from None
        except BrokenPipeError:
            # Who read the output has gone; what is still buffered must not fail again when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(ExitCode.FAILED) from None
        except (typer.Abort, typer.BadParameter, typer.Exit):
            raise
        except Exception as error:
            if (words := _told(error)) is None:
                raise
            raise typer.Exit(words.code) from None
        raise typer.Exit(code)

    return run


def _finished(outcome: Outcome) -> ExitCode | None:
    if not isinstance(outcome, Coroutine):
        return outcome
    import asyncio

    return asyncio.run(outcome)


def _told(error: Exception) -> CliError | None:
    """What is wrong and what to do next, said on stderr; nothing of an error that only a bug explains."""
    from .errors import words_for

    words = words_for(error)
    if words is not None:
        note(f"error: {words}")
        if words.hint:
            note(words.hint)
    return words


@asynccontextmanager
async def connected(as_json: bool = False) -> AsyncIterator[Client]:
    """The client of whoever runs the command; ``as_json`` tells a rejection so."""
    import logging

    # Pydantic looks for plugins in every package that is installed before it makes its first class.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from stemma_client.client import Client
    from stemma_client.errors import RequestRejectedError

    made = Client if not PLANS.get() else _planning()
    # The verbs tell of a lost connection in their own words.
    logging.getLogger("nats").setLevel(logging.CRITICAL)
    async with made.connect(actor=_actor(), told=note) as client:
        try:
            yield client
        except RequestRejectedError as error:
            if as_json:
                say_json(error.answer)
                sys.stdout.flush()
            raise


def _planning() -> type[Client]:
    """A client that has decisions planned, which ends the verb; what is only looked at is read as ever."""
    from stemma_client.client import Client
    from stemma_contracts.v1 import requests as r

    class Planner(Client):
        async def request(self, request: r.Request, **options: Any) -> Any:
            looks = isinstance(request, r.ReadReturn | r.PlanChange) or getattr(request, "staged", False)
            if looks or not isinstance(request, r.DocumentRequest):
                return await super().request(request, **options)
            raise Planned(await self.plan(request))

    return Planner


def _actor() -> str:
    import getpass
    import re

    name = os.environ.get("STEMMA_ACTOR") or getpass.getuser()
    return re.sub(r"[^A-Za-z0-9_.@-]", "_", name)[:64] or "unknown"
