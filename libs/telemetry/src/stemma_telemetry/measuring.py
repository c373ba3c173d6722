"""What a process measured: given to Prometheus when it asks, sent to an OTLP endpoint where one is named.

Imported by who serves it, for it takes a while to import.
"""

from collections.abc import Callable

from opentelemetry import metrics
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE

__all__ = ["CONTENT_TYPE", "exposition", "measure"]

_REGISTRY = CollectorRegistry()
ProcessCollector(registry=_REGISTRY)


def measure(resource: Resource, sending: bool) -> Callable[[], None]:
    """Keep measurements from now on; the result ends that."""
    readers: list[MetricReader] = [PrometheusMetricReader(scope_info_enabled=False, registry=_REGISTRY)]
    if sending:
        readers.append(_sender())
    provider = MeterProvider(readers, resource, exemplar_filter=AlwaysOffExemplarFilter())
    metrics.set_meter_provider(provider)
    return provider.shutdown


def _sender() -> MetricReader:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    return PeriodicExportingMetricReader(OTLPMetricExporter())


def exposition() -> bytes:
    """All metrics of this process in the text format of Prometheus."""
    return generate_latest(_REGISTRY)
