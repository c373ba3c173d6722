"""A connection of those who look after an installation: the operator, or the provisioner."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import nats
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoServersError
from stemma_client.logins import is_refusal
from stemma_client.settings import URL_VARIABLE, USER_VARIABLE, ServerAddress, find_server
from stemma_contracts.connections import servers_in
from stemma_provisioning import PROVISIONER, inbox_prefix
from stemma_provisioning.permissions import OPERATOR

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.local.folder import DamagedPasswordsError, DataFolder

CONNECT_WITHIN_S = 5


def address_of(user: str, data: Path, environ: Mapping[str, str] = os.environ) -> ServerAddress:
    """Where a user connects to and by what: the environment says so, else the folder of ``stemma up``.

    A password of the folder never goes to another server than the folder's. Raises `CliError`.
    """
    if environ.get(USER_VARIABLE) == user:
        return find_server(environ={**environ, "STEMMA_DATA_DIR": str(data)})
    folder = DataFolder(data)
    if environ.get(URL_VARIABLE) or not folder.state_file.exists():
        raise _unknown(user, data)
    try:
        password = folder.passwords().get(user)
    except DamagedPasswordsError as error:
        raise CliError(ExitCode.FAILED, str(error)) from None
    if password is None:
        raise CliError(ExitCode.FAILED, f"{data} has no password of {user}", "start `stemma up` there again")
    return find_server(json.loads(folder.state_file.read_text())["url"], user=user, password=password, environ={})


def _unknown(user: str, data: Path) -> CliError:
    words = f"this is for {user}, and nothing says by which password"
    return CliError(
        ExitCode.USAGE,
        words,
        f"go to the folder of `stemma up` while it runs (not {data}), or set {URL_VARIABLE}, "
        f"{USER_VARIABLE}={user} and STEMMA_NATS_PASSWORD",
    )


def connected_as(user: str, data: Path) -> AbstractAsyncContextManager[Client]:
    """A connection as this user, by what environment or folder say; raises as `connected_to` and `address_of` do."""
    return connected_to(replace(address_of(user, data), user=user))


@asynccontextmanager
async def connected_to(address: ServerAddress) -> AsyncIterator[Client]:
    """A connection; raises `CliError` where the server is not there, or refuses or forbids something."""
    told = list[Exception]()

    async def tell(error: Exception) -> None:
        told.append(error)

    try:
        connection = await _connect(address, tell)
    except (NatsError, OSError, TimeoutError) as error:
        raise _no_connection(address, [*told, error]) from None
    try:
        yield connection
    except NatsError as error:
        if forbidden := [str(each) for each in told if "permissions violation" in str(each).lower()]:
            raise CliError(ExitCode.FAILED, f"the server forbids this to {address.user}: {forbidden[0]}") from None
        raise CliError(ExitCode.FAILED, f"the server: {error or type(error).__name__}") from None
    finally:
        with suppress(NatsError):
            await connection.close()


def as_operator(data: Path) -> AbstractAsyncContextManager[Client]:
    return connected_as(OPERATOR, data)


def as_provisioner(data: Path) -> AbstractAsyncContextManager[Client]:
    return connected_as(PROVISIONER, data)


async def _connect(address: ServerAddress, tell: object) -> Client:
    user = address.user or ""
    who = {"nkeys_seed_str": address.seed} if address.seed else {"user": user, "password": address.password}
    return await nats.connect(
        servers_in(address.url),
        **who,
        **address.tls,
        inbox_prefix=inbox_prefix(user),
        allow_reconnect=False,
        connect_timeout=CONNECT_WITHIN_S,
        error_cb=tell,
    )


def _no_connection(address: ServerAddress, errors: list[Exception]) -> CliError:
    if any(map(is_refusal, errors)):
        return CliError(
            ExitCode.FAILED,
            f"the server at {address.shown} refuses {address.user}",
            "is its password right, and was the server's configuration read again since this release?",
        )
    if isinstance(errors[-1], (NoServersError, OSError, TimeoutError)):
        hint = f"start one with `stemma up`, or set {URL_VARIABLE}"
        return CliError(ExitCode.NO_SERVER, f"no NATS server answers at {address.shown}", hint)
    return CliError(ExitCode.FAILED, f"{address.shown}: {errors[-1]}")
