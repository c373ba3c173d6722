"""Prometheus takes the committed files, and what a test waits for is the same in a faster time."""

from __future__ import annotations

import copy
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from metrics_scaling import CONFIGURATION, RULES, at_home, scaled_rules, shortened, write_scaled
from stemma_testkit.prometheus import program

pytestmark = pytest.mark.req("O2")
PORTS = {"orchestrator": 1, "generation-graph": 2}
RULE: dict[str, Any] = {
    "alert": "A",
    "expr": "rate(a_total[10m]) / sum(b[1d]) > 0.5",
    "for": "2m",
    "labels": {"x": "10m"},
}


def checked(what: str, file: Path) -> str:
    """What ``promtool`` says of a file that it takes."""
    command = [program("promtool"), "check", what, str(file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.full
def test_prometheus_takes_the_committed_files(tmp_path: Path) -> None:
    rules = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    number = sum(len(group["rules"]) for group in rules["groups"])
    assert f"SUCCESS: {number} rules found" in checked("rules", RULES)
    assert "is valid prometheus config file syntax" in checked("config", CONFIGURATION)
    jobs = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["scrape_configs"]
    ports = {job["job_name"]: number for number, job in enumerate(jobs, 1)}
    checked("config", write_scaled(tmp_path, ports, 30))


@pytest.mark.full
def test_promtool_refuses_what_is_no_rule(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("groups: [{name: a, rules: [{alert: A, expr: 'sum by ('}]}]")
    with pytest.raises(AssertionError, match="could not parse expression"):
        checked("rules", tmp_path / "rules.yaml")


def test_what_has_to_be_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="prometheus is not on the path: install the package prometheus"):
        program("prometheus")


def test_rules_in_a_faster_time_differ_in_durations_alone() -> None:
    plain = {"expr": "vector(1) > 259200", "record": "b"}
    rules = {"groups": [{"name": "all", "rules": [RULE, plain]}]}
    before = copy.deepcopy(rules)
    faster = {**RULE, "expr": "rate(a_total[20000ms]) / sum(b[2880000ms]) > 0.5", "for": "4000ms"}
    assert scaled_rules(rules, 30) == {"groups": [{"name": "all", "rules": [faster, plain]}]}
    assert rules == before


def test_a_duration_is_never_nothing() -> None:
    assert [shortened("2m", 60), shortened("1h", 30), shortened("1ms", 30)] == ["2000ms", "120000ms", "1ms"]


def test_jobs_are_asked_at_ports_of_this_machine() -> None:
    jobs = [{"job_name": job, "dns_sd_configs": [{"names": [job]}]} for job in PORTS]
    timing = {"scrape_interval": "15s", "evaluation_interval": "15s"}
    configuration = {"global": timing, "rule_files": ["alerts.yaml"], "scrape_configs": jobs}
    here = at_home(configuration, PORTS, 30)
    assert here["global"] == {"scrape_interval": "1s", "evaluation_interval": "500ms"}
    assert here["rule_files"] == ["alerts.yaml"]
    assert here["scrape_configs"] == [
        {"job_name": job, "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]} for job, port in PORTS.items()
    ]
    with pytest.raises(KeyError):
        at_home(configuration, {"orchestrator": 1}, 30)
