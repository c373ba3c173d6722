"""The ``stemma`` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.main import get_command

from .help_plain import NARROW, Verb, Verbs
from .output import console
from .runtime import command
from .verbs import (
    agents,
    assigning,
    commenting,
    comparing,
    dead,
    decisions,
    desk,
    documents,
    editing,
    exporting,
    forms,
    identity,
    inputs,
    installation,
    kinds,
    ledgers,
    notifying,
    operating,
    progress,
    tracing,
)

EPILOG = """\
Example: stemma new proposal --sample

Exit codes: 0 ok, 1 failed, 2 usage, 3 rejected by Stemma, 4 no server, 5 exported but unfinished, 130 interrupted.

Environment: STEMMA_NATS_URL, STEMMA_NATS_USER, STEMMA_NATS_PASSWORD, STEMMA_TENANT, \
STEMMA_ACTOR (whom a program names), STEMMA_LOGIN (file of a person's login), \
STEMMA_DATA_DIR (folder of `stemma up`, ./.stemma by default, where the other verbs find the server)."""

CONTEXT: dict[str, object] = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="stemma",
    cls=Verbs,
    help="Long documents with several authors: models write, people review.",
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=CONTEXT,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(version("stemma-cli"))
        raise typer.Exit


@app.callback()
def stemma(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Long documents with several authors: models write, people review."""


GROUPS_OF_VERBS = (
    documents,
    kinds,
    progress,
    decisions,
    editing,
    commenting,
    assigning,
    comparing,
    exporting,
    inputs,
    ledgers,
    tracing,
    identity,
    desk,
    agents,
    installation,
    operating,
)
VERBS: dict[str, Callable[..., Any]] = {name: verb for group in GROUPS_OF_VERBS for name, verb in group.VERBS.items()}

for name, verb in VERBS.items():
    app.command(name, cls=Verb)(command(verb))
GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    **installation.GROUPS,
    **dead.GROUPS,
    **notifying.GROUPS,
    **inputs.GROUPS,
    **forms.GROUPS,
}
for name, (words, verbs) in GROUPS.items():
    group = typer.Typer(help=words, no_args_is_help=True)
    for verb_name, verb in verbs.items():
        group.command(verb_name, cls=Verb)(command(verb))
    app.add_typer(group, name=name, cls=Verbs)


def main() -> None:
    """Run the command line."""
    _replace_closed_streams()
    _spare_websockets()
    _be_plain_in_a_narrow_terminal()
    built_app()()


@cache
def built_app() -> Callable[[], Any]:
    """All verbs, built for a wide terminal or, after it was found narrow, for that one."""
    return get_command(app)


def _replace_closed_streams() -> None:
    """A stream that the caller closed is None, and its number goes to the next file or connection."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _be_plain_in_a_narrow_terminal() -> None:
    if (columns := console().width) < NARROW:
        app.rich_markup_mode = None
        CONTEXT["terminal_width"] = columns
        built_app.cache_clear()


def _spare_websockets() -> None:
    """nats-py loads aiohttp for WebSockets where it is installed: a fifth of what a verb takes."""
    if not os.environ.get("STEMMA_NATS_URL", "").startswith("ws"):
        sys.modules.setdefault("aiohttp", None)  # type: ignore[arg-type]
