"""Dashboards, alerts and the page about them speak of metrics that there are, and of all of them."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import yaml
from composition import ROOT
from stemma_contracts import subjects
from stemma_telemetry.metrics import OF_THE_PROCESS, exposed_names
from stemma_telemetry.names import Attr, Metric

FOLDER = ROOT / "deploy" / "observability"
LAYER = FOLDER / "compose.yaml"
PAGE = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
EXPOSED = {name for metric in Metric for name in exposed_names(metric)} | set(OF_THE_PROCESS)
WORD = re.compile(r"[a-zA-Z_]\w+")
OURS = re.compile(r"(stemma|gen_ai|messaging|http|process|validation|rollback)_")
LABELS = {attribute.replace(".", "_") for attribute in Attr}
pytestmark = pytest.mark.req("O2")


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((FOLDER / "alerts.yaml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def queries() -> Iterator[str]:
    """Of all panels and all rules."""
    for file in sorted((FOLDER / "dashboards").glob("*.json")):
        for panel in json.loads(file.read_text(encoding="utf-8"))["panels"]:
            yield from (target["expr"] for target in panel["targets"])
    yield from (rule["expr"] for rule in rules())


def metrics_in(texts: Iterable[str]) -> set[str]:
    """What of a text is a name of ours and neither a label nor what a rule records."""
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    words = {word for text in texts for word in WORD.findall(text) if OURS.match(word)}
    return words - LABELS - recorded


def test_every_metric_of_a_dashboard_or_an_alert_is_one_that_services_expose() -> None:
    assert metrics_in(queries()) - EXPOSED == set()
    assert metrics_in(["sum(stemma_misspelt_total)"]) - EXPOSED == {"stemma_misspelt_total"}


def test_every_metric_of_the_registry_is_in_a_dashboard() -> None:
    used = metrics_in(queries())
    assert [metric for metric in Metric if not used.intersection(exposed_names(metric))] == []


def test_the_page_lists_every_metric_and_no_other() -> None:
    table = PAGE.split("## Metrics")[1].split("## Alerts")[0]
    listed = metrics_in(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))
    bases = {re.sub("_(bucket|count|sum)$", "", name) for metric in Metric for name in exposed_names(metric)}
    assert listed == bases | set(OF_THE_PROCESS)


def test_each_alert_says_what_to_do() -> None:
    alerts = [rule for rule in rules() if "alert" in rule]
    assert alerts
    assert [rule["alert"] for rule in alerts if not rule["annotations"].get("description")] == []


def test_every_service_is_asked_and_expected() -> None:
    configuration = yaml.safe_load((FOLDER / "prometheus.yaml").read_text(encoding="utf-8"))
    asked = [config["job_name"] for config in configuration["scrape_configs"]]
    expected = [rule["labels"]["job"] for rule in rules() if "record" in rule]
    assert {*subjects.SERVICES, subjects.GATEWAY} <= set(asked)
    assert asked == expected


def test_the_layer_mounts_files_that_are_there_and_publishes_to_this_machine_alone() -> None:
    services = yaml.safe_load(LAYER.read_text(encoding="utf-8"))["services"].values()
    mounts = [mount.split(":") for service in services for mount in service["volumes"] if mount.startswith(".")]
    assert [where for where, _, mode in mounts if not (ROOT / where).exists() or mode != "ro"] == []
    assert [port for service in services for port in service["ports"] if not port.startswith("127.0.0.1:")] == []
