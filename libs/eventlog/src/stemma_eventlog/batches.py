"""The batched direct get (ADR-31), which nats-py has no call for."""

import json
from typing import NamedTuple

from nats.aio.client import Client
from nats.aio.msg import Msg

_END_OF_BATCH = "204"
_NOTHING_THERE = "404"


class ReadRefused(Exception):
    """The server refused to read; ``status`` is what it said."""

    def __init__(self, status: str, description: str) -> None:
        super().__init__(f"{status} {description}")
        self.status = status


class Batch(NamedTuple):
    """Messages, the sequence that they end at, and whether there are more."""

    messages: list[Msg]
    last: int
    more: bool


async def read_batch(nats: Client, stream: str, pattern: str, after: int, most: int, within_s: float) -> Batch:
    """The next messages of a stream under a pattern; each comes within so many seconds.

    Raises `ReadRefused`, and `nats.errors.TimeoutError`.
    """
    inbox = nats.new_inbox()
    subscription = await nats.subscribe(inbox, pending_msgs_limit=-1, pending_bytes_limit=-1)
    ask = {"batch": most, "seq": after + 1, "next_by_subj": pattern}
    messages: list[Msg] = []
    try:
        await nats.publish(f"$JS.API.DIRECT.GET.{stream}", json.dumps(ask).encode(), reply=inbox)
        while True:
            message = await subscription.next_msg(timeout=within_s)
            headers = message.headers or {}
            status = headers.get("Status")
            if status is None:
                messages.append(message)
            elif status == _END_OF_BATCH:
                last = int(headers.get("Nats-Last-Sequence", after))
                return Batch(messages, last, int(headers.get("Nats-Num-Pending", 0)) > 0)
            elif status == _NOTHING_THERE:
                return Batch(messages, after, False)
            else:
                raise ReadRefused(status, headers.get("Description", ""))
    finally:
        await subscription.unsubscribe()
