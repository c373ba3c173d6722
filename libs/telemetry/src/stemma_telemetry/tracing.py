"""Tracing: always on, so that ids are real; exported only where an OTLP endpoint is named."""

from __future__ import annotations

import os
from collections.abc import Callable

from opentelemetry import metrics, trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
SAMPLER = "OTEL_TRACES_SAMPLER"


class _OneResource(Resource):
    """The resource of a process. The exporter hashes it for each span, and the SDK makes that hash from its JSON."""

    def __hash__(self) -> int:
        return hash(self.schema_url)


def configure_tracing(service: str) -> Callable[[], None]:
    """Install the providers and return what flushes and ends them."""
    made = Resource.create({SERVICE_NAME: service})
    resource = _OneResource(made.attributes, made.schema_url)
    exporting = bool(os.environ.get(ENDPOINT))
    provider = TracerProvider(_sampler(exporting), resource)
    trace.set_tracer_provider(provider)
    if not exporting:
        return provider.shutdown
    _export_spans(provider)
    end_metrics = _export_metrics(resource)

    def shutdown() -> None:
        provider.shutdown()
        end_metrics()

    return shutdown


def _sampler(exporting: bool) -> Sampler | None:
    """Ids alone are cheap; who exports does so also for callers that do not, unless told otherwise."""
    if not exporting:
        return ALWAYS_OFF
    return None if SAMPLER in os.environ else ALWAYS_ON


def _export_spans(provider: TracerProvider) -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))


def _export_metrics(resource: Resource) -> Callable[[], None]:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    provider = MeterProvider([reader], resource, exemplar_filter=AlwaysOffExemplarFilter())
    metrics.set_meter_provider(provider)
    return provider.shutdown
