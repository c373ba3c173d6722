import runpy
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE, STDOUT

import pytest
from bench_generation import in_place_of_others
from bench_model import TrivialModel
from langchain_core.messages import HumanMessage
from stemma_artifacts.store import MemoryArtifactStore
from stemma_generation_graph.app import open_models
from stemma_generation_graph.settings import GenerationSettings
from stemma_models import CallContext, MemoryRecordStore

ROOT = Path(__file__).parents[2]
BENCH = Path(__file__).with_name("run.py")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--only", "runs,lintt"], 2, "no part is called 'lintt'; there are ready, verbs, runs"),
        (["--help"], 0, "  recovery   how soon a section goes on after kill -9 of a worker"),
    ],
)
def test_help_says_what_each_part_measures_and_a_part_that_there_is_not_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    monkeypatch.setattr(sys, "argv", [str(BENCH), *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(BENCH), run_name="__main__")
    assert (ended.value.code, words in "".join(capsys.readouterr())) == (code, True)


def test_make_finds_all_that_the_bench_imports() -> None:
    """As `make` runs it, without the paths of the tests."""
    installed = [part for stamp in ("run", "setup") for part in ("-o", f"{sys.prefix}/.stemma-{stamp}")]
    command = ["make", "-C", str(ROOT), f"VENV={sys.prefix}", *installed, "bench", "ONLY=lintt"]
    ran = subprocess.run(command, check=False, stdout=PIPE, stderr=STDOUT, text=True)
    assert "no part is called 'lintt'" in ran.stdout


async def test_the_service_that_is_measured_is_answered_by_the_model_of_the_bench() -> None:
    with in_place_of_others(TrivialModel()):
        models = await open_models(GenerationSettings(), MemoryRecordStore(), MemoryArtifactStore())
    context = CallContext(tenant="default", document_id="d1", section_id="s1", job_id="d1.1.generate.s1", thread_id="t")
    answer = await models.default.text(context, "write", [HumanMessage("<section title='Quay'></section>")])
    assert "The quick brown fox" in answer.value
