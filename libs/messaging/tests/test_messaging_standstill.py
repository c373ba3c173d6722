"""A process whose event loop stands still ends, also where no code of Python can run any more."""

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.req("S6")
PROGRAM = """
import asyncio, re
from stemma_messaging.service import ended_by_standstill

async def main():
    async with ended_by_standstill(0.2):
        {work}

asyncio.run(main())
"""


def run(work: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(work=work)], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.failure("loop-stands-still")
def test_a_loop_that_stands_still_ends_the_process_which_says_where() -> None:
    ended = run("await asyncio.sleep(0); re.match('(a*)*b', 'a' * 64)")
    assert ended.returncode == -signal.SIGPROF
    assert "in main" in ended.stderr


@pytest.mark.req("O2")
def test_a_loop_that_waits_stays_and_how_late_it_was_is_measured() -> None:
    measured = "stemma_loop_lag_seconds "
    ended = run(
        "import time; from stemma_telemetry import configure; from stemma_telemetry.measuring import exposition; "
        "configure('late'); await asyncio.sleep(0); time.sleep(1.2)\n"
        f"        while {measured!r} not in (text := exposition().decode()): await asyncio.sleep(0.01)\n"
        "        print(text)",
    )
    assert ended.returncode == 0
    (line,) = (line for line in ended.stdout.splitlines() if line.startswith(measured))
    assert float(line.removeprefix(measured)) >= 0.2
