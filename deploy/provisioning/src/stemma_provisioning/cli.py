"""The command ``stemma-provision``: make the server look like the topology, or tell where it does not."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence

import nats
from stemma_contracts.tokens import check_token

from .permissions import PROVISIONER, inbox_prefix
from .provision import check, provision
from .topology import ACK_WAIT_S, DEFAULT_TENANTS

CONNECT_ATTEMPTS = 10


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command. The password comes from ``STEMMA_NATS_PASSWORD``."""
    sys.exit(asyncio.run(_run(_arguments(argv))))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="stemma-provision", description=__doc__)
    environment = os.environ
    parser.add_argument("--server", default=environment.get("STEMMA_NATS_URL", "nats://127.0.0.1:4222"))
    parser.add_argument("--user", default=environment.get("STEMMA_NATS_USER", PROVISIONER))
    parser.add_argument("--tenant", dest="tenants", action="append", type=_tenant, help="may be given several times")
    parser.add_argument("--ack-wait", type=float, default=ACK_WAIT_S, help="seconds")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 and list what differs")
    return parser.parse_args(argv)


def _tenant(text: str) -> str:
    return check_token(text, "tenant")


async def _run(arguments: argparse.Namespace) -> int:
    connection = await nats.connect(
        arguments.server,
        user=arguments.user,
        password=os.environ.get("STEMMA_NATS_PASSWORD"),
        inbox_prefix=inbox_prefix(arguments.user),
        max_reconnect_attempts=CONNECT_ATTEMPTS,
    )
    try:
        js = connection.jetstream(timeout=10)
        tenants = arguments.tenants or DEFAULT_TENANTS
        if not arguments.check:
            await provision(js, tenants, arguments.ack_wait)
        drifts = await check(js, tenants, arguments.ack_wait)
    finally:
        await connection.close()
    for drift in drifts:
        print(drift, file=sys.stderr)
    return 1 if drifts else 0
