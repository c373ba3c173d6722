"""What a line of work is about: bound once, on every log line and span that belongs to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from structlog.contextvars import bind_contextvars, bound_contextvars

from .names import CONTEXT_ATTRIBUTES


@contextmanager
def bind(**about: str | None) -> Iterator[None]:
    """Put ids on every log line and span until the block ends; what is `None` or empty is left out."""
    with bound_contextvars(**_present(about)):
        yield


def annotate(**about: str | None) -> None:
    """Put ids on every further log line and span of this task, and on the current span."""
    present = _present(about)
    bind_contextvars(**present)
    span = trace.get_current_span()
    for key, value in present.items():
        if key in CONTEXT_ATTRIBUTES:
            span.set_attribute(CONTEXT_ATTRIBUTES[key], value)


def inject() -> dict[str, str]:
    """The W3C trace headers of the current span; empty outside of a span."""
    headers: dict[str, str] = {}
    propagate.inject(headers)
    return headers


def extract(headers: Mapping[str, str]) -> Context:
    """The trace context that message headers carry; an empty context if they carry none."""
    return propagate.extract(headers, Context())


def _present(about: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in about.items() if value}
