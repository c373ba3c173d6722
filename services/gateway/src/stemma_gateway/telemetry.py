"""The span of an HTTP request, and at its end the canonical log line and the metric."""

from __future__ import annotations

import time

from fastapi.telemetry import TelemetryConfig
from opentelemetry.trace import SpanKind
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
        """Answer a request, and record how."""
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
