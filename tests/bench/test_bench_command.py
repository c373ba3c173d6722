from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).with_name("run.py")


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(BENCH), *arguments], capture_output=True, text=True, check=False)


def test_refuses_a_part_that_there_is_not_and_names_those_that_there_are() -> None:
    ended = bench("--only", "runs,lintt")
    assert ended.returncode == 2
    assert "no part is called 'lintt'; there are floor, ready, runs" in ended.stderr


def test_help_says_what_each_part_measures() -> None:
    assert (
        "  scale      runs, lint, export and a restart with 1, 1,000 and 20,000 other documents in the log\n"
        in bench("--help").stdout
    )
