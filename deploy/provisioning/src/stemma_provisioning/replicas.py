"""On how many servers each stream is kept with its consumers, and whether all of them have it.

Replicas are raised when asked for, and lowered only when that is asked for by name. A stream that was just raised is
still on one server: if this one goes before the others have caught up, nobody has it until it comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import ConsumerInfo, PeerInfo, StreamConfig, StreamInfo
from nats.js.errors import APIError, NotFoundError, ServiceUnavailableError

from .bounds import BadBound

VARIABLE = "STEMMA_REPLICAS"
MOST = 5
POLL_S = 0.1
HEARD_WITHIN_NS = 5_000_000_000
TOGETHER_WITHIN_S = 30.0
_NOT_TOGETHER_YET = frozenset({10004, 10005, 10008, 10009})
"""What servers say without a leader, and where there are too few of them for what is asked."""
T = TypeVar("T")
Info = StreamInfo | ConsumerInfo
Look = Callable[[], Awaitable[Info]]


@dataclass(frozen=True)
class Replicas:
    """How many are asked for; ``may_lower`` where there are more already."""

    number: int = 1
    may_lower: bool = False

    @classmethod
    def of(cls, environ: Mapping[str, str], *, may_lower: bool = False) -> Replicas:
        """As many as the environment says; raises `BadBound`."""
        text = environ.get(VARIABLE) or "1"
        if not text.isdecimal() or not 1 <= int(text) <= MOST:
            raise BadBound(f"{VARIABLE} must be a number from 1 to {MOST}")
        return cls(int(text), may_lower)

    def of_stream(self, found: StreamConfig) -> int:
        there = found.num_replicas or 1
        return self.number if self.may_lower else max(self.number, there)


ONE = Replicas()


@dataclass(frozen=True)
class Unsettled:
    """A stream or a consumer that not all its servers have; without a ``leader`` nobody can use it."""

    name: str
    leader: bool
    wanted: int
    in_step: int


async def unsettled(looks: Mapping[str, Look], number: int) -> list[Unsettled]:
    """Which of these streams and consumers fewer than ``number`` servers have; what is not there is left out."""
    found = await asyncio.gather(*(_unsettled(name, look, number) for name, look in looks.items()))
    return [one for one in found if one]


async def settle(looks: Mapping[str, Look], number: int, within_s: float) -> Sequence[Unsettled]:
    """Wait until ``number`` servers have each of them; those that they do not have in time."""
    left, deadline = dict(looks), asyncio.get_running_loop().time() + within_s
    while found := await unsettled(left, number):
        if asyncio.get_running_loop().time() > deadline:
            return found
        left = {one.name: looks[one.name] for one in found}
        await asyncio.sleep(POLL_S)
    return ()


async def _unsettled(name: str, look: Look, number: int) -> Unsettled | None:
    try:
        info = await look()
    except (NotFoundError, ServiceUnavailableError, NoRespondersError):
        return None  # it, or its account, is not there
    except NatsError:
        return Unsettled(name, False, number, 0)
    if info.cluster is None:
        return None  # a single server
    in_step = sum(map(_is_in_step, info.cluster.replicas or [])) + (info.cluster.leader is not None)
    leader = info.cluster.leader is not None
    return None if leader and in_step >= number else Unsettled(name, leader, number, in_step)


def _is_in_step(peer: PeerInfo) -> bool:
    """A server that was killed counts as one that has everything until something is written, or for ten seconds."""
    return bool(peer.current and not peer.offline and (peer.active or 0) < HEARD_WITHIN_NS)


async def patiently(call: Callable[[], Awaitable[T]]) -> T:
    """Call once servers that start have found each other, and one of them leads; raises all else that it raises."""
    deadline = asyncio.get_running_loop().time() + TOGETHER_WITHIN_S
    while True:
        try:
            return await call()
        except NatsError as error:
            if not _will_pass(error) or asyncio.get_running_loop().time() > deadline:
                raise
            await asyncio.sleep(POLL_S)


def _will_pass(error: Exception) -> bool:
    if isinstance(error, APIError):
        return error.err_code in _NOT_TOGETHER_YET
    return isinstance(error, NatsTimeoutError)
