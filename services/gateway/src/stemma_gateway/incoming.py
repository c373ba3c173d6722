"""What comes with a request: the type of its body, and a small body as a whole."""

from __future__ import annotations

from starlette.requests import Request
from stemma_contracts.v1.answers import Problem

from .problems import TooLarge


def media_type_of(request: Request) -> str:
    """What a body says it is, without parameters and in small letters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def whole_body(request: Request, most: int) -> bytes:
    """A body of at most so many bytes; raises `TooLarge`."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise TooLarge(Problem.of("body_part_too_large", max_size=most))
    return bytes(body)
