"""Who a person is at a server."""

from __future__ import annotations

import asyncio
from pathlib import Path

from stemma_client.client import Client
from stemma_client.logins import Login, login_file, read_login, write_login

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.output import say, say_json


def log_in(*, file: Path, as_json: bool) -> None:
    """Keep a login that the server admits."""
    login = read_login(file)
    asyncio.run(_be_admitted(file))
    write_login(login_file(), login)
    _tell(login, as_json)


async def _be_admitted(file: Path) -> None:
    async with Client.connect(login=file) as client:
        await client.documents()


def tell(*, as_json: bool) -> None:
    """Who one is."""
    _tell(_kept(), as_json)


def log_out(*, as_json: bool) -> None:
    """Forget who one is."""
    login = _kept()
    login_file().unlink()
    if as_json:
        say_json({"forgotten": login.person})
    else:
        say(f"{login.person} is logged out")


def _kept() -> Login:
    if not login_file().exists():
        raise CliError(ExitCode.FAILED, "nobody is logged in here", "log in with `stemma login FILE`")
    return read_login(login_file())


def _tell(login: Login, as_json: bool) -> None:
    told = {name: getattr(login, name) for name in ("person", "role", "tenant", "url")}
    if as_json:
        say_json(told)
    else:
        say("{person} is {role} of {tenant} at {url}".format(**told))
