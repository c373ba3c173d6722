"""Requests are written and measured by the command that ships, with a model behind HTTP."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stemma_cli.main import app
from stemma_testkit.model_server import model_server
from typer.testing import CliRunner

REQUESTS = Path(__file__).parent / "requests.toml"
CHANGED = "section/generate/conclusion.md"


@pytest.mark.full
@pytest.mark.req("M5")
def test_a_changed_prompt_costs_its_own_calls_and_nothing_else(tmp_path: Path) -> None:
    changed = tmp_path / "prompts" / CHANGED
    changed.parent.mkdir(parents=True)
    changed.write_text("Your task: close the document.")
    with model_server() as server:
        first = _evaluated(server.base, tmp_path)
        paid = server.total
        both = _evaluated(server.base, tmp_path, "--prompts", str(tmp_path / "prompts"))
    assert (first[0]["completed"], first[0]["language"], first[0]["score"]) == (1.0, 1.0, 1.0)
    assert 0 <= first[0]["demands"] <= 1
    assert paid > 2
    assert 0 < server.total - paid <= 2, "the conclusion and its judgement"
    shipped, other = both
    assert shipped["tokens"] == first[0]["tokens"] > other["tokens"]
    assert {file.suffix for file in tmp_path.joinpath("out").glob("results.*")} == {".html", ".xml", ".json"}


@pytest.mark.full
@pytest.mark.req("M5")
def test_a_model_without_its_key_and_a_refused_request_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    file = tmp_path / "set.toml"
    file.write_text('[requests.one]\nkind = "ballad"\nbrief = "Sing."\nlicence = "ours"\n')
    told = CliRunner().invoke(
        app, ["eval", str(file), "--output", str(tmp_path), "--model", "anthropic/claude-sonnet-4-5"]
    )
    assert (told.exit_code, "ANTHROPIC_API_KEY" in told.stderr) == (1, True)
    told = CliRunner().invoke(app, ["eval", str(file), "--output", str(tmp_path)])
    assert "ballad" in told.stderr


@pytest.mark.full
@pytest.mark.req("M5")
def test_a_signal_stops_all_that_was_started_and_leaves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    code = "from stemma_cli.main import main; main()"
    command = [sys.executable, "-c", code, "eval", str(REQUESTS), "--output", str(tmp_path / "out")]
    env = os.environ | {"TMPDIR": str(place)}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert "offline" in running.stderr.readline()
        running.send_signal(signal.SIGTERM)
        told = running.stderr.read()
    assert (running.returncode, "goes on from the calls" in told, [*place.iterdir()]) == (130, True, [])


def _evaluated(base: str, folder: Path, *more: str) -> list[dict[str, Any]]:
    named = f"--model openai/scripted --api-base {base} --context 1000000 --output {folder}/out --json"
    told = CliRunner().invoke(app, ["eval", str(REQUESTS), "--only", "camp", *named.split(), *more])
    assert told.exit_code == 0, told.stderr
    found: list[dict[str, Any]] = json.loads(told.stdout)
    return found
