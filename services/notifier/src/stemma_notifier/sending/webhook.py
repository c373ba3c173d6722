"""Signed webhooks, as Standard Webhooks has them."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import ssl
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpcore
from stemma_contracts.v1.notifications import SECRET_PREFIX

from stemma_notifier.notices import NONE, Notice

from .base import NotSent, Refused
from .guard import Guard, Network

GONE = 410
HTTPS = 443
SENT = range(200, 300)


def signature(secret: str, notice_id: str, timestamp: int, body: bytes) -> str:
    """The signature of a webhook; the receiver computes the same from the secret that it was given."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = hmac.new(key, f"{notice_id}.{timestamp}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(signed.digest()).decode()}"


def body_of(notice: Notice, links: Mapping[str, str] = NONE) -> bytes:
    """What a webhook says: what happened, when, and to what, and where somebody can decide."""
    data: dict[str, Any] = notice.model_dump(
        mode="json", exclude_none=True, exclude={"notice_id", "owner", "happened_at", "occasion"}
    )
    if links:
        data["links"] = dict(links)
    told = {"type": f"stemma.{notice.occasion}", "timestamp": notice.happened_at.isoformat(), "data": data}
    return json.dumps(told, ensure_ascii=False).encode()


class Webhook:
    """Sends notices to web addresses, each over a connection of its own."""

    def __init__(self, allowed: Sequence[Network], limit_s: float, trust: ssl.SSLContext) -> None:
        self._allowed = allowed
        self._limit_s = limit_s
        self._trust = trust

    async def check(self, url: str) -> None:
        """Look whether an address may be reached, without a connection; raises as `send` does."""
        parts = urlsplit(url)
        try:
            async with asyncio.timeout(self._limit_s):
                await self._guard(url).resolved(parts.hostname or "", parts.port or HTTPS)
        except TimeoutError:
            raise NotSent(f"its name was not found within {self._limit_s:g} s") from None

    async def send(self, url: str, secret: str, notice: Notice, links: Mapping[str, str] = NONE) -> str:
        """Send a notice; returns the status of the answer. Raises `NotSent`, and `Refused` where it is of no use."""
        body, timestamp = body_of(notice, links), int(time.time())
        headers = {
            "content-type": "application/json",
            "user-agent": "Stemma",
            "webhook-id": notice.notice_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret, notice.notice_id, timestamp, body),
        }
        try:
            async with asyncio.timeout(self._limit_s):
                status = await self._posted(url, headers, body)
        except TimeoutError:
            raise NotSent(f"no answer within {self._limit_s:g} s") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError) as error:
            raise NotSent(type(error).__name__) from None
        return _taken(status)

    async def _posted(self, url: str, headers: dict[str, str], body: bytes) -> int:
        """The status alone: nothing else of the answer is read, and no redirect is followed."""
        async with (
            httpcore.AsyncConnectionPool(ssl_context=self._trust, network_backend=self._guard(url)) as pool,
            pool.stream("POST", url, headers=list(headers.items()), content=body) as answer,
        ):
            return int(answer.status)

    def _guard(self, url: str) -> Guard:
        return Guard(self._allowed, plain=urlsplit(url).scheme != "https")


def _taken(status: int) -> str:
    if status == GONE:
        raise Refused(f"HTTP {status}")
    if status not in SENT:
        raise NotSent(f"HTTP {status}")
    return f"HTTP {status}"
