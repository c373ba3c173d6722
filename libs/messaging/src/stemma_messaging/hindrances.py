"""What hinders a service, as a metric."""

from __future__ import annotations

from stemma_telemetry import names
from stemma_telemetry.metrics import Gauges

SERVER, CONSUMER, WRITING = "server", "consumer", "writing"
"""What may be missing."""
_GAUGES = Gauges(names.Metric.MISSING)


def measure(*, away: bool, consumers: int = 0, writing: int = 0) -> None:
    """How many of each are missing. While the server is away, nobody knows what else is."""
    counts = {SERVER: int(away), CONSUMER: 0 if away else consumers, WRITING: 0 if away else writing}
    _GAUGES.see(names.Metric.MISSING, [(count, {names.Attr.MISSING: what}) for what, count in counts.items()])
