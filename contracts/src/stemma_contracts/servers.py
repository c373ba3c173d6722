"""Addresses of NATS servers, as ``STEMMA_NATS_URL`` has them: one, or several with commas between."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

SCHEMES = ("nats", "tls", "ws", "wss")
_HOST = re.compile(r"[\w.:%-]+")


class InvalidServers(ValueError):
    """What is no list of addresses; the message does not quote it, for a password may stand in it."""


def servers_in(text: str) -> list[str]:
    """The addresses, each ``host[:port]`` with or without a scheme; raises `InvalidServers`."""
    servers = text.split(",")
    if not all(map(_is_server, servers)):
        raise InvalidServers("must be an address of a NATS server, as in nats://127.0.0.1:4222")
    return servers


def check_servers(text: str) -> str:
    """Return ``text`` if it is a list of addresses; raises `InvalidServers`."""
    servers_in(text)
    return text


def without_credentials(text: str) -> str:
    """The addresses of a valid list as people may see them."""
    return ",".join(map(_without_credentials, text.split(",")))


def _without_credentials(server: str) -> str:
    scheme, separator, rest = server.rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"


def _is_server(server: str) -> bool:
    scheme, has_scheme, rest = server.rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
        named = _HOST.fullmatch(parts.hostname or "") is not None and parts.port != 0
    except ValueError:
        return False
    return named and (scheme in SCHEMES or not has_scheme)
