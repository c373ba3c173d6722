"""Connections that reach only what a webhook may reach.

A name is resolved once, and the connection is made to the address that was looked at: one that answers differently the
second time is not asked a second time.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import httpcore

from .base import NotSent, Refused

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
_PLAIN, _PRIVATE = "http is for allowed networks alone", "its address is not public, and in no allowed network"
_NAT64 = IPv6Network("64:ff9b::/96")


class Guard(httpcore.AsyncNetworkBackend):
    """Connects to public addresses and to ``allowed`` networks; with ``plain`` to these networks alone."""

    def __init__(self, allowed: Sequence[Network], *, plain: bool) -> None:
        self._allowed = allowed
        self._plain = plain
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (as the library calls it)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Resolve and connect; raises `Refused` for an address that may not be reached."""
        address = await self.resolved(host, port)
        return await self._network.connect_tcp(str(address), port, timeout, local_address, socket_options)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 (as the library calls it)
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise Refused("no web address")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def resolved(self, host: str, port: int) -> Address:
        """The first address of a name; raises `Refused` if one of them may not be reached, `NotSent` if it has none."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            raise NotSent("its name is not known") from None
        addresses = [ip_address(str(info[4][0]).partition("%")[0]) for info in found]
        if not addresses or not all(map(self._may_be_reached, addresses)):
            raise Refused(f"{_PLAIN if self._plain else _PRIVATE} (allowed_networks of the notifier)")
        return addresses[0]

    def _may_be_reached(self, address: Address) -> bool:
        meant = _meant(address)
        if any(meant in network for network in self._allowed):
            return True
        return not self._plain and is_public(meant)


def is_public(address: Address) -> bool:
    """Whether an address is one of the internet, and of one machine."""
    return address.is_global and not address.is_multicast and not address.is_reserved


def _meant(address: Address) -> Address:
    """The IPv4 address in an IPv6 one that stands for it."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
