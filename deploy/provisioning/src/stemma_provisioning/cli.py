"""The command ``stemma-provision``: make the server look like the topology, or tell where it does not."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import nats
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError, NoServersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import NotFoundError, ServiceUnavailableError
from stemma_contracts import connections, subjects
from stemma_contracts.tokens import check_token

from .bounds import BadBound, Bounds
from .copies import mend_copies
from .moving import NotSaved, is_restoring, load, save
from .permissions import PROVISIONER, inbox_prefix
from .provision import LOOK_TIMEOUT_S, Drift, behind, check, leaderless, provision, repair
from .replicas import Replicas, patiently
from .topology import ACK_WAIT_S, DEFAULT_TENANTS, LONGER_ACK_WAIT_S

RECONNECT_WAIT_S = 0.25
ATTEMPTS_TO_CHECK = 4
ATTEMPTS_TO_PROVISION = 40
"""Whoever provisions has often just started the server, and it may have to read its streams first."""
REFUSED = "authorization violation"
EXIT_DIFFERS = 1
EXIT_UNUSABLE = 2


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command.

    The password comes from ``STEMMA_NATS_PASSWORD``, or the secret key from ``STEMMA_NATS_SEED_FILE``; the certificates
    from the variables of `stemma_contracts.connections`, the bounds of tenants from those of `Bounds`.
    """
    sys.exit(asyncio.run(_run(_arguments(argv))))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="stemma-provision", description=__doc__)
    environment = os.environ
    parser.add_argument(
        "--server",
        type=_servers,
        default=environment.get("STEMMA_NATS_URL", "nats://127.0.0.1:4222"),
        help="STEMMA_NATS_URL by default; several with commas between",
    )
    parser.add_argument("--user", default=environment.get("STEMMA_NATS_USER", PROVISIONER))
    parser.add_argument("--tenant", dest="tenants", action="append", type=_tenant, help="may be given several times")
    parser.add_argument(
        "--ack-wait",
        type=float,
        metavar="SECONDS",
        help="without a sign of life until a message is delivered again; by default "
        f"{ACK_WAIT_S:g}, and {LONGER_ACK_WAIT_S:g} with STEMMA_REPLICAS above 1 and for jobs that may take minutes",
    )
    parser.add_argument(
        "--lower-replicas",
        action="store_true",
        help="take streams off servers where there are more than STEMMA_REPLICAS says",
    )
    _add_tasks(parser.add_mutually_exclusive_group())
    arguments = parser.parse_args(argv)
    try:
        replicas = Replicas.of(environment, may_lower=arguments.lower_replicas)
        settings = {"bounds": Bounds.of(environment), "tls": connections.tls_of(environment), "replicas": replicas}
    except (BadBound, connections.BadCertificates) as error:
        parser.error(str(error))
    return argparse.Namespace(**vars(arguments), **settings)


def _add_tasks(tasks: argparse._MutuallyExclusiveGroup) -> None:
    """What is done instead of making everything as it should be, or before it."""
    tasks.add_argument(
        "--copies",
        action="store_true",
        help="change nothing but the copies that tenants read: make those anew that lack messages, as they can after a "
        "server of several was lost, and tell which; may be run again and again, and does nothing during a restore",
    )
    tasks.add_argument(
        "--repair",
        action="store_true",
        help="first take away consumers and copies that have no leader: they are made anew",
    )
    tasks.add_argument(
        "--check",
        action="store_true",
        help="change nothing; exit 1 and list what differs, exit 2 without a usable server",
    )
    tasks.add_argument(
        "--save", type=Path, metavar="FOLDER", help="change nothing; write all streams to a folder that is new"
    )
    tasks.add_argument("--load", type=Path, metavar="FOLDER", help="first make all streams that were saved there")


def _servers(text: str) -> str:
    try:
        return connections.check_servers(text)
    except connections.InvalidServers as error:
        raise argparse.ArgumentTypeError(f"{error} (or STEMMA_NATS_URL)") from None


def _tenant(text: str) -> str:
    return check_token(text, "tenant")


async def _run(arguments: argparse.Namespace) -> int:
    told: list[Exception] = []
    try:
        drifts = await _drifts(arguments, told)
    except (NotSaved, FileExistsError) as error:
        print(f"stemma-provision: {error}", file=sys.stderr)
        return EXIT_UNUSABLE
    except (NatsError, TimeoutError) as error:
        print(f"stemma-provision: {_why([*told, error], arguments)}", file=sys.stderr)
        return EXIT_UNUSABLE
    for drift in drifts:
        print(drift, file=sys.stderr)
    return EXIT_DIFFERS if drifts else 0


