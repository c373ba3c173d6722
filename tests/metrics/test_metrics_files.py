"""Prometheus takes the committed files, and what a test waits for is the same in a faster time."""

import subprocess
from pathlib import Path

import pytest
import yaml
from metrics_scaling import CONFIGURATION, RULES, write_scaled
from stemma_testkit.prometheus import program

pytestmark = pytest.mark.req("O2")


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
