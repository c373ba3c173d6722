"""What every request passes: telemetry, compression of pages, and safe headers."""

from __future__ import annotations

import time

from fastapi.telemetry import TelemetryConfig
from opentelemetry.trace import SpanKind
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from stemma_telemetry import bind, get_logger, names, span
from stemma_telemetry.metrics import histogram

METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS".split())
OTHER = "_OTHER"
NO_MORE_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False}
"""FastAPI's own would count each request twice, and tell concrete paths and what validation refused."""
_DURATION = histogram(names.Metric.HTTP_DURATION)


class Telemetry:
    """An ASGI middleware: one span, one line and one measurement for each request, named by its route."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
            await send(message)

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        method = scope["method"] if scope["method"] in METHODS else OTHER
        with bind(), span(method, kind=SpanKind.SERVER, parent=headers) as processing:
            try:
                await self._app(scope, receive, noted)
            finally:
                route = getattr(scope.get("route"), "path", "")
                about = {names.Attr.HTTP_METHOD: method, names.Attr.HTTP_ROUTE: route, names.Attr.HTTP_STATUS: status}
                processing.update_name(f"{method} {route}")
                processing.set_attributes({str(key): value for key, value in about.items()})
                _record(about, time.perf_counter() - started)


def _record(about: dict[names.Attr, str | int], seconds: float) -> None:
    _DURATION.record(seconds, {str(key): value for key, value in about.items()})
    said = {key.rpartition(".")[2]: value for key, value in about.items()}
    get_logger().info(names.Log.HTTP_HANDLED, **said, duration_ms=round(seconds * 1000, 1))


# Documents that are downloaded may be asked for in parts, what proves a session must not be guessed from a length, and
# what comes bit by bit is not held back.

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
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        is_page = scope["type"] == "http" and (path == PAGES or path.startswith(f"{PAGES}/"))
        await (self._compressed if is_page else self._app)(scope, receive, send)


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
