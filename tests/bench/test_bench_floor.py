"""What the floor of a run is made of, and how a target that is out of reach is told."""

from __future__ import annotations

from collections import Counter

import bench_report
import pytest
from bench_floor import MESSAGES


def test_the_floor_has_the_messages_of_a_document_and_each_read_model_once() -> None:
    jobs = {"jobs": 16, "outcomes": 16, "events": 18, "records": 16, "artifacts": 33}
    assert Counter(MESSAGES) == {**jobs, "views": 9, "requests": 1, "answers": 1}


def test_a_target_out_of_reach_is_missed_and_says_where_its_floor_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_report, "missed", [])
    bench_report.target("CPU of a run", 293.0, 55.0, " ms", floor="see ONLY=floor")
    assert bench_report.missed == ["CPU of a run"]
    assert "MISSED; see ONLY=floor" in capsys.readouterr().out


@pytest.mark.parametrize(("values", "noise"), [([2.0], 0.0), ([2.0, 2.0], 0.0), ([2.0, 3.0, 2.5], 0.5)])
def test_noise_is_how_much_rounds_differ(values: list[float], noise: float) -> None:
    assert bench_report.spread(values) == noise


@pytest.mark.parametrize(("value", "noise", "missed"), [(8.0, 0.0, 0), (8.4, 0.1, 0), (8.4, 0.0, 1)])
def test_a_target_is_missed_by_more_than_the_noise(
    value: float, noise: float, missed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_report, "missed", [])
    bench_report.target("CPU", value, 8.0, " ms", noise)
    assert len(bench_report.missed) == missed
    assert ("MISSED" in capsys.readouterr().out) is bool(missed)
