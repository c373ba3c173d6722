"""Connecting to NATS: as one user, for ever, and never in silence when something is forbidden."""

import asyncio
import re
from contextlib import suppress
from functools import partial
from ssl import SSLCertVerificationError
from typing import Any

from nats.aio.client import Client
from nats.errors import AuthorizationError
from nats.errors import Error as NatsError
from stemma_contracts.connections import servers_in, without_credentials
from stemma_telemetry import get_logger, names

from .cancellation import raise_if_cancelled
from .errors import BusFailed
from .settings import ServiceSettings

RECONNECT_WAIT_S = 0.5
CLOSE_TIMEOUT_S = 2
HANDSHAKE_WITHIN_S = 5.0
_FORBIDDEN = re.compile(r'permissions violation for (\w+) to "([^"]+)"', re.IGNORECASE)


class ConnectionMonitor:
    """Sees what happens to connections; `failure` is done once the process must end."""

    def __init__(self) -> None:
        self.failure: asyncio.Future[BusFailed] = asyncio.get_running_loop().create_future()
        self._closing = False
        self._told = False

    def expect_close(self) -> None:
        """From now on a closed connection is what we want."""
        self._closing = True

    def fail(self, reason: str) -> None:
        """End the process for this reason, unless there is an earlier one."""
        if not self.failure.done():
            self.failure.set_result(BusFailed(reason))

    async def on_error(self, error: Exception, servers: str = "") -> None:
        """A forbidden subject shows nowhere else; what waits for it would wait for ever."""
        forbidden = _FORBIDDEN.search(str(error))
        if forbidden:
            action, subject = forbidden.groups()
            get_logger().error(names.Log.PERMISSION_DENIED, action=action.lower(), subject=subject)
            self.fail(f"{action.lower()} to {subject} is not permitted")
        elif isinstance(error, AuthorizationError) or "authorization violation" in str(error).lower():
            self.fail("the server refuses user, password or key")
        elif isinstance(error, SSLCertVerificationError):
            self.fail(f"the certificate of the server is not trusted: {error.verify_message}")
        elif isinstance(error, OSError) and not self._told:
            self._told = True
            get_logger().warning(names.Log.SERVER_UNREACHABLE, server=servers, reason="no connection yet; trying on")

    async def on_disconnected(self) -> None:
        """The client reconnects by itself."""
        self._told = True
        if not self._closing:
            get_logger().warning(names.Log.CONNECTION_LOST)

    async def on_reconnected(self) -> None:
        """Subscriptions are back as well."""
        get_logger().info(names.Log.CONNECTION_RESTORED)

    async def on_closed(self) -> None:
        """The client gave up: loops over a closed connection would spin."""
        if not self._closing:
            self.fail("the connection was closed")


def _who(settings: ServiceSettings) -> dict[str, Any]:
    if settings.nats_seed_file:
        return {"nkeys_seed": str(settings.nats_seed_file)}
    password = settings.nats_password.get_secret_value() if settings.nats_password else None
    return {"user": settings.nats_user, "password": password}


def connect_options(settings: ServiceSettings, service: str, monitor: ConnectionMonitor) -> dict[str, Any]:
    """The options of `nats.connect` for a service."""
    user = settings.nats_user
    return {
        "servers": servers_in(settings.nats_url),
        **_who(settings),
        **settings.tls_options(),
        "name": service,
        "inbox_prefix": f"_INBOX_{user}" if user else "_INBOX",
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": RECONNECT_WAIT_S,
        "error_cb": partial(monitor.on_error, servers=without_credentials(settings.nats_url)),
        "disconnected_cb": monitor.on_disconnected,
        "reconnected_cb": monitor.on_reconnected,
        "closed_cb": monitor.on_closed,
    }


async def connected(settings: ServiceSettings, service: str, monitor: ConnectionMonitor) -> Client:
    """A connection, once the server is there; raises `BusFailed` if it refuses the credentials."""
    connecting = asyncio.create_task(_connected(connect_options(settings, service, monitor)))
    try:
        waiting: set[asyncio.Future[Any]] = {connecting, monitor.failure}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if monitor.failure.done():
            raise monitor.failure.result()
        return connecting.result()
    finally:
        connecting.cancel()


async def _connected(options: dict[str, Any]) -> Client:
    """nats-py does not come back from a handshake that failed, so that it is begun anew."""
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(HANDSHAKE_WITHIN_S if "tls" in options else None):
                client = Client()
                await client.connect(**options)
                return client


async def close(client: Client) -> None:
    """Send what is buffered, then close. Not ``drain``: it waits for status messages that a fetch left unmarked.

    Of a connection that is being renewed nats-py cancels what it waits for itself: nobody cancelled the caller.
    """
    with suppress(NatsError, OSError):
        await client.flush(CLOSE_TIMEOUT_S)
    try:
        await client.close()
    except asyncio.CancelledError:
        raise_if_cancelled()
