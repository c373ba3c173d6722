"""Runs in processes of their own: the providers of OpenTelemetry can be set once."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from stemma_telemetry import extract, inject

PROGRAM = """
import sys
import stemma_telemetry as telemetry
end = telemetry.configure("validator")
with telemetry.span("work"), telemetry.bind(document_id="d1"):
    with telemetry.span("inner"):
        telemetry.get_logger().info("done", headers=[*telemetry.inject().values()])
with telemetry.span("process", parent={}):
    outer = telemetry.inject()
    with telemetry.span("nested"):
        nested = telemetry.inject()
    with telemetry.span("process", parent=outer):
        next_message = telemetry.inject()
print(nested == outer, next_message == outer, outer["traceparent"].split("-")[1] in next_message["traceparent"])
end()
print(any(name.startswith("opentelemetry.exporter.otlp") for name in sys.modules))
"""


def _run(program: str = PROGRAM, **environment: str) -> list[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", program], env=clean | environment, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.splitlines()


def test_ids_are_real_without_an_exporter_and_none_is_loaded() -> None:
    """A span in one that nobody records costs nothing, and a message still has its own."""
    line, nobody_records, exporter_loaded = _run()
    logged = json.loads(line)
    assert logged["service"] == "validator"
    assert int(logged["trace_id"], 16) > 0
    assert logged["trace_id"] in logged["headers"][0]
    assert (nobody_records, exporter_loaded) == ("True False True", "False")


@pytest.mark.req("E5")
def test_spans_are_exported_with_service_and_document_before_the_process_ends() -> None:
    received: list[bytes] = []

    class Sink(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/v1/traces":
                received.append(body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Sink) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        _run(OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{server.server_port}", OTEL_METRICS_EXPORTER="none")
        server.shutdown()
    [resource] = ExportTraceServiceRequest.FromString(received[0]).resource_spans
    spans = {
        span.name: {a.key: a.value.string_value for a in span.attributes} for span in resource.scope_spans[0].spans
    }
    assert spans["inner"] == {"stemma.service": "validator", "stemma.document_id": "d1"}
    assert {a.key: a.value.string_value for a in resource.resource.attributes}["service.name"] == "validator"


@pytest.mark.req("E5")
def test_a_trace_goes_on_in_whoever_reads_the_headers() -> None:
    tracer = TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("send") as sent:
        headers = inject()
    with tracer.start_as_current_span("process", context=extract(headers)) as processed:
        assert processed.get_span_context().trace_id == sent.get_span_context().trace_id


KEEPS = """
import json
import stemma_telemetry as telemetry
from opentelemetry import trace
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace import TracerProvider

kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
"""
LINKS = """
with telemetry.span("asked"):
    headers = telemetry.inject()
    telemetry.link(headers)
try:
    with telemetry.span("decided", parent={}):
        telemetry.link(headers)
        telemetry.note("retry", attempt=1)
        raise ValueError("The budget is 4 million.")
except ValueError:
    pass
asked, decided = kept.get_finished_spans()
print(json.dumps({
    "linked": [link.context.trace_id for link in decided.links] == [asked.context.trace_id],
    "asked_links": len(asked.links),
    "new": decided.context.trace_id != asked.context.trace_id,
    "events": [event.name for event in decided.events],
    "error": decided.attributes["error.type"],
    "status": decided.status.status_code.name,
    "told": "million" in decided.to_json(),
}))
"""


BOUND = """
kept.clear()
with telemetry.bind(tenant="default", unknown="x"), telemetry.span("process", attributes={"stemma.node": "a"}):
    telemetry.annotate(section_id="budget", job_id="j1", document_id="")
    with telemetry.span("inner"):
        pass
with telemetry.span("after"):
    pass
print(json.dumps({span.name: dict(span.attributes) for span in kept.get_finished_spans()}))
"""


@pytest.mark.req("E5")
def test_a_span_links_to_another_trace_tells_an_error_by_its_class_and_has_what_is_bound() -> None:
    line, bound = _run(KEEPS + LINKS + BOUND)
    assert json.loads(line) == {
        "linked": True,
        "asked_links": 0,
        "new": True,
        "events": ["retry"],
        "error": "ValueError",
        "status": "ERROR",
        "told": False,
    }
    inherited = {"stemma.tenant": "default", "stemma.section_id": "budget"}
    assert json.loads(bound) == {
        "process": {**inherited, "stemma.node": "a", "stemma.job_id": "j1"},
        "inner": inherited,
        "after": {},
    }


def test_without_headers_a_trace_begins() -> None:
    tracer = TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("other") as other:
        context = extract({})
    with tracer.start_as_current_span("process", context=context) as processed:
        assert processed.get_span_context().trace_id != other.get_span_context().trace_id
