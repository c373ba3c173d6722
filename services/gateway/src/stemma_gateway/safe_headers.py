"""Headers of every answer, also of errors: nothing is kept, guessed at, or shown to a page of another site."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_OVER_HTTPS = {"Strict-Transport-Security": "max-age=31536000"}
PUBLIC = "public, "
"""How the `Cache-Control` begins of what tells nobody anything: the files that the desk is made of."""


class SafeHeaders:
    """An ASGI application around another one, which sets these headers. Browsers keep only what is `PUBLIC`.

    ``is_https``: callers come by https, also where that is not seen here.
    """

    def __init__(self, app: ASGIApp, is_https: bool = False) -> None:
        self._app = app
        self._is_https = is_https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_ALWAYS)
                if self._is_https or scope["scheme"] == "https":
                    headers.update(_OVER_HTTPS)
                if not headers.get("cache-control", "").startswith(PUBLIC):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, with_headers)
