"""Verbs by which a person says who it is."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.lookup import AsJson
from stemma_cli.output import reply, say, say_json
from stemma_cli.runtime import connected

if TYPE_CHECKING:
    from stemma_client.logins import Login


async def login(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The login that `stemma user add` made.")] = None,
    as_json: AsJson = False,
) -> None:
    """Be the person of a login from now on, or tell who one is.

    The server is asked whether it admits the person; then the login is kept where no other user of this machine can
    read it. What is decided is told in the history under this name.

    Example: stemma login ada.login
    """
    from stemma_client.client import Client
    from stemma_client.logins import login_file, read_login, write_login

    known = read_login(file) if file else _kept()
    if file:
        async with Client.connect(login=file) as client:
            await client.documents()
        write_login(login_file(), known)
    told = {name: getattr(known, name) for name in ("person", "role", "tenant", "url")}
    reply(told, "{person} is {role} of {tenant} at {url}".format(**told), as_json=as_json)


def logout(as_json: AsJson = False) -> None:
    """Forget the login of this machine; whoever has the file may still log in by it.

    Example: stemma logout
    """
    from stemma_client.logins import login_file

    known = _kept()
    login_file().unlink()
    reply({"forgotten": known.person}, f"{known.person} is logged out", as_json=as_json)


def token(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A login; else whoever is logged in, or this program.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the bearer token by which the gateway knows one.

    It is as secret as the login or the password that it is made of, and good for as long.

    Example: stemma token ada.login
    """
    from stemma_client.bearer import bearer_of
    from stemma_client.settings import find_server

    printed = bearer_of(find_server(login=file))
    reply({"token": printed}, printed, as_json=as_json)


def _kept() -> Login:
    from stemma_client.logins import login_file, read_login

    if not login_file().exists():
        raise CliError(ExitCode.FAILED, "nobody is logged in here", "log in with `stemma login FILE`")
    return read_login(login_file())


def desk(
    document: Annotated[
        str | None, typer.Argument(metavar="[DOC]", help="The id of a document; else the inbox.")
    ] = None,
    gateway: Annotated[
        str | None,
        typer.Option(
            "--gateway", envvar="STEMMA_GATEWAY_PUBLIC_URL", help="Address of the gateway; else that of `stemma up`."
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, and open nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open the review desk in a browser, signed in as whoever runs this.

    Where no browser is, the address is printed: it is good once, for a minute.

    Example: stemma desk
    """
    import webbrowser

    from stemma_client.bearer import bearer_of
    from stemma_client.settings import find_server

    from stemma_cli.local.desk import gateway_at, link_to

    address = link_to(gateway_at(gateway), bearer_of(find_server()), f"/desk/documents/{document}" if document else "")
    if as_json:
        say_json({"address": address})
    elif no_browser or not webbrowser.open(address):
        say(address)


async def mcp(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the tools with their schemas, and serve nobody.")
    ] = False,
    profile: Annotated[
        Literal["short", "full"], typer.Option("--profile", help="The tools for most work, or all.")
    ] = "short",
) -> None:
    """Serve an agent over MCP on stdin and stdout, in the name of whoever runs this.

    A program that has agents starts it; see `docs/agents.md`. It ends with its input. Tools that your role may not use
    are left out.

    Example: stemma mcp
    """
    from stemma_mcp import Profile, build_server, listed_tools

    chosen = Profile(profile)
    async with connected() as client:
        if as_json:
            say_json(listed_tools(chosen, client.role))
        else:
            await build_server(lambda _: nullcontext(client), lambda _: chosen).run_stdio_async()
