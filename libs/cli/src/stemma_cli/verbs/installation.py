"""The verbs that start all of Stemma on this machine, and those that say for whom and who may use it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from stemma_cli.arguments import AsJson
from stemma_cli.help_plain import Verb
from stemma_cli.runtime import run_offline

Data = Annotated[Path, typer.Option("--data", envvar="STEMMA_DATA_DIR", help="Folder of `stemma up`.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="One word of a-z, 0-9 and -.")]
Tenant = Annotated[str, typer.Option("--tenant", envvar="STEMMA_TENANT", help="Whose person it is.")]
AdmittedFolder = Annotated[Path | None, typer.Option("--admitted", help="Folder of another server's admission.")]
Url = Annotated[str | None, typer.Option("--url", envvar="STEMMA_NATS_URL", help="Address for the login.")]
LoginFile = Annotated[Path | None, typer.Option("--output", "-o", help="The login; else NAME.login.")]
DATA = Path(".stemma")
TENANT = "default"

user = typer.Typer(help="Say who may use Stemma, and as what.", no_args_is_help=True)
tenant = typer.Typer(help="Say for whom Stemma works apart from the others.", no_args_is_help=True)


def up(
    data: Annotated[
        Path, typer.Option("--data", envvar="STEMMA_DATA_DIR", help="Folder for all data, logs and passwords.")
    ] = DATA,
    in_process: Annotated[bool, typer.Option("--in-process", help="Run all services in one process.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port of NATS; else a free one.")] = None,
    as_json: AsJson = False,
) -> None:
    """Start NATS and every service here, and keep them running until Ctrl-C.

    The other verbs, run in the same folder, find the server by themselves.

    Example: stemma up
    """
    from stemma_cli.local.foreground import run_in_foreground

    raise typer.Exit(run_in_foreground(data, in_process=in_process, port=port, as_json=as_json))


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")] = Path("demo-output"),
    kind: Annotated[str, typer.Option("--kind", help="Whose sample to write.")] = "proposal",
    as_json: AsJson = False,
) -> None:
    """Write the shipped sample from brief to DOCX: start everything, review, export, stop.

    Needs no key and no network.

    Example: stemma demo --output demo-output
    """
    from stemma_cli.local.foreground import run_demo

    raise typer.Exit(run_demo(output, kind, as_json=as_json))


@user.command("add", cls=Verb)
def add(
    name: Name,
    role: Annotated[str, typer.Option("--role", help="reader, reviewer, author or owner.")],
    data: Data = DATA,
    tenant: Tenant = TENANT,
    admitted: AdmittedFolder = None,
    url: Url = None,
    output: LoginFile = None,
    as_json: AsJson = False,
) -> None:
    """Admit a person, and write the login to be handed over.

    Readers see everything of their tenant, reviewers decide as well, authors also ask for documents and write, owners
    also pause, resume and cancel. It counts at once.

    Example: stemma user add ada --role reviewer
    """
    from stemma_cli.local import people as tasks

    place = tasks.Place(data, admitted, tenant, url)
    run_offline(partial(tasks.add, place, name, role, output, as_json=as_json))


@user.command("list", cls=Verb)
def list_people(
    data: Data = DATA, tenant: Tenant = TENANT, admitted: AdmittedFolder = None, as_json: AsJson = False
) -> None:
    """List the people of a tenant with their roles.

    Example: stemma user list
    """
    from stemma_cli.local import people as tasks

    run_offline(partial(tasks.list_all, tasks.Place(data, admitted, tenant), as_json=as_json))


@user.command("remove", cls=Verb)
def remove(
    name: Name,
    data: Data = DATA,
    tenant: Tenant = TENANT,
    admitted: AdmittedFolder = None,
    as_json: AsJson = False,
) -> None:
    """Admit a person no more, and cut off at once. What the person decided stays.

    Example: stemma user remove ada
    """
    from stemma_cli.local import people as tasks

    run_offline(partial(tasks.remove, tasks.Place(data, admitted, tenant), name, as_json=as_json))


@user.command("rotate", cls=Verb)
def rotate(
    name: Name,
    data: Data = DATA,
    tenant: Tenant = TENANT,
    admitted: AdmittedFolder = None,
    url: Url = None,
    output: LoginFile = None,
    as_json: AsJson = False,
) -> None:
    """Give a person new keys: the login there was admits nobody any more.

    Example: stemma user rotate ada
    """
    from stemma_cli.local import people as tasks

    place = tasks.Place(data, admitted, tenant, url)
    run_offline(partial(tasks.rotate, place, name, output, as_json=as_json))


@tenant.command("add", cls=Verb)
def add_tenant(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One word of letters, digits, _ and -.")],
    data: Data = DATA,
    as_json: AsJson = False,
) -> None:
    """Serve one more tenant, which sees nothing of the others. Where Stemma runs, everybody stays at work.

    Example: stemma tenant add garden
    """
    from stemma_cli.local import tenants as tasks

    run_offline(partial(tasks.add, data, name, as_json=as_json))


@tenant.command("list", cls=Verb)
def list_tenants(data: Data = DATA, as_json: AsJson = False) -> None:
    """List the tenants, and which are served now.

    Example: stemma tenant list
    """
    from stemma_cli.local import tenants as tasks

    run_offline(partial(tasks.list_all, data, as_json=as_json))


VERBS = {"demo": demo, "up": up}
GROUPS = {"tenant": tenant, "user": user}
