import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from stemma_cli.local.processes import DidNotStartError, ManagedProcess

READY = (
    "import os, pathlib, signal, sys; print('hello', *os.environ.keys() - {'LC_CTYPE'}, flush=True); "
    "pathlib.Path(sys.argv[1]).touch(); signal.pause()"
)


@pytest.fixture
def reports() -> list[str]:
    return []


@pytest.fixture
def process(tmp_path: Path, reports: list[str]) -> Callable[[str], ManagedProcess]:
    def make(code: str) -> ManagedProcess:
        command = sys.executable, "-c", code, str(tmp_path / "ready")
        return ManagedProcess(
            "thing",
            command,
            {"GIVEN": "x"},
            log=tmp_path / "thing.log",
            ready_file=tmp_path / "ready",
            report=lambda name, message: reports.append(f"{name} {message}"),
        )

    return make


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.mark.req("S7")
async def test_a_process_is_started_when_it_says_that_it_is_ready_and_knows_no_variable_but_those_that_it_is_given(
    process: Callable[[str], ManagedProcess], tmp_path: Path, reports: list[str]
) -> None:
    thing = process(READY)

    await thing.start(20)
    ready, reported = thing.ready, list(reports)
    await thing.stop()

    assert (ready, reported) == (True, ["thing ready"])
    assert thing.pid is None
    assert (tmp_path / "thing.log").read_text() == "hello GIVEN\n"


async def test_a_process_that_is_killed_comes_back(
    process: Callable[[str], ManagedProcess], reports: list[str]
) -> None:
    thing = process(READY)
    await thing.start(20)
    first = thing.pid

    thing.kill()
    await until(lambda: thing.restarts == 1)
    await thing.wait_ready()
    second = thing.pid
    await thing.stop()

    assert second not in (None, first)
    assert "thing ended with SIGKILL, starts again in 0.2 s" in reports


async def test_a_process_that_was_stopped_stays_down_until_it_is_started(
    process: Callable[[str], ManagedProcess],
) -> None:
    thing = process(READY)
    await thing.start(20)
    await thing.stop()

    await thing.start(20)
    restarts = thing.restarts
    await thing.stop()

    assert restarts == 0


async def test_a_process_that_refuses_its_settings_is_not_tried_again(
    process: Callable[[str], ManagedProcess], tmp_path: Path
) -> None:
    thing = process("import sys; print('unknown key: colour'); sys.exit(2)")

    with pytest.raises(DidNotStartError, match="thing refused to start"):
        await thing.start(20)

    assert (thing.restarts, (tmp_path / "thing.log").read_text()) == (0, "unknown key: colour\n")


async def test_a_process_that_dies_again_and_again_before_it_is_ready_is_given_up(
    process: Callable[[str], ManagedProcess], reports: list[str]
) -> None:
    thing = process("import sys; sys.exit(1)")

    with pytest.raises(DidNotStartError, match="thing refused to start"):
        await thing.start(60)

    assert [r.split(", ")[1] for r in reports] == [f"starts again in {s} s" for s in ("0.2", "0.4", "0.8", "1.6")]


async def test_a_process_that_is_not_ready_in_time_is_told(process: Callable[[str], ManagedProcess]) -> None:
    thing = process("import signal; signal.pause()")

    with pytest.raises(DidNotStartError, match=r"was not ready in 0\.2 s"):
        await thing.start(0.2)
    await thing.stop()

    assert thing.pid is None


def test_a_service_ends_when_its_parent_is_gone() -> None:
    code = "import signal; from stemma_cli.local.run import end_with_parent; end_with_parent(); signal.pause()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)

    assert child.stdin is not None
    child.stdin.close()

    assert child.wait(20) == -signal.SIGTERM
