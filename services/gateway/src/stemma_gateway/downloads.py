"""Content as it comes from the store: few pieces of it are in memory at a time, and nobody gets all of what is damaged.

The digest of content is known behind its last byte. Each piece is held back until the next one is there, and the last
one until all of the content is known to be sound, also where only a part of it is sent; if it is not, the connection is
closed before the answer is whole.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from http import HTTPStatus

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing
from stemma_client import StemmaError
from stemma_contracts.v1.references import ArtifactRef
from stemma_telemetry import get_logger

Content = AsyncGenerator[bytes, None]
Part = tuple[int, int]
"""The first byte and the last one."""


class Download(StreamingResponse):
    """The answer with stored content, or with a part of it."""

    @classmethod
    async def begun(
        cls, content: Content, ref: ArtifactRef, part: Part, status: HTTPStatus, headers: Mapping[str, str]
    ) -> Download:
        """The answer to send; what is missing, or small and damaged, is raised before anything is sent."""
        pieces, length = _part_of(content, part), part[1] + 1 - part[0]
        begin = await anext(pieces)
        told = {**headers, "Content-Length": str(length)}
        return cls(_joined(begin, pieces), status, told, media_type=ref.media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; who asks for the head alone gets that, and nothing more is read."""
        if scope["method"] == "HEAD":
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await send({"type": "http.response.body"})
        else:
            await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        """Send it piece by piece. To return before its end has the server close the connection."""
        try:
            await super().stream_response(send)
        except (ArtifactCorrupt, ArtifactMissing, StemmaError) as error:
            get_logger().error("download_broken", error=error)


async def _part_of(content: Content, part: Part) -> Content:
    """The bytes of a part in one piece or more, the last one once all of the content has come."""
    (first, last), offset, held = part, 0, b""
    async with aclosing(content):
        async for piece in content:
            wanted = piece[max(first - offset, 0) : max(last + 1 - offset, 0)]
            offset += len(piece)
            if wanted and held:
                yield held
            held = wanted or held
    yield held


async def _joined(begin: bytes, rest: Content) -> Content:
    async with aclosing(rest):
        yield begin
        async for piece in rest:
            yield piece
