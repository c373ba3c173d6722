"""A proxy before a NATS server that swallows answers, as a connection does that breaks after the server acted.

What clients publish can be looked at there, changed, and held.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from urllib.parse import urlsplit

Swallows = Callable[[bytes, bytes], bool]
"""Whether the client shall not get a message, by its subject and its payload."""
Publishes = Callable[[bytes, bytes, bytes], Awaitable[bytes]]
"""What the server gets of a message, by its subject, that of its reply, and its body without headers."""
NOBODY = b"NATS/1.0 503\r\n\r\n"


async def as_it_is(subject: bytes, reply: bytes, body: bytes) -> bytes:
    return body


def nothing(subject: bytes, payload: bytes) -> bool:
    return False


@asynccontextmanager
async def swallowing(
    url: str, swallows: Swallows = nothing, publishes: Publishes = as_it_is, *, told: bool = False
) -> AsyncIterator[str]:
    """The address of a proxy before the server at ``url``, as long as the block lasts.

    In place of what is swallowed a client that is ``told`` hears that nobody answers, as of a stream without a
    leader, and need not wait for the end of its patience.
    """
    target = urlsplit(url)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(target.hostname, target.port)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await asyncio.gather(
                _pass_published(reader, back, publishes), _pass_messages(there, writer, swallows, told)
            )
        for one in (back, writer):
            one.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _pass_published(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, publishes: Publishes) -> None:
    """Lines of the protocol as they are; a message with what is published in place of its body."""
    while line := await reader.readline():
        words = line.split()
        if words and words[0] in (b"PUB", b"HPUB"):
            line = await _published(reader, words, publishes)
        writer.write(line)
        await writer.drain()
    writer.close()


async def _published(reader: asyncio.StreamReader, words: list[bytes], publishes: Publishes) -> bytes:
    """The order to publish with its payload: ``[H]PUB subject [reply] [size of headers] size``."""
    sizes = 2 if words[0] == b"HPUB" else 1
    where, head = words[1:-sizes], int(words[-2]) if sizes > 1 else 0
    payload = await reader.readexactly(int(words[-1]) + len(b"\r\n"))
    body = await publishes(where[0], where[1] if len(where) > 1 else b"", payload[head:-2])
    told = [b"%d" % head] * (sizes - 1) + [b"%d" % (head + len(body))]
    return b" ".join([words[0], *where, *told]) + b"\r\n" + payload[:head] + body + b"\r\n"


async def _pass_messages(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, swallows: Swallows, told: bool
) -> None:
    """Lines of the protocol as they are; a message with its payload, unless it is swallowed."""
    while line := await reader.readline():
        payload = b""
        words = line.split()
        if words[0] in (b"MSG", b"HMSG"):
            payload = await reader.readexactly(int(words[-1]) + len(b"\r\n"))
            if swallows(words[1], payload):
                if not told:
                    continue
                size = b"%d" % len(NOBODY)
                line, payload = b" ".join([b"HMSG", words[1], words[2], size, size]) + b"\r\n", NOBODY + b"\r\n"
        writer.write(line + payload)
        await writer.drain()
    writer.close()


@dataclass
class FirstAcknowledgements:
    """Loses the first acknowledgement of each message that is to be stored; ``published`` counts them by subject."""

    published: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    _seen: set[tuple[bytes, bytes]] = field(default_factory=set)
    _losing: set[bytes] = field(default_factory=set)

    async def publishes(self, subject: bytes, reply: bytes, body: bytes) -> bytes:
        if reply and not subject.startswith((b"$JS.", b"_INBOX")):
            self.published[subject.decode()] += 1
            message = (subject, sha256(body).digest())
            if message not in self._seen:
                self._seen.add(message)
                self._losing.add(reply)
        return body

    def different(self, root: str) -> int:
        return sum(subject.startswith(root.encode()) for subject, _ in self._seen)

    def swallows(self, subject: bytes, payload: bytes) -> bool:
        if subject not in self._losing:
            return False
        self._losing.remove(subject)
        self.lost += 1
        return True


class FirstHeld:
    """Holds all that a client sends from its first message under a root of subjects on, until it is let go."""

    def __init__(self, root: bytes) -> None:
        self._root = root
        self.came, self._let_go = asyncio.Event(), asyncio.Event()

    def let_go(self) -> None:
        self._let_go.set()

    async def publishes(self, subject: bytes, reply: bytes, body: bytes) -> bytes:
        if subject.startswith(self._root):
            self.came.set()
            await self._let_go.wait()
        return body
