"""Runs in a process of its own where providers are set: those of OpenTelemetry can be set once."""

import json
import subprocess
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families
from stemma_telemetry.metrics import MEANINGS, OF_THE_PROCESS, exposed_names
from stemma_telemetry.names import Metric

MEASURES = """
import json
import stemma_telemetry as telemetry
from stemma_telemetry.measuring import exposition
from stemma_telemetry.metrics import MEANINGS, Gauges, counter, histogram

gauges = Gauges(*[metric for metric, meaning in MEANINGS.items() if meaning.kind == "gauge"])
end = telemetry.configure("validator")
for metric, meaning in MEANINGS.items():
    match meaning.kind:
        case "counter":
            counter(metric).add(2, {"stemma.tenant": "a"})
        case "histogram":
            histogram(metric).record(3, {"stemma.tenant": "a"})
        case "gauge":
            gauges.see(metric, [(1, {"stemma.tenant": "a"}), (4, {"stemma.tenant": "b"})])
            gauges.see(metric, [(4, {"stemma.tenant": "b"})])
seen = exposition().decode()
gauges.forget()
print(json.dumps([seen, exposition().decode()]))
end()
"""


def exposed() -> tuple[dict[str, dict[str, float]], set[str]]:
    """What was measured, by name and tenant, and the names that are left once gauges are forgotten."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURES], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    texts = json.loads(done)
    seen: dict[str, dict[str, float]] = {}
    for family in text_string_to_metric_families(texts[0]):
        for sample in family.samples:
            seen.setdefault(sample.name, {})[sample.labels.get("stemma_tenant", "")] = sample.value
    left = [family.samples for family in text_string_to_metric_families(texts[1])]
    return seen, {sample.name for samples in left for sample in samples}


@pytest.mark.req("O2")
def test_every_metric_of_the_registry_is_exposed_under_its_name_and_unit_and_a_gauge_is_forgotten() -> None:
    seen, left = exposed()
    values = {"counter": [{"a": 2}], "histogram": [{"a": 1}, {"a": 1}, {"a": 3}], "gauge": [{"b": 4}]}
    for metric, meaning in MEANINGS.items():
        names = exposed_names(metric)
        assert [seen[name] for name in names] == values[meaning.kind]
        assert (names[0] in left) == (meaning.kind != "gauge")
    known = {name for metric in Metric for name in exposed_names(metric)}
    assert seen.keys() - known - {"target_info"} == set(OF_THE_PROCESS)


@pytest.mark.req("O2")
def test_every_metric_has_a_meaning() -> None:
    assert MEANINGS.keys() == set(Metric)
    assert [
        metric for metric, meaning in MEANINGS.items() if (meaning.kind == "histogram") != bool(meaning.buckets)
    ] == []
