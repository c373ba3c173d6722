"""The ``stemma`` command."""

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import cleandoc
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from .runtime import command

Verb = Callable[..., Any]

EPILOG = """\
Example: stemma new proposal --sample

Exit codes: 0 ok, 1 failed, 2 usage, 3 rejected by Stemma, 4 no server, 5 exported but unfinished, 130 interrupted.

Environment: STEMMA_NATS_URL, STEMMA_NATS_USER, STEMMA_NATS_PASSWORD, STEMMA_TENANT, \
STEMMA_ACTOR (whom a program names), STEMMA_LOGIN (file of a person's login), \
STEMMA_DATA_DIR (folder of `stemma up`, ./.stemma by default, where the other verbs find the server)."""

MODULES = {
    "documents": "new outline list show kinds watch budget erase",
    "decisions": "inbox approve withdraw-approval revise answer retry pause resume cancel assign comment comments",
    "editing": "edit accept-edit reject-edit keep regenerate restore settle take-back fact",
    "planning": "plan",
    "comparing": "stale diff history replay",
    "exporting": "export verify provenance",
    "importing": "import",
    "inputs": "amend input",
    "ledgers": "ledger matrix",
    "library": "library reuse outcome",
    "identity": "login logout token desk mcp",
    "installation": "demo up models tenant user",
    "operating": "backup doctor restore-backup dead",
    "notifying": "notify",
    "forms": "form",
    "evaluating": "eval",
}
"""The verbs by their module in `stemma_cli.verbs`, in the order of the help."""
MODULE_OF = {name: module for module, names in MODULES.items() for name in names.split()}


class Verbs(TyperGroup):
    """All verbs; one is imported and built when it is typed, because most take longer to build than to run."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*MODULE_OF]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A verb; an unknown name builds all of them, so that a similar one is suggested."""
        for name in [cmd_name] if cmd_name in MODULE_OF else MODULE_OF:
            if name not in self.commands:
                self.add_command(_built(name), name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Every verb with the first paragraph about it, which needs none of them built."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_paragraph(_docstring(name))) for name in MODULE_OF])


def _built(name: str) -> Any:
    made = typer.Typer(help=_docstring(name), no_args_is_help=True, rich_markup_mode=None, add_completion=False)
    if _group(name):
        made.callback()(_of_a_group)
    for verb_name, verb in _group(name).items() or {name: _verb(name)}.items():
        docstring = cleandoc(verb.__doc__ or "")
        made.command(verb_name, help=_unwrapped(docstring), short_help=_first_paragraph(docstring))(command(verb))
    return get_command(made)


def _of_a_group() -> None:
    """With it a group of one verb stays a group."""


def _module(name: str) -> Any:
    return import_module(f"stemma_cli.verbs.{MODULE_OF[name]}")


def _verb(name: str) -> Verb:
    """The function of a verb has its name, with an underscore behind it where Python has that name, too."""
    module, own = _module(name), name.replace("-", "_")
    return getattr(module, own, None) or getattr(module, f"{own}_")  # type: ignore[no-any-return]


def _group(name: str) -> Mapping[str, Verb]:
    _, verbs = getattr(_module(name), "GROUPS", {}).get(name, ("", {}))
    return verbs  # type: ignore[no-any-return]


def _docstring(name: str) -> str:
    module = _module(name)
    groups = getattr(module, "GROUPS", {})
    return groups[name][0] if name in groups else cleandoc(_verb(name).__doc__ or "")


def _first_paragraph(docstring: str) -> str:
    return " ".join(docstring.partition("\n\n")[0].split())


def _unwrapped(docstring: str) -> str:
    """The mark of a paragraph whose lines stay as they are, which examples need."""
    return docstring.replace("\n\nExample:", "\n\n\b\nExample:")


app = typer.Typer(
    name="stemma",
    cls=Verbs,
    help="Long documents with several authors: models write, people review.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        # It reads what is installed by what parses mail: a quarter of what the help takes.
        from importlib.metadata import version

        print(version("stemma-cli"))
        raise typer.Exit


@app.callback()
def stemma(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Long documents with several authors: models write, people review."""


def _open_closed_streams() -> None:
    """Python has None for a standard stream that was closed before it began: ``stemma list <&-``."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def main() -> None:
    _open_closed_streams()
    get_command(app)()
