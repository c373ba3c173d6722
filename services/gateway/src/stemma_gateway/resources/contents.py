"""How content is offered: to be read, and to be asked about without reading it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Response

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
    """Offer content at a path by GET and HEAD."""

    def offer(endpoint: Endpoint) -> Endpoint:
        head = f"{endpoint.__name__}_head"
        router.add_api_route(path, endpoint, methods=["GET"], response_class=Response, responses=_GIVEN)
        router.add_api_route(path, endpoint, methods=["HEAD"], name=head, response_class=Response, responses=_TOLD)
        return endpoint

    return offer
