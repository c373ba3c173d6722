"""What every request passes: telemetry, bounds on its body, compression of pages, and safe headers."""

import asyncio
import time
from dataclasses import dataclass

from fastapi.telemetry import TelemetryConfig
from opentelemetry.trace import SpanKind
from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from stemma_contracts.misfits import MOST_VALUES, JsonValues
from stemma_contracts.v1.answers import Problem
from stemma_telemetry import bind, get_logger, names, span
from stemma_telemetry.metrics import histogram

from .limits import Owner, Shares, counted_as
from .problems import Ambiguous, HttpError, TooLarge, TooSlow, UnsupportedMedia, response_of

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


# Bounds on the bodies of requests: how long they are, how slowly they come, and what all of them take in memory.

UPLOADS = "/uploads"
TAKE_FORMS = ("/documents", "/desk/")
"""The address, and the beginning of others, that take files in a form."""
ABOUT_BODY = ("content-type", "content-length", "transfer-encoding")
UTF_8 = (b"utf-8", b"utf8")
DIGITS = 18
"""Of a length that is announced: longer ones are past any limit."""


@dataclass(frozen=True)
class BodyBounds:
    """Most bytes of a body with files, of another one, and of all the others that come at a time.

    A body is waited for ``within_s`` seconds, and one more for each ``bytes_per_s`` bytes of it that came.
    """

    file: int
    text: int
    texts: int
    within_s: float
    bytes_per_s: float


class BodyLimit:
    """An ASGI middleware that refuses bodies beyond the bounds, by what they say they are or as they come.

    Files go through in pieces. Whatever else comes is held in memory, also before it is known who sends it.
    """

    def __init__(self, app: ASGIApp, bounds: BodyBounds) -> None:
        self._app = app
        self._bounds = bounds
        self._texts = Shares("texts", "max_texts_bytes", bounds.texts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        body = _Body(self._bounds, self._texts, headers, scope, receive, send)
        if refusal := _unreadable(headers) or body.announced_too_large(headers):
            await body.refuse(refusal)
            return
        try:
            await self._app(scope, body.receive, body.send)
        finally:
            body.let_go()


def _unreadable(headers: Headers) -> HttpError | None:
    """Why two programs may read the body of a request differently, or one never comes to its end."""
    for name in ABOUT_BODY:
        if len(headers.getlist(name)) > 1:
            return Ambiguous(Problem.of("header_repeated", name=name))
    if "content-length" in headers and "transfer-encoding" in headers:
        return Ambiguous(Problem.of("body_length_ambiguous"))
    # A form is decoded by the codec that its caller names, and Python has some that take the square of the length.
    kind, options = parse_options_header(headers.get("content-type", "").lower())
    if kind == b"multipart/form-data" and options.get(b"charset", b"utf-8") not in UTF_8:
        return UnsupportedMedia(Problem.of("media_type_unsupported", media_types="charset=utf-8"))
    return None


def _has_files(path: str, media_type: str) -> bool:
    address, begin = TAKE_FORMS
    is_form = media_type.startswith("multipart/form-data")
    return path.startswith(UPLOADS) or (is_form and (path == address or path.startswith(begin)))


class _Body:
    """The body of a request as it comes; of one beyond the bounds this is told, whatever was made of the error.

    What has no files is held in the memory for all texts, of which each address leaves some to others.
    """

    def __init__(
        self, bounds: BodyBounds, texts: Shares, headers: Headers, scope: Scope, receive: Receive, send: Send
    ) -> None:
        media_type = headers.get("content-type", "").lower()
        host = counted_as(scope["client"][0]) if scope.get("client") else ""
        self._bounds, self._texts, self._sender = bounds, texts, Owner(host, host)
        self._scope, self._receive, self._send = scope, receive, send
        self._has_files = _has_files(scope["path"], media_type)
        self._limit = bounds.file if self._has_files else bounds.text
        self._values = JsonValues() if "json" in media_type and not self._has_files else None
        self._taken = self._held = 0
        self._waited_s = 0.0
        self._is_whole = self._is_answered = False
        self._refusal: HttpError | None = None

    def announced_too_large(self, headers: Headers) -> TooLarge | None:
        announced = headers.get("content-length", "0")
        return self._too_large() if announced.isdecimal() and int(announced[:DIGITS]) > self._limit else None

    def _too_large(self) -> TooLarge:
        if self._has_files:
            return TooLarge(Problem.of("body_too_large", max_size=self._limit))
        return TooLarge(Problem.of("body_text_too_large", max_size=self._limit, address=UPLOADS))

    def let_go(self) -> None:
        self._texts.give_back(self._sender, self._held)

    async def receive(self) -> Message:
        if self._is_whole or self._is_answered:
            return await self._receive()
        try:
            message = await self._in_time()
            self._take(message.get("body", b""))
        except HttpError as error:
            self._refusal = error
            raise
        self._is_whole = not message.get("more_body", False)
        return message

    async def _in_time(self) -> Message:
        """Only the waiting counts: that what came is being worked on is no fault of who sends it."""
        began, bounds = time.monotonic(), self._bounds
        try:
            async with asyncio.timeout(bounds.within_s + self._taken / bounds.bytes_per_s - self._waited_s):
                return await self._receive()
        except TimeoutError:
            raise TooSlow(Problem.of("body_too_slow", size=self._taken)) from None
        finally:
            self._waited_s += time.monotonic() - began

    def _take(self, piece: bytes) -> None:
        self._taken += len(piece)
        if not self._has_files:
            self._texts.take(self._sender, len(piece))
            self._held += len(piece)
        if self._taken > self._limit:
            raise self._too_large()
        if self._values is not None and self._values.add(piece) > MOST_VALUES:
            raise TooLarge(Problem.of("body_values_too_many", max_values=MOST_VALUES))

    async def send(self, message: Message) -> None:
        if self._refusal is None or self._is_answered:
            self._is_answered = True
            await self._send(message)
        elif message["type"] == "http.response.start":
            await self.refuse(self._refusal)

    async def refuse(self, error: HttpError) -> None:
        await response_of(error)(self._scope, self._receive, self._send)
