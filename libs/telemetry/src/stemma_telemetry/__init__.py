"""structlog JSON logs, OpenTelemetry set-up and the registry of telemetry names.

A process calls `configure` once; libraries and services take `get_logger`, `span`, `bind` and `annotate`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog

from . import names
from .context import annotate, bind, extract, inject, link, note, span
from .logs import configure_logs
from .tracing import captures_messages, configure_tracing

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger


def configure(service: str, *, json: bool = True, level: str = "info") -> Callable[[], None]:
    """Set up logs, traces and metrics of this process; call the result at the end, it flushes.

    ``json`` false gives lines for people. ``level`` is a name that ``logging`` knows; raises `KeyError` for others.
    Spans and metrics are exported if ``OTEL_EXPORTER_OTLP_ENDPOINT`` is set; `measuring` has them for Prometheus.
    """
    configure_logs(json, level)
    annotate(service=service)
    return configure_tracing(service)


_LOGGER: FilteringBoundLogger = structlog.get_logger()


def get_logger() -> FilteringBoundLogger:
    """The logger. Events are the names of `names.Log` or a service's own; values are ids, counts and names."""
    return _LOGGER
