"""Stored content as an answer: it never changes, so its digest is its name, and a part of it can be asked for."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import aclosing
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request as HttpRequest
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing
from stemma_client import StemmaError
from stemma_contracts.v1.references import ArtifactRef
from stemma_telemetry import get_logger

from .sessions import Session

# The digest of content is known behind its last byte. Each piece is held back until the next one is there, and the last
# one until all of the content is known to be sound, also where only a part of it is sent; if it is not, the connection
# is closed before the answer is whole.
Content = AsyncGenerator[bytes, None]
Part = tuple[int, int]
"""The first byte and the last one."""


class Download(StreamingResponse):
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


# Longer numbers are past the end of anything; a range that cannot be read is none.
_RANGE = re.compile(r"^bytes=([0-9]{0,18})-([0-9]{0,18})$")
# What a document holds may be anything: a browser shall neither guess at it nor run it.
_SAFE = {"Content-Security-Policy": "sandbox; default-src 'none'"}


async def served(http: HttpRequest, session: Session, document_id: str, ref: ArtifactRef) -> Response:
    """The content of a reference, or the part of it that is asked for (RFC 9110)."""
    etag, size = f'"{ref.digest}"', ref.size
    headers = {
        **_SAFE,
        "ETag": etag,
        "Accept-Ranges": "bytes",
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(ref.name.rpartition('/')[2], safe='')}",
    }
    if _names(http.headers.get("if-none-match", ""), etag):
        return Response(None, HTTPStatus.NOT_MODIFIED, headers)
    stored = session.client.artifact_pieces(document_id, ref)
    match _part(http, etag, size):
        case None:
            return await Download.begun(stored, ref, (0, size - 1), HTTPStatus.OK, headers)
        case (first, last) as part if first <= last:
            headers["Content-Range"] = f"bytes {first}-{last}/{size}"
            return await Download.begun(stored, ref, part, HTTPStatus.PARTIAL_CONTENT, headers)
        case _:
            none = {"Content-Range": f"bytes */{size}"}
            return Response(None, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, none)


def _names(tags: str, etag: str) -> bool:
    return tags.strip() == "*" or etag in (tag.strip().removeprefix("W/") for tag in tags.split(","))


def _part(http: HttpRequest, etag: str, size: int) -> Part | None:
    """The first and the last byte that are asked for, an empty part if there is none; None where all of it is meant."""
    found = _RANGE.match(http.headers.get("range", "").strip())
    if found is None or not any(found.groups()) or http.method != "GET" or http.headers.get("if-range", etag) != etag:
        return None
    first, last = found.groups()
    if not first:
        return (size - min(int(last), size), size - 1) if int(last) else (1, 0)
    end = min(int(last), size - 1) if last else size - 1
    if last and int(last) < int(first):
        return None
    return int(first), end


Endpoint = Callable[..., Coroutine[Any, Any, Response]]
OCTETS = "application/octet-stream"
BYTES: dict[str, Any] = {"schema": {"type": "string", "format": "binary", "contentMediaType": OCTETS}}
"""Bytes as they are. Generators of clients know them by the format, which newer OpenAPI has no need of."""
_CONTENT = {"*/*": BYTES, OCTETS: BYTES}
_TOLD: dict[int | str, dict[str, Any]] = {
    304: {"description": "what the caller has is still that (`If-None-Match`)"},
}
_GIVEN: dict[int | str, dict[str, Any]] = {
    200: {"description": "the content", "content": _CONTENT},
    206: {"description": "the part of it that was asked for (`Range`)", "content": _CONTENT},
    416: {"description": "it has no such part; `Content-Range` says how long it is"},
    **_TOLD,
}


def content(router: APIRouter, path: str) -> Callable[[Endpoint], Endpoint]:
    def offer(endpoint: Endpoint) -> Endpoint:
        head = f"{endpoint.__name__}_head"
        router.add_api_route(path, endpoint, methods=["GET"], response_class=Response, responses=_GIVEN)
        router.add_api_route(path, endpoint, methods=["HEAD"], name=head, response_class=Response, responses=_TOLD)
        return endpoint

    return offer
