"""A proxy before any server whose connections can be cut, at a chosen message too, and that can be gone for a while."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import cycle
from math import inf

from .servers import eventually

CHUNK_BYTES = 65536


class _Connection:
    """Both ends of a connection; ``mute`` while the next answer is to be lost."""

    def __init__(self, client: StreamWriter, server: StreamWriter) -> None:
        self._ends = (client, server)
        self.mute = False

    def cut(self) -> None:
        for end in self._ends:
            end.transport.abort()

    def close(self) -> None:
        for end in self._ends:
            end.close()


class Cuttable:
    """Passes connections on to a server, as long as it is not told otherwise; ``broken`` counts those that were cut."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._open: set[_Connection] = set()
        self._gone = False
        self._left = 0
        self._acts = False
        self.port = 0
        self.broken = 0

    def cut(self) -> None:
        for connection in list(self._open):
            self._break(connection)

    def cut_at(self, message: int, *, acts: bool) -> None:
        """Break a connection at this message of a client, counted from 1 from now on.

        The server never gets it, or, if it ``acts``, it gets it and its answer is lost.
        """
        self._left, self._acts = message, acts

    async def cut_again_and_again(self, every: Iterable[int]) -> None:
        """Break a connection at one message of so many, of so many then, by turns before and after the server acts."""
        for number, acts in zip(every, cycle([False, True]), strict=False):
            self.cut_at(number, acts=acts)
            await eventually(self.has_come, within_s=inf)

    async def has_come(self) -> bool:
        return self._left <= 0

    @contextmanager
    def gone(self) -> Iterator[None]:
        self._gone = True
        self.cut()
        try:
            yield
        finally:
            self._gone = False

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        if self._gone:
            self.broken += 1
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection(*self._target)
        connection = _Connection(writer, back)
        self._open.add(connection)
        with suppress(ConnectionError):
            await asyncio.gather(
                _pass_on(reader, back, lambda: self._asks(connection)),
                _pass_on(there, writer, lambda: self._answers(connection)),
            )
        self._open.discard(connection)
        connection.close()

    async def is_free(self) -> bool:
        return not self._open

    def _asks(self, connection: _Connection) -> bool:
        self._left -= 1
        if self._left == 0 and not self._acts:
            self._break(connection)
            return False
        connection.mute |= self._left == 0
        return True

    def _answers(self, connection: _Connection) -> bool:
        if connection.mute:
            self._break(connection)
        return not connection.mute

    def _break(self, connection: _Connection) -> None:
        self.broken += 1
        connection.cut()


async def _pass_on(reader: StreamReader, writer: StreamWriter, passes: Callable[[], bool]) -> None:
    while (data := await reader.read(CHUNK_BYTES)) and passes():
        writer.write(data)
        await writer.drain()
    writer.close()


@asynccontextmanager
async def cuttable(host: str, port: int) -> AsyncIterator[Cuttable]:
    proxy = Cuttable(host, port)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
        await eventually(proxy.is_free)
