"""Stored content as an answer: it never changes, so its digest is its name, and a part of it can be asked for."""

from __future__ import annotations

import re
from http import HTTPStatus
from urllib.parse import quote

from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from stemma_contracts.v1.references import ArtifactRef

_RANGE = re.compile(r"^bytes=(\d*)-(\d*)$")
# What a document holds may be anything: a browser shall neither guess at it nor run it.
_SAFE = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'"}


def served(http: HttpRequest, ref: ArtifactRef, data: bytes, *, may_change: bool = False) -> Response:
    """The content of a reference, or the part of it that is asked for (RFC 9110).

    Where the address ``may_change`` what it stands for, such as the text of the current version, whoever kept it asks
    whether it is still that.
    """
    etag = f'"{ref.digest}"'
    headers = {
        **_SAFE,
        "ETag": etag,
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache" if may_change else "private, max-age=31536000, immutable",
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(ref.name.rpartition('/')[2], safe='')}",
    }
    if _names(http.headers.get("if-none-match", ""), etag):
        return Response(None, HTTPStatus.NOT_MODIFIED, headers)
    wanted = http.headers.get("range", "") if http.headers.get("if-range", etag) == etag else ""
    match _part(wanted, len(data)):
        case None:
            return Response(data, HTTPStatus.OK, headers, media_type=ref.media_type)
        case (first, last) if first <= last:
            headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
            return Response(data[first : last + 1], HTTPStatus.PARTIAL_CONTENT, headers, media_type=ref.media_type)
        case _:
            none = {"Content-Range": f"bytes */{len(data)}"}
            return Response(None, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, none)


def _names(tags: str, etag: str) -> bool:
    return tags.strip() == "*" or etag in (tag.strip().removeprefix("W/") for tag in tags.split(","))


def _part(wanted: str, size: int) -> tuple[int, int] | None:
    """The first and the last byte of a part, an empty one if there is none; None where all of it is meant."""
    found = _RANGE.match(wanted.strip())
    if found is None or not any(found.groups()):
        return None
    first, last = found.groups()
    if not first:
        return (size - min(int(last), size), size - 1) if int(last) else (1, 0)
    end = min(int(last), size - 1) if last else size - 1
    if last and int(last) < int(first):
        return None
    return int(first), end
