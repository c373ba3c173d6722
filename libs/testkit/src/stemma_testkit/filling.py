"""Streams that have no room, as on a full disk: the server refuses every message until the block ends."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from nats.aio.client import Client
from nats.js.api import StreamConfig

API_TIMEOUT_S = 10.0


@asynccontextmanager
async def full(client: Client, streams: Sequence[str]) -> AsyncIterator[None]:
    """No room in these streams; what lies in them stays."""
    js = client.jetstream(timeout=API_TIMEOUT_S)
    before = [(await js.stream_info(name)).config for name in streams]
    for config in before:
        # A value would make room for the next one of its key.
        values = (config.max_msgs_per_subject or 0) > 0
        await _limit(client, config, {"discard": "new", "max_bytes": 1, "discard_new_per_subject": values})
    try:
        yield
    finally:
        for config in before:
            await _limit(client, config, {})


async def _limit(client: Client, config: StreamConfig, limits: dict[str, Any]) -> None:
    body = json.dumps({**config.as_dict(), **limits}).encode()
    reply = await client.request(f"$JS.API.STREAM.UPDATE.{config.name}", body, timeout=API_TIMEOUT_S)
    assert "error" not in json.loads(reply.data), reply.data
