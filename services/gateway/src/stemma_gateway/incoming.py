"""What comes with a request: the type of its body, and a small body as a whole."""

from __future__ import annotations

from starlette.requests import Request

from .problems import TooLarge


def media_type_of(request: Request) -> str:
    """What a body says it is, without parameters and in small letters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def whole_body(request: Request, most: int, what: str) -> bytes:
    """A body of at most so many bytes; raises `TooLarge`, which says what has no more."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise TooLarge(f"{what} has at most {most} bytes")
    return bytes(body)
