"""The part `provider` of the bench in short: its server and client are real, and a missed target is told."""

from __future__ import annotations

import bench_report
import pytest
from bench_provider import asked, server
from provider_client import most_at_once
from provider_server import TOKENS, Pace, events, writes


@pytest.mark.full
@pytest.mark.xdist_group("litellm")
async def test_answers_of_the_benchs_provider_are_taken_whole_and_cheaper_joined_than_token_by_token() -> None:
    async with server() as address:
        ours = await asked(address, "followed", 0, 1, 1)
        plain = await asked(address, "langgraph", 0, 1, 1)
    assert ours["cpu_ms"] < 0.5 * plain["cpu_ms"]
    assert ours["memory_mb"] > 50


def test_chunks_that_are_written_together_are_the_chunks_that_are_written_one_by_one() -> None:
    pace = Pace.of(b"post /30x10+/v1/chat/completions http/1.1")
    assert (pace.rate, pace.together, pace.whole_s(scores=True)) == (30.0, 10, 20.0)
    assert Pace.of(b"post /50/v1/chat/completions").whole_s(scores=True) == 0
    joined, alone = writes("Quay", pace.together), events("Quay")
    assert (len(joined), len(alone)) == (TOKENS / pace.together, TOKENS)
    assert b"".join(joined) == b"".join(alone)


def test_calls_are_under_way_at_once_that_have_a_moment_in_common() -> None:
    assert most_at_once([(0.0, 2.0), (1.0, 3.0), (2.0, 4.0)]) == 2
    assert most_at_once([(0.0, 9.0), (1.0, 3.0), (2.0, 4.0), (5.0, 6.0)]) == 3


@pytest.mark.parametrize(("value", "noise", "missed"), [(8.0, 0.0, 0), (8.4, 0.1, 0), (8.4, 0.0, 1)])
def test_a_target_is_missed_by_more_than_the_noise(
    value: float, noise: float, missed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_report, "missed", [])
    bench_report.target("CPU", value, 8.0, " ms", noise)
    assert len(bench_report.missed) == missed
    assert ("MISSED" in capsys.readouterr().out) is bool(missed)
