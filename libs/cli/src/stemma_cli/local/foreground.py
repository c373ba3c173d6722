"""``stemma up``: an installation that runs until it is told to stop."""

import asyncio
import json
import os
import shlex
import signal
import sys
from collections.abc import Coroutine
from contextlib import aclosing, nullcontext, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from stemma_client import Client, StemmaError
from stemma_client.settings import DATA_DIR, DATA_VARIABLE, DEFAULT_TENANT, TENANT_VARIABLE
from stemma_contracts import subjects
from stemma_contracts.tokens import InvalidToken, check_token
from stemma_provisioning import BadBound, Bounds, ServerFailed
from stemma_provisioning.providers import BadProvider

from stemma_cli.demo import demonstrate, demonstrate_desk
from stemma_cli.exit_codes import ExitCode
from stemma_cli.output import clean_line
from stemma_cli.wording import event_words

from .folder import AlreadyRunningError, DamagedPasswordsError, UnusableFolderError
from .llama import SMALL, served_here
from .model import Model
from .processes import DidNotStartError, Report
from .supervisor import LocalStemma, NotInstalledError, free_port
from .tenants import DamagedTenantsError


def run_in_foreground(
    data: Path, *, processes: bool = False, port: int | None = None, model: Model | None = None, as_json: bool = False
) -> ExitCode:
    """Run until SIGINT or SIGTERM and return the exit code; what went wrong is said on stderr."""
    return _told(_up(data, processes=processes, port=port, model=model, say=_say_json if as_json else _say))


def run_demo_desk() -> ExitCode:
    async def stoppable() -> ExitCode:
        cancel_on_signals(_say)
        return await demonstrate_desk()

    try:
        return _told(stoppable())
    except asyncio.CancelledError:
        return ExitCode.INTERRUPTED


def run_demo(output: Path, kind: str, *, as_json: bool) -> ExitCode:
    """Run the demonstration and return its exit code; Ctrl-C stops all that it started.

    As JSON the story goes to stderr, and stdout has one line that names the files.
    """

    async def stoppable() -> ExitCode:
        cancel_on_signals(_say_on_stderr if as_json else _say)
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            return await demonstrate(output, kind)

    try:
        code = _told(stoppable())
    except asyncio.CancelledError:
        return ExitCode.INTERRUPTED
    if as_json and code is ExitCode.OK:
        print(json.dumps({"folder": str(output), "files": sorted(path.name for path in output.iterdir())}))
    return code


def _told(running: Coroutine[Any, Any, ExitCode]) -> ExitCode:
    try:
        return asyncio.run(running)
    except DidNotStartError as error:
        print(f"error: {error}", *error.last_lines, sep="\n", file=sys.stderr)
    except UnusableFolderError as error:
        print(f"error: {error}; name another folder by --data or STEMMA_DATA_DIR", file=sys.stderr)
        return ExitCode.USAGE
    except (InvalidToken, BadBound, BadProvider) as error:
        print(f"error: {error}", file=sys.stderr)
        return ExitCode.USAGE
    except NotInstalledError as error:
        print(f"error: {error}; install them, or connect to a server that runs (STEMMA_NATS_URL)", file=sys.stderr)
    except (AlreadyRunningError, DamagedPasswordsError, DamagedTenantsError, ServerFailed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
    return ExitCode.FAILED


async def _up(data: Path, *, processes: bool, port: int | None, model: Model | None, say: Report) -> ExitCode:
    tenant = check_token(os.environ.get(TENANT_VARIABLE) or DEFAULT_TENANT, TENANT_VARIABLE)
    cancel_on_signals(say)
    tenants = tuple(dict.fromkeys((tenant, DEFAULT_TENANT)))
    bounds = Bounds.of(os.environ)
    llama = served_here(model, free_port()) if model else None
    if llama and llama.is_small:
        say("model", SMALL)
    local = LocalStemma(
        data,
        tenants=tenants,
        bounds=bounds,
        processes=processes,
        port=port,
        model=llama.model if llama else model,
        llama=llama,
        report=say,
    )
    with suppress(asyncio.CancelledError):
        async with local:
            say("stemma", "ready")
            if say is _say:
                print(how_to_connect(local), flush=True)
            async with local.client(tenant) as client:
                await tell_work(client, say, await client.position() + 1)
            await asyncio.Event().wait()
    say("stemma", "stopped")
    return ExitCode.OK


async def tell_work(client: Client, say: Report, begin: int) -> None:
    """A line for each event from a place of the log on, as long as the client lasts."""
    with suppress(StemmaError):
        async with aclosing(client.follow_all(from_sequence=begin)) as events:
            async for event in events:
                say(event.document_id[:8], clean_line(event_words(event)))


def cancel_on_signals(say: Report) -> None:
    """Cancel the caller at the first signal; later ones must not break the stopping."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def stop() -> None:
        if task is not None and not task.cancelling():
            task.cancel()
            with suppress(OSError):
                say("stemma", "stopping")

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)


def _say(name: str, message: str) -> None:
    print(f"{name:18} {message}", flush=True)


def _say_json(name: str, message: str) -> None:
    print(json.dumps({"part": name, "message": message}), flush=True)


def _say_on_stderr(name: str, message: str) -> None:
    print(f"{name:18} {message}", file=sys.stderr, flush=True)


def how_to_connect(local: LocalStemma) -> str:
    http = (
        f"HTTP is at {local.gateway_url}; programs show what `stemma token` prints, people sign in there.\n"
        f"The review desk is at {local.gateway_url}/desk.\n"
    )
    return (
        f"NATS is at {local.url}; users and passwords are in {local.folder.root / 'credentials.json'}.\n"
        f"{http if subjects.GATEWAY in local.names else ''}"
        f"Logs are in {local.folder.root / 'logs'}. Ctrl-C stops all.\n"
        f"{how_to_begin(local.folder.root)}"
    )


def how_to_begin(data: Path) -> str:
    begin = "stemma new proposal --sample"
    if data.resolve() == Path(DATA_DIR).resolve():
        return f"Try `{begin}` in this folder."
    return f"Try `{DATA_VARIABLE}={shlex.quote(str(data))} {begin}`: other verbs find the data by it, too."
