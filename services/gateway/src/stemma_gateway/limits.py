"""Bounds on how often one caller may ask this process."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Network, ip_address

from .problems import TooMany

ONE_NETWORK = 64
"""Bits of an IPv6 address that say whose it is; the others are as many addresses as one likes."""
FORGET_FROM = 10_000
"""Callers that are remembered, before those who have asked for nothing in a while are forgotten."""


def counted_as(host: str) -> str:
    """Whose attempts are counted as one: those of an IPv4 address, and those of an IPv6 network of 64 bits."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((address, ONE_NETWORK), strict=False))


@dataclass
class _Bucket:
    left: float
    as_of: float


class RateLimit:
    """So many requests in a second for each caller, and so many at once: a bucket that is filled evenly."""

    def __init__(self, name: str, per_s: float, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._per_s = per_s
        self._at_once = at_once
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, caller: str) -> None:
        """Count a request; raises `TooMany`."""
        self.check(caller).left -= 1

    def check(self, caller: str) -> _Bucket:
        """What a caller has left; raises `TooMany` if that is no whole request."""
        now = self._clock()
        if len(self._buckets) >= FORGET_FROM:
            self._buckets = {name: b for name, b in self._buckets.items() if self._filled(b, now) < self._at_once}
        bucket = self._buckets.setdefault(caller, _Bucket(self._at_once, now))
        bucket.left, bucket.as_of = self._filled(bucket, now), now
        if bucket.left < 1:
            again_s = math.ceil((1 - bucket.left) / self._per_s)
            raise TooMany("more requests than one caller may make", self._name, again_s)
        return bucket

    def _filled(self, bucket: _Bucket, now: float) -> float:
        return min(self._at_once, bucket.left + (now - bucket.as_of) * self._per_s)
