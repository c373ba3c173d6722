"""The committed files for Prometheus with this machine's addresses, and with durations that a test can wait for."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from composition import ROOT

FOLDER = ROOT / "deploy" / "observability"
RULES, CONFIGURATION = FOLDER / "alerts.yaml", FOLDER / "prometheus.yaml"
SCRAPE = "1s"
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_RANGE = re.compile(r"\[(\w+)\]")


def shortened(duration: str, factor: int) -> str:
    """A duration of Prometheus, so many times shorter."""
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h|d)", duration).groups()  # type: ignore[union-attr]
    return f"{max(1, int(number) * _MILLISECONDS[unit] // factor)}ms"


def scaled_rules(rules: Mapping[str, Any], factor: int) -> dict[str, Any]:
    """The same rules; what they wait for and look back at is so many times shorter, and nothing else differs."""
    return {
        "groups": [{**group, "rules": [_scaled(rule, factor) for rule in group["rules"]]} for group in rules["groups"]]
    }


def _scaled(rule: Mapping[str, Any], factor: int) -> dict[str, Any]:
    expression = _RANGE.sub(lambda found: f"[{shortened(found[1], factor)}]", rule["expr"])
    waits = {"for": shortened(rule["for"], factor)} if "for" in rule else {}
    return {**rule, "expr": expression, **waits}


def at_home(configuration: Mapping[str, Any], ports: Mapping[str, int], factor: int) -> dict[str, Any]:
    """The same jobs at ports of this machine, asked every second; a job without a port raises `KeyError`."""
    jobs = [
        {"job_name": job["job_name"], "static_configs": [{"targets": [f"127.0.0.1:{ports[job['job_name']]}"]}]}
        for job in configuration["scrape_configs"]
    ]
    evaluation = shortened(configuration["global"]["evaluation_interval"], factor)
    return {
        **configuration,
        "global": {"scrape_interval": SCRAPE, "evaluation_interval": evaluation},
        "scrape_configs": jobs,
    }


def write_scaled(folder: Path, ports: Mapping[str, int], factor: int) -> Path:
    """The configuration beside its rules, in a folder."""
    rules, configuration = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in (RULES, CONFIGURATION))
    (folder / RULES.name).write_text(yaml.safe_dump(scaled_rules(rules, factor)))
    (folder / CONFIGURATION.name).write_text(yaml.safe_dump(at_home(configuration, ports, factor)))
    return folder / CONFIGURATION.name
