"""Log lines: one JSON object an event on stdout, with ids, and without text of documents, prompts or secrets."""

import logging
import sys
from collections.abc import Callable
from json import JSONEncoder
from types import TracebackType
from typing import Any, TextIO

import structlog
from opentelemetry import trace
from structlog.typing import EventDict, Processor, WrappedLogger

from .context import bound
from .names import Log

MAX_VALUE_CHARACTERS = 200
REASON = "reason"
_FRAMES = 4
# fmt: off
_CONTENT_KEYS = frozenset({
    "answer", "authorization", "body", "brief", "content", "data", "draft", "feedback", "guidance", "instruction",
    "markdown", "message", "messages", "output", "password", "prompt", "question", "secret", "summary", "text",
    "title", "token",
})
# fmt: on
_ENCODER = JSONEncoder()


def configure_logs(json: bool, level: str, stream: TextIO | None = None) -> None:
    """Send structlog and what libraries log through ``logging`` to one stream, stdout by default."""
    numeric = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=_processors(json),
        wrapper_class=structlog.make_filtering_bound_logger(numeric),
        logger_factory=structlog.PrintLoggerFactory(stream or sys.stdout),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers = [_LibraryHandler()]
    root.setLevel(max(numeric, logging.WARNING))


def _processors(json: bool) -> list[Processor]:
    renderer: Processor = _as_json if json else structlog.dev.ConsoleRenderer(colors=False)
    return [
        add_bound,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        add_trace,
        describe_failure,
        redact,
        renderer,
    ]


def _as_json(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
    """The line; what `redact` leaves needs no other encoder, and making one for each line is most of the work."""
    return _ENCODER.encode(event)


def add_bound(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Add what is bound; what the line says itself wins."""
    return {**bound(), **event}


def add_trace(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Add the ids of the current span."""
    span = trace.get_current_span().get_span_context()
    if span.is_valid:
        event["trace_id"] = trace.format_trace_id(span.trace_id)
        event["span_id"] = trace.format_span_id(span.span_id)
    return event


def describe_failure(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace exceptions by their class and place: their words may quote a document or a host's paths."""
    failure = _failure(event.pop("exc_info", None))
    for key in [key for key, value in event.items() if isinstance(value, BaseException)]:
        failure = failure or event[key]
        event[key] = type(event[key]).__name__
    if failure is not None:
        event.setdefault("error_type", type(failure).__name__)
        event["error_at"] = _places(failure.__traceback__)
    return event


def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace everything that could be content by its length, whatever the caller meant to log.

    A reason is what a server or a store said: it holds nothing of a document, and its beginning is what one needs.
    """
    return {key: _reason(value) if key == REASON else _safe(key, value) for key, value in event.items()}


def _reason(value: Any) -> str:
    return " ".join(str(value).split())[:MAX_VALUE_CHARACTERS]


def _safe(key: str, value: Any) -> Any:
    match value:
        case str():
            hidden = len(value) > MAX_VALUE_CHARACTERS or key.lower() in _CONTENT_KEYS or "\n" in value
            return f"<{len(value)} characters>" if hidden else str(value)
        case bool() | int() | float() | None:
            return value
        case list() | tuple() | set() | frozenset():
            return [_safe(key, item) for item in value]
        case _:
            return f"<{type(value).__name__}>"


def _failure(exc_info: Any) -> BaseException | None:
    match exc_info:
        case BaseException():
            return exc_info
        case (_, BaseException() as error, _):
            return error
        case True:
            return sys.exc_info()[1]
        case _:
            return None


def _places(traceback: TracebackType | None) -> list[str]:
    places = []
    while traceback is not None:
        frame = traceback.tb_frame
        places.append(f"{frame.f_globals.get('__name__')}:{frame.f_code.co_name}:{traceback.tb_lineno}")
        traceback = traceback.tb_next
    return places[-_FRAMES:]


class _LibraryHandler(logging.Handler):
    """Passes on that a library logged something and where, never what: its words are not under our control."""

    def emit(self, record: logging.LogRecord) -> None:
        log: Callable[..., Any] = getattr(structlog.get_logger(), record.levelname.lower())
        log(Log.LIBRARY, logger=record.name, at=f"{record.module}:{record.lineno}", exc_info=record.exc_info)
