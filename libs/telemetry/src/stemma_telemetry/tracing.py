"""Traces and metrics: always on, so that ids are real and Prometheus can ask; sent only to a named OTLP endpoint."""

import os
from collections.abc import Callable

from opentelemetry import trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
SAMPLER = "OTEL_TRACES_SAMPLER"


CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


class _OneResource(Resource):
    """The resource of a process. The exporter hashes it for each span, and the SDK makes that hash from its JSON."""

    def __hash__(self) -> int:
        return hash(self.schema_url)


def configure_tracing(service: str) -> Callable[[], None]:
    """Install the providers and return what flushes and ends them."""
    from .measuring import measure

    made = Resource.create({SERVICE_NAME: service})
    resource = _OneResource(made.attributes, made.schema_url)
    exporting = bool(os.environ.get(ENDPOINT))
    provider = TracerProvider(_sampler(exporting), resource)
    trace.set_tracer_provider(provider)
    end_metrics = measure(resource, exporting)
    if exporting:
        _export_spans(provider)

    def shutdown() -> None:
        provider.shutdown()
        end_metrics()

    return shutdown


def captures_messages() -> bool:
    """Whether prompts and answers are to be in the spans, by the variable of the GenAI conventions."""
    return os.environ.get(CAPTURE, "").lower() in ("true", "span_only", "span_and_event")


def _sampler(exporting: bool) -> Sampler | None:
    """Ids alone are cheap; who exports does so also for callers that do not, unless told otherwise."""
    if not exporting:
        return ALWAYS_OFF
    return None if SAMPLER in os.environ else ALWAYS_ON


def _export_spans(provider: TracerProvider) -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
