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
from .lookup import find_document, find_section
from .output import note, reply, say_json

if TYPE_CHECKING:
    from stemma_client.client import Client
    from stemma_contracts.v1.answers import RequestAccepted
    from stemma_contracts.v1.plans import Plan
    from stemma_contracts.v1.requests import Request

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


async def ask(
    request: type[Request], document: str, section: str | None = None, *, done: str, as_json: bool, **fields: Any
) -> None:
    """Make a request of that class about a document, or a section of it, and print what was done.

    The words of ``done`` name fields of the request in braces.
    """
    async with connected(as_json) as client:
        if section is None:
            fields |= {"document_id": await find_document(client, document)}
        else:
            view, _ = await find_section(client, document, section)
            fields |= {"document_id": view.document_id, "section_id": section}
        accepted = await client.request(request.model_validate(fields))
    tell_answer(accepted, done.format(**fields), as_json=as_json)


def tell_answer(accepted: RequestAccepted, words: str, *, as_json: bool, **more: Any) -> None:
    """What was done, or the answer with ``more`` in it."""
    reply({**dict(accepted), **more}, words, as_json=as_json)


async def tell_new_version(
    client: Client, accepted: RequestAccepted, document_id: str, section: str, done: str, *, as_json: bool
) -> None:
    view = await client.document(document_id)
    number, stale = view.sections[section].version, [s.section_id for s in view.stale]
    tell_answer(accepted, f"{done} {section} version {number}", as_json=as_json, version=number, stale=stale)
    if stale:
        note(f"stale now: {', '.join(stale)}; see `stemma stale {document_id[:8]}`")
