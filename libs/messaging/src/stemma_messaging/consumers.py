"""The consumers of a stream that has one for each tenant; which tenants there are is told by the server alone."""

from __future__ import annotations

from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo


async def consumers_of(jetstream: JetStreamContext, stream: str) -> list[ConsumerInfo]:
    """Every consumer of a stream; the server tells 256 at a time."""
    found: list[ConsumerInfo] = []
    while page := await jetstream.consumers_info(stream, offset=len(found)):
        found += page
    return found
