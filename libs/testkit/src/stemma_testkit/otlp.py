"""A receiver of OTLP over HTTP, and the spans that it got, read from their bytes."""

import gzip
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2

POLL_S = 0.05
TRACES_PATH = "/v1/traces"

Value = str | int | float | bool


@dataclass(frozen=True)
class ReceivedSpan:
    """One exported span; ids are hexadecimal, ``links`` are the trace ids of what it is linked to.

    ``started_ns`` is in nanoseconds since 1970.
    """

    service: str
    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str
    started_ns: int
    attributes: dict[str, Value]
    links: tuple[str, ...]
    events: tuple[str, ...]
    text: str


@dataclass
class OtlpReceiver:
    """What was exported to ``endpoint`` so far."""

    endpoint: str
    _spans: list[ReceivedSpan] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def spans(self) -> list[ReceivedSpan]:
        with self._lock:
            return list(self._spans)

    def take(self, body: bytes) -> None:
        """Read an export request; raises `google.protobuf.message.DecodeError` for what is none."""
        request = ExportTraceServiceRequest.FromString(body)
        received = [span for resource in request.resource_spans for span in _spans(resource)]
        with self._lock:
            self._spans.extend(received)

    def wait_for(
        self, condition: Callable[[Sequence[ReceivedSpan]], bool], within_s: float = 30.0
    ) -> list[ReceivedSpan]:
        """The spans once they meet the condition; raises `AssertionError` if they do not in time."""
        deadline = time.monotonic() + within_s
        while not condition(spans := self.spans):
            assert time.monotonic() < deadline, f"not within {within_s} s; {len(spans)} spans came"
            time.sleep(POLL_S)
        return spans


@contextmanager
def otlp_receiver() -> Iterator[OtlpReceiver]:
    """A receiver on a free port; ``endpoint`` is what ``OTEL_EXPORTER_OTLP_ENDPOINT`` must name."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == TRACES_PATH:
                receiver.take(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = OtlpReceiver(f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield receiver
        finally:
            server.shutdown()


def _spans(resource: trace_pb2.ResourceSpans) -> Iterator[ReceivedSpan]:
    service = str(_attributes(resource.resource.attributes).get("service.name", ""))
    for scope in resource.scope_spans:
        for span in scope.spans:
            yield ReceivedSpan(
                service=service,
                name=span.name,
                kind=trace_pb2.Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
                trace_id=span.trace_id.hex(),
                span_id=span.span_id.hex(),
                parent_id=span.parent_span_id.hex(),
                started_ns=span.start_time_unix_nano,
                attributes=_attributes(span.attributes),
                links=tuple(link.trace_id.hex() for link in span.links),
                events=tuple(event.name for event in span.events),
                text=str(span),
            )


def _attributes(attributes: Sequence[KeyValue]) -> dict[str, Value]:
    return {attribute.key: _value(attribute.value) for attribute in attributes}


def _value(value: AnyValue) -> Value:
    kind = value.WhichOneof("value")
    found: Value = getattr(value, kind) if kind in {"string_value", "int_value", "double_value", "bool_value"} else ""
    return found
