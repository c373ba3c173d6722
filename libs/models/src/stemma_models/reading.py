"""The body of an answer, read in one piece each time, by parts of aiohttp that are private.

aiohttp keeps each chunk of HTTP by itself, of which a stream has one for each token, notes where it ends, and has its
parser go on whenever one is taken, whether that was stopped or not: a third of the calls of functions that an answer of
600 tokens takes (`docs/bench.md`). What is not the reader that this was made for is left as it is.
"""

from __future__ import annotations

from typing import Any

from aiohttp import ClientResponse
from aiohttp.streams import StreamReader
from multidict import CIMultiDict, CIMultiDictProxy

_NO_HEADERS: CIMultiDictProxy[str] = CIMultiDictProxy(CIMultiDict())


class JoinedReader(StreamReader):  # type: ignore[misc]  # mypy does not read aiohttp
    """Gives all that has come at once, however much is asked for, as what its reader can empty."""

    __slots__ = ()

    def begin_http_chunk_receiving(self) -> None:
        """Nobody asks where a chunk begins or ends."""

    def end_http_chunk_receiving(self) -> None:
        """See `begin_http_chunk_receiving`."""

    def _read_nowait(self: Any, n: int) -> bytearray:
        self._timer.assert_timeout()
        data = bytearray().join(self._buffer)
        self._buffer.clear()
        self._size = 0
        self._cursor += len(data)
        if self._protocol._reading_paused:  # for more had come than it holds
            self._protocol.resume_reading()
        return data


def let_go_of_headers(response: Any) -> None:
    """Have an answer that comes hold neither its headers nor those of its request, which who reads it has by now."""
    if isinstance(response, ClientResponse):
        told: Any = response
        told._headers, told._raw_headers = _NO_HEADERS, ()
        told._cache.clear()
        told._request_info = told._request_info._replace(headers=_NO_HEADERS)


def read_together(body: Any) -> None:
    """Make a body of which nothing was read yet a `JoinedReader`."""
    if type(body) is StreamReader and not body._buffer_offset:
        body.__class__ = JoinedReader
        body._http_chunk_splits = None
