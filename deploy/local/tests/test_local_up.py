from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

STEMMA = [sys.executable, "-c", "from stemma_client.cli.main import main; main()"]


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("STEMMA_")}


@pytest.fixture
def up(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    started = subprocess.Popen(
        [*STEMMA, "up", "--in-process", "--json"], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True
    )
    yield started
    if started.poll() is None:
        started.terminate()
        started.wait(60)
    assert started.stdout is not None
    started.stdout.close()


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*STEMMA, *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


def alive(pid: int) -> bool:
    return subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).returncode == 0


@pytest.mark.timeout(120)
def test_up_tells_when_it_is_ready_serves_the_other_verbs_and_leaves_nothing_behind(
    up: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert up.stdout is not None
    lines = [json.loads(next(up.stdout))]
    while lines[-1]["part"] != "stemma":
        lines.append(json.loads(next(up.stdout)))
    state = json.loads((tmp_path / ".stemma" / "stemma.json").read_text())
    pids = [state["pid"], state["nats_pid"], *state["services"].values()]

    listed, second = run(tmp_path, "list"), run(tmp_path, "up")
    up.send_signal(signal.SIGTERM)
    rest = up.stdout.read()

    assert [line["part"] for line in lines if line["message"] == "ready"] == ["services", "stemma"]
    assert lines[-1] == {"part": "stemma", "message": "ready"}
    assert (listed.returncode, listed.stdout) == (0, "")
    assert (second.returncode, second.stderr.strip().endswith(f"(pid {state['pid']})")) == (1, True)
    assert (up.wait(60), json.loads(rest.splitlines()[-1])) == (0, {"part": "stemma", "message": "stopped"})
    assert not any(map(alive, pids))
    assert run(tmp_path, "list").returncode == 4


def test_what_the_demo_says_as_json_is_its_files_alone(tmp_path: Path) -> None:
    told = run(tmp_path, "demo", "--kind", "poem", "--json")
    assert (told.returncode, told.stdout) == (2, "")
    assert "no demonstration of 'poem'" in told.stderr
