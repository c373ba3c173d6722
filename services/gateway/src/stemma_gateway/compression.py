"""Pages and what they load are compressed; what else is answered is sent as it is.

Documents that are downloaded may be asked for in parts, what proves a session must not be guessed from a length, and
what comes bit by bit is not held back.
"""

from __future__ import annotations

from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

PAGES = "/desk"
LEVEL = 5
"""Of zlib: beyond it, pages take twice the time and become hardly shorter."""


class CompressedPages:
    """An ASGI middleware: what the desk answers is compressed, where it is text and the browser takes that."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressed = GZipMiddleware(
            app, compresslevel=LEVEL, exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/json")
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        is_page = scope["type"] == "http" and (path == PAGES or path.startswith(f"{PAGES}/"))
        await (self._compressed if is_page else self._app)(scope, receive, send)
