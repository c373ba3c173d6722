"""What lies in a stream, read without a consumer."""

from collections.abc import AsyncIterator

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError


async def message_at(js: JetStreamContext, stream: str, sequence: int, subject: str = "") -> RawStreamMsg | None:
    """The message at a sequence; with a ``subject`` the first under it from there on."""
    try:
        return await js.get_msg(stream, seq=sequence, subject=subject or None, next=bool(subject))
    except NotFoundError:
        return None


async def messages_in(js: JetStreamContext, stream: str, subject: str, first: int = 1) -> AsyncIterator[RawStreamMsg]:
    """All messages under a subject from a sequence on."""
    while found := await message_at(js, stream, first, subject):
        yield found
        first = (found.seq or first) + 1
