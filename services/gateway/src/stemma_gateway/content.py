"""Stored content as an answer: it never changes, so its digest is its name, and a part of it can be asked for."""

from __future__ import annotations

import re
from http import HTTPStatus
from urllib.parse import quote

from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from stemma_contracts.v1.references import ArtifactRef

from .downloads import Download, Part
from .sessions import Session

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
