from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from bench_generation import in_place_of_others
from bench_model import bench_model
from langchain_core.messages import HumanMessage
from stemma_artifacts.store import MemoryArtifactStore
from stemma_generation_graph.app import open_models
from stemma_generation_graph.settings import GenerationSettings
from stemma_models import CallContext, MemoryRecordStore

BENCH = Path(__file__).with_name("run.py")


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(BENCH), *arguments], capture_output=True, text=True, check=False)


def test_refuses_a_part_that_there_is_not_and_names_those_that_there_are() -> None:
    ended = bench("--only", "runs,lintt")
    assert ended.returncode == 2
    assert "no part is called 'lintt'; there are ready, verbs, runs" in ended.stderr


def test_help_says_what_each_part_measures(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The program runs here: to execute it imports all that is measured."""
    monkeypatch.setattr(sys, "argv", [str(BENCH), "--help"])
    with pytest.raises(SystemExit, match="0"):
        runpy.run_path(str(BENCH), run_name="__main__")
    assert (
        "  scale      runs, lint, export and a restart with 1, 1,000 and 20,000 other documents in the log\n"
        in capsys.readouterr().out
    )


async def test_the_service_that_is_measured_is_answered_by_the_model_of_the_bench() -> None:
    with in_place_of_others(bench_model("trivial", 0)):
        models = await open_models(GenerationSettings(), MemoryRecordStore(), MemoryArtifactStore())
    context = CallContext(tenant="default", document_id="d1", section_id="s1", job_id="d1.1.generate.s1", thread_id="t")
    answer = await models.default.text(context, "write", [HumanMessage("<section title='Quay'></section>")])
    assert "The quick brown fox" in answer.value
