"""What a line of work is about: bound once, on every log line and span that belongs to it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

from opentelemetry import trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from .names import CONTEXT_ATTRIBUTES, INHERITED_ATTRIBUTES, Attr

_TRACER = trace.get_tracer("stemma")
_W3C = TraceContextTextMapPropagator()
_ABOUT: ContextVar[Mapping[str, str]] = ContextVar("about", default=MappingProxyType({}))


@contextmanager
def bind(**about: str | None) -> Iterator[None]:
    """Put ids on every log line until the block ends, and on every span those of `INHERITED_ATTRIBUTES`.

    What is `None` or empty is left out.
    """
    token = _ABOUT.set({**_ABOUT.get(), **_present(about)})
    try:
        yield
    finally:
        _ABOUT.reset(token)


def annotate(**about: str | None) -> None:
    """Put ids on the current span, and as `bind` does on what follows in this task or in the `bind` around it."""
    present = _present(about)
    _ABOUT.set({**_ABOUT.get(), **present})
    span = trace.get_current_span()
    if span.is_recording():
        span.set_attributes({attr: present[key] for key, attr in CONTEXT_ATTRIBUTES.items() if key in present})


def bound() -> Mapping[str, str]:
    """What is bound here."""
    return _ABOUT.get()


@contextmanager
def span(
    name: str,
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    attributes: Mapping[str, str | int] | None = None,
    parent: Mapping[str, str] | None = None,
    expected: tuple[type[BaseException], ...] = (),
) -> Iterator[Span]:
    """A span that tells of an exception only its class: messages and stack traces may quote a document.

    ``parent`` are the headers of the message that leads to it, by default it belongs to the current span.
    ``expected`` exceptions are no errors, such as that of a graph that pauses. Inside a span that is not recorded
    none is made: what it would tell goes nowhere.
    """
    current = trace.get_current_span()
    if parent is None and current.get_span_context().is_valid and not current.is_recording():
        yield current
        return
    started = _TRACER.start_span(
        name,
        context=None if parent is None else extract(parent),
        kind=kind,
        attributes={**_inherited(), **(attributes or {})},
        record_exception=False,
        set_status_on_exception=False,
    )
    token = attach(trace.set_span_in_context(started))
    try:
        yield started
    except expected:
        raise
    except BaseException as error:
        started.set_attribute(Attr.ERROR_TYPE, type(error).__name__)
        started.set_status(StatusCode.ERROR)
        raise
    finally:
        detach(token)
        started.end()


def inject() -> dict[str, str]:
    """The W3C trace headers of the current span; empty outside of a span."""
    headers: dict[str, str] = {}
    _W3C.inject(headers)
    return headers


def extract(headers: Mapping[str, str]) -> Context:
    """The trace context that message headers carry; an empty context if they carry none."""
    return _W3C.extract(headers, Context())


def link(headers: Mapping[str, str]) -> None:
    """Link the current span to the one that wrote these headers, unless both are of one trace."""
    span = trace.get_current_span()
    if not span.is_recording():
        return
    other = trace.get_current_span(extract(headers)).get_span_context()
    if other.is_valid and other.trace_id != span.get_span_context().trace_id:
        span.add_link(other)


def note(event: str, **attributes: str | int) -> None:
    """Note on the current span that something happened, such as a retry; ids and counts only, never text."""
    trace.get_current_span().add_event(event, attributes)


def _present(about: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in about.items() if value}


def _inherited() -> dict[str, str]:
    about = _ABOUT.get()
    return {attr: about[key] for key, attr in INHERITED_ATTRIBUTES.items() if key in about}
