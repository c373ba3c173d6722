"""A message that is put into its queue anew: the same, but for the id by which the server knows it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nats.js.api import Header

from .publisher import Publisher

_AGAIN = re.compile(r"\.again(\d*)\Z")


def next_id(message_id: str) -> str:
    """The id under which a message is stored next: whoever stores it anew has the same, so that one is stored."""
    times = times_again(message_id)
    return f"{_AGAIN.sub('', message_id)}.again{times + 1 if times else ''}"


def times_again(message_id: str) -> int:
    """How often a message with this id was put into its queue anew."""
    found = _AGAIN.search(message_id)
    return int(found[1] or 1) if found else 0


def carried(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a message but those that are orders to the server."""
    return {key: value for key, value in headers.items() if not key.lower().startswith("nats-")}


async def store_again(subject: str, data: bytes, headers: Mapping[str, str], publisher: Publisher) -> None:
    """Store a message behind what waits in its queue, with all its deliveries before it."""
    known_by = {Header.MSG_ID.value: next_id(message_id)} if (message_id := headers.get(Header.MSG_ID)) else {}
    await publisher.store(subject, data, carried(headers) | known_by)