async def _drifts(arguments: argparse.Namespace, told: list[Exception]) -> list[Drift]:
    """What differs in the end; ``told`` gets what the connection tells meanwhile."""

    async def tell(error: Exception) -> None:
        told.append(error)
        if REFUSED in str(error).lower():
            raise error  # it would be refused as often as it is tried

    attempts = ATTEMPTS_TO_CHECK if arguments.check or arguments.copies else ATTEMPTS_TO_PROVISION
    # nats-py does not come back from a handshake that failed.
    async with asyncio.timeout(attempts * RECONNECT_WAIT_S if arguments.tls else None):
        connection = await nats.connect(
            connections.servers_in(arguments.server),
            **_who(arguments.user),
            **arguments.tls,
            inbox_prefix=inbox_prefix(arguments.user),
            max_reconnect_attempts=attempts,
            reconnect_time_wait=RECONNECT_WAIT_S,
            error_cb=tell,
        )
    try:
        return await _seen_to(connection, arguments)
    finally:
        await connection.close()


async def _seen_to(connection: Client, arguments: argparse.Namespace) -> list[Drift]:
    tenants = _tenants(arguments)
    if arguments.save:
        print(f"saved: {', '.join(await save(connection, arguments.save, tenants))}")
        return []
    if arguments.load:
        await patiently(connection.jetstream(timeout=LOOK_TIMEOUT_S).account_info)
        print(f"loaded: {', '.join(await load(connection, arguments.load, tenants, arguments.replicas.number))}")
    if arguments.copies:
        return await _mend_copies(connection, tenants)
    wanted = (tenants, arguments.ack_wait, arguments.bounds, arguments.replicas)
    if not arguments.check:
        if arguments.repair:
            for name in await repair(connection, tenants):
                print(f"{name}: nobody led it, it is made anew")
        if lost := await leaderless(connection, tenants):
            return lost
        await provision(connection, *wanted)
    return await check(connection, *wanted)


async def _mend_copies(connection: Client, tenants: Sequence[str]) -> list[Drift]:
    """What kept copies from being made anew: while a server is missing, one that is taken away could not be made."""
    replicas = await _kept_on(connection)
    if await is_restoring(connection):
        print("a backup is being restored: copies are left as they are")
        return []
    if missing := await behind(connection, tenants, replicas):
        return missing
    try:
        made = await mend_copies(connection, tenants, replicas)
    except NatsTimeoutError:  # a server that was killed seems to be there for some seconds
        if missing := await behind(connection, tenants, replicas):
            return missing
        raise
    for copy in made:
        print(f"made anew: {copy}")
    return []


async def _kept_on(connection: Client) -> Replicas:
    """On how many servers the log is kept, whatever the environment says; one where it is not, or nobody leads it."""
    js = connection.jetstream(timeout=LOOK_TIMEOUT_S)
    await patiently(js.account_info)
    try:
        log = await patiently(partial(js.stream_info, subjects.EVENTS))
    except (NotFoundError, NatsTimeoutError):
        return Replicas()
    return Replicas(log.config.num_replicas or 1)


def _who(user: str) -> dict[str, str | None]:
    """What shows who connects: a secret key where there is one, else a password."""
    if seed_file := os.environ.get("STEMMA_NATS_SEED_FILE"):
        return {"nkeys_seed": seed_file}
    return {"user": user, "password": os.environ.get("STEMMA_NATS_PASSWORD")}


def _tenants(arguments: argparse.Namespace) -> Sequence[str]:
    return arguments.tenants or DEFAULT_TENANTS


def _why(errors: Sequence[Exception], arguments: argparse.Namespace) -> str:
    server = connections.without_credentials(arguments.server)
    words = " ".join(map(str, errors)).lower()
    if REFUSED in words:
        return f"the server at {server} refuses {arguments.user}: see to --user and STEMMA_NATS_PASSWORD"
    if "permissions violation" in words:
        return f"the server at {server} forbids this to {arguments.user}: be {PROVISIONER}, or see to its permissions"
    if isinstance(errors[-1], (ServiceUnavailableError, NoRespondersError)):
        return f"the server at {server} has no account for {', '.join(_tenants(arguments))}: see to its configuration"
    if "certificate" in words or "ssl" in words:
        return f"no encrypted connection with the server at {server}: see to {connections.CA_VARIABLE}"
    if isinstance(errors[-1], NatsTimeoutError):
        return f"the server at {server} does not answer in time: see whether it has a leader, and try again"
    if isinstance(errors[-1], (NoServersError, TimeoutError)):
        return f"no NATS server answers at {server}: start it, or name another by --server or STEMMA_NATS_URL"
    return f"{server}: {errors[-1]}"
