"""The instruments of the registry: what each metric counts, in which unit, and within which bounds.

Tenants are labels, documents never are: there is no end of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from opentelemetry import metrics
from opentelemetry.metrics import CallbackOptions, Counter, Histogram, Observation

from .names import Metric

Kind = Literal["counter", "gauge", "histogram"]
Labels = Mapping[str, str]

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800)
"""Of work: from a message that is answered at once to a graph that writes for half an hour."""
TOKENS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
MODEL_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""These two as the semantic conventions advise."""
HUMAN_SECONDS = (10, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 86400, 3 * 86400, 7 * 86400, 30 * 86400)


@dataclass(frozen=True)
class Meaning:
    """What a metric is; ``unit`` by UCUM, in braces what is counted."""

    kind: Kind
    unit: str
    description: str
    buckets: tuple[float, ...] = ()


MEANINGS: Mapping[Metric, Meaning] = {
    Metric.PROCESS_DURATION: Meaning(
        "histogram", "s", "Time to handle a message once, from its delivery to its settlement", SECONDS
    ),
    Metric.REDELIVERED: Meaning("counter", "{message}", "Deliveries of messages that were delivered before"),
    Metric.DEAD: Meaning("counter", "{message}", "Messages that were put aside as dead letters"),
    Metric.MISSING: Meaning("gauge", "{thing}", "What hinders a service: consumers, writing, or the server"),
    Metric.LOOP_LAG: Meaning("gauge", "s", "How late the event loop came to what was due, at most in the last minute"),
    Metric.HTTP_DURATION: Meaning(
        "histogram",
        "s",
        "From an HTTP request to the end of its answer; of a stream, as long as it is read",
        SECONDS,
    ),
    Metric.HTTP_STREAMS: Meaning("gauge", "{stream}", "Event streams that are open"),
    Metric.HTTP_LIMITED: Meaning("counter", "{request}", "HTTP requests that were refused by a limit of the process"),
    Metric.TOKEN_USAGE: Meaning("histogram", "{token}", "Tokens of one model call", TOKENS),
    Metric.MODEL_DURATION: Meaning("histogram", "s", "Time of one model call with its retries", MODEL_SECONDS),
    Metric.MODEL_COST: Meaning("counter", "{USD}", "US dollars for model calls, by the price list"),
    Metric.VALIDATION_FAILED: Meaning("counter", "{check}", "Checks by the agent that found issues"),
    Metric.ROLLBACK_PERFORMED: Meaning("counter", "{rollback}", "Returns of the agent to a checkpoint"),
    Metric.CONSUMER_PENDING: Meaning("gauge", "{message}", "Messages that a consumer has not delivered yet: its lag"),
    Metric.CONSUMER_UNACKNOWLEDGED: Meaning("gauge", "{message}", "Messages that are delivered and not settled yet"),
    Metric.CONSUMER_DELIVERED: Meaning("gauge", "{message}", "Deliveries of a consumer so far"),
    Metric.STREAM_SIZE: Meaning("gauge", "By", "Bytes of a stream, and whose they are if it is one tenant's"),
    Metric.STREAM_MESSAGES: Meaning("gauge", "{message}", "Messages of a stream"),
    Metric.COPY_LACKING: Meaning("gauge", "{message}", "Messages that the copy which a tenant reads lacks"),
    Metric.TENANT_LIMIT: Meaning("gauge", "By", "Bytes of large artifacts that a tenant may have"),
    Metric.DEAD_LETTERS: Meaning("gauge", "{message}", "Dead letters that are kept"),
    Metric.DOCUMENTS: Meaning("gauge", "{document}", "Documents by status"),
    Metric.STALE_SECTIONS: Meaning("gauge", "{section}", "Sections that are stale"),
    Metric.FAILED_SECTIONS: Meaning("gauge", "{section}", "Sections that failed and were not retried"),
    Metric.WAITING: Meaning("gauge", "{section}", "What waits for a person: a review, an answer, a proposed edit"),
    Metric.WAITING_LONGEST: Meaning("gauge", "s", "How long that waits which has waited longest"),
    Metric.WAITED: Meaning("histogram", "s", "How long it waited for a person who then decided", HUMAN_SECONDS),
}

SUFFIXES = {"s": "_seconds", "By": "_bytes"}
PARTS = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}
OF_THE_PROCESS = (
    "process_virtual_memory_bytes",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
    "process_cpu_seconds_total",
    "process_open_fds",
    "process_max_fds",
)
"""What a process tells of itself beside the registry, as all clients of Prometheus name it."""


def exposed_names(metric: Metric) -> tuple[str, ...]:
    """What Prometheus calls a metric, or its parts."""
    meaning = MEANINGS[metric]
    name = metric.replace(".", "_") + SUFFIXES.get(meaning.unit, "")
    return tuple(f"{name}{part}" for part in PARTS[meaning.kind])


_METER = metrics.get_meter("stemma")


def counter(metric: Metric) -> Counter:
    """The counter of a metric."""
    meaning = MEANINGS[metric]
    return _METER.create_counter(metric, meaning.unit, meaning.description)


def histogram(metric: Metric) -> Histogram:
    """The histogram of a metric, with the bounds of its buckets."""
    meaning = MEANINGS[metric]
    return _METER.create_histogram(
        metric, meaning.unit, meaning.description, explicit_bucket_boundaries_advisory=meaning.buckets
    )


class Gauges:
    """What was seen last of metrics that are looked up from time to time; what is there no more is told no more."""

    def __init__(self, *observed: Metric) -> None:
        self._seen: dict[Metric, tuple[Observation, ...]] = {}
        for metric in observed:
            meaning = MEANINGS[metric]
            told = partial(self._told, metric)
            _METER.create_observable_gauge(metric, [told], meaning.unit, meaning.description)

    def see(self, metric: Metric, values: Iterable[tuple[float, Labels]]) -> None:
        """These values of a metric, in place of those before."""
        self._seen[metric] = tuple(Observation(value, labels) for value, labels in values)

    def forget(self) -> None:
        """Nothing is known any more."""
        self._seen.clear()

    def _told(self, metric: Metric, _: CallbackOptions) -> Iterable[Observation]:
        return self._seen.get(metric, ())
