"""Processes that are copies of the launcher, on the real system."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

import psutil
import pytest
from stemma_cli.local.launcher import Launched, Launcher
from stemma_cli.local.starts import Start
from stemma_cli.local.supervisor import service_names
from stemma_testkit import launched_deeds as deeds
from stemma_testkit.signals import interruptible

launcher = cache(Launcher)
"""One for all tests here, which the test run has not begun."""
PYTHONS = {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}


async def begun(
    log: Path, deed: Callable[[], None], environment: Mapping[str, str] | None = None, by: Launcher | None = None
) -> Launched:
    start = Start("deed-of-a-test", deeds.MODULE, [deed.__name__], PYTHONS if environment is None else environment)
    with log.open("wb") as file:
        return await (by or launcher()).start(start, file)


async def told(log: Path, deed: Callable[[], None], environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What a process found."""
    process = await begun(log, deed, environment)
    assert await process.wait() == 0, log.read_text()
    found: dict[str, Any] = json.loads(log.read_text())
    return found


def parent_of(process: Launched) -> psutil.Process:
    """The launcher of a process."""
    return psutil.Process(psutil.Process(process.pid).ppid())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.mark.req("S7")
async def test_a_process_has_the_environment_and_the_descriptors_that_it_is_given_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    long = {f"LONG_{number}": "x" * 100_000 for number in range(4)}
    given = {"A_KEY": "päss\nword", "EMPTY": "", "NOT_TEXT": "\udcff", **long, **PYTHONS}
    found = await told(tmp_path / "log", deeds.show_surroundings, given)
    assert found["environment"] == found["inherited"] == given
    assert found["folder"] == str(tmp_path)
    *given_ones, asking = found["descriptors"]
    assert given_ones == [0, 1, 2]
    assert found["kinds"][str(asking)] == "SEQPACKET", "it asks the launcher for processes in which it reads"
    assert found["arguments"] == [deeds.MODULE, "show_surroundings"]


async def test_a_process_is_by_itself_and_is_told_from_others_by_its_name(tmp_path: Path) -> None:
    found = await told(tmp_path / "log", deeds.show_surroundings)
    assert (found["leads_session"], found["collects"], found["masked"]) == (True, True, [])
    assert (found["name"], psutil.Process(found["launcher"]).name()) == ("deed-of-a-test", "stemma-launcher")


async def test_variables_that_python_reads_when_it_begins_act_as_they_always_do(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").touch()
    found = await told(tmp_path / "log", deeds.show_surroundings, {"PYTHONPATH": str(tmp_path)})
    assert found["customized"] == str(tmp_path / "sitecustomize.py")
    assert found["descriptors"] == [0, 1, 2]


@pytest.mark.req("S7")
async def test_no_secret_is_in_the_environment_of_the_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = "SOMEBODYS_API_KEY", "STEMMA_NATS_PASSWORD", "HTTPS_PROXY", "OTEL_EXPORTER_OTLP_HEADERS"
    for name in secrets:
        monkeypatch.setenv(name, "hidden")
    own = Launcher()
    process = await begun(tmp_path / "log", deeds.wait, by=own)
    variables = parent_of(process).environ()
    process.kill()
    await process.wait()
    assert "PATH" in variables
    assert not set(variables) & set(secrets)


async def test_copies_of_one_that_imported_all_services_lack_no_thread_and_never_give_the_same_id(
    tmp_path: Path,
) -> None:
    launcher().prepare(service_names())
    first, second = [await told(tmp_path / "log", deeds.show_ids) for _ in range(2)]
    found = await told(tmp_path / "log", deeds.show_surroundings)
    assert found["models"], "who writes finds its models imported"
    assert found["languages"], "and the languages of texts loaded, which all copies share"
    assert psutil.Process(found["launcher"]).num_threads() == 1
    moved = await told(tmp_path / "log", deeds.show_surroundings, PYTHONS | {"TMPDIR": str(tmp_path)})
    assert moved["temporary"] == str(tmp_path), "and its temporary files go where its own environment says"
    assert first.keys() == second.keys()
    assert {kind for kind in first if first[kind] == second[kind]} == set()


@pytest.mark.req("S6")
async def test_hostile_text_is_read_in_a_copy_of_the_launcher_that_has_no_secret_and_ends_with_who_asked_for_it(
    tmp_path: Path,
) -> None:
    log, secret = tmp_path / "log", "hunter" + str(os.getpid())
    process = await begun(log, deeds.confine, {"FOLDER": str(tmp_path), "STEMMA_NATS_PASSWORD": secret, **PYTHONS})
    await until(lambda: "waiting" in log.read_text())
    keeper = psutil.Process(int((tmp_path / "keeper").read_text()))
    prepared = psutil.Process(keeper.ppid())
    assert prepared.parent() == parent_of(process)
    for told in ("environment", "first"):
        assert secret not in (tmp_path / told).read_text()
    assert not {
        line for line in (tmp_path / "open").read_text().splitlines() if not line.startswith(("/dev/", "/proc"))
    }
    assert [holds(one, secret) for one in (process.pid, prepared.pid, keeper.pid)] == [True, False, False]
    process.kill()
    await process.wait()
    await until(lambda: not (prepared.is_running() or keeper.is_running()))


def holds(pid: int, word: str) -> bool:
    """Whether a word stands anywhere in the memory that a process can write to."""
    maps = [line.split() for line in Path(f"/proc/{pid}/maps").read_text().splitlines()]
    ranges = [[int(end, 16) for end in places.split("-")] for places, mode, *_ in maps if mode.startswith("rw")]
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        return any(word.encode() in _read(memory, *places) for places in ranges)


def _read(memory: IO[bytes], start: int, end: int) -> bytes:
    memory.seek(start)
    return memory.read(end - start)


@pytest.mark.parametrize(
    ("deed", "code", "said"), [(deeds.fail, 3, ""), (deeds.refuse, 1, "not like this"), (deeds.crash, 1, "unforeseen")]
)
async def test_the_exit_code_is_told_and_the_log_says_why(
    tmp_path: Path, deed: Callable[[], None], code: int, said: str
) -> None:
    process = await begun(tmp_path / "log", deed)
    assert await process.wait() == code
    assert process.returncode == code
    assert said in (tmp_path / "log").read_text()


async def test_a_copy_waits_for_its_threads_and_does_what_is_left_to_the_end_but_takes_nothing_apart(
    tmp_path: Path,
) -> None:
    process = await begun(tmp_path / "log", deeds.leave)
    assert await process.wait() == 0
    assert (tmp_path / "log").read_text() == "thread\nat exit\n"


@pytest.mark.parametrize(("end", "number"), [(Launched.terminate, signal.SIGTERM), (Launched.kill, signal.SIGKILL)])
async def test_the_signal_that_ended_a_process_is_told(
    tmp_path: Path, end: Callable[[Launched], None], number: signal.Signals
) -> None:
    process = await begun(tmp_path / "log", deeds.wait)
    assert process.returncode is None
    end(process)
    assert await process.wait() == -number
    end(process)


async def test_a_wait_that_is_given_up_loses_nothing(tmp_path: Path) -> None:
    process = await begun(tmp_path / "log", deeds.wait)
    waiting = asyncio.create_task(process.wait())
    await asyncio.sleep(0)
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    process.terminate()
    assert await process.wait() == -signal.SIGTERM


async def test_a_start_that_nobody_waits_for_any_more_is_not_made(tmp_path: Path) -> None:
    own = Launcher()
    first = await begun(tmp_path / "log", deeds.wait, by=own)
    prepared = parent_of(first)
    prepared.suspend()
    starting = asyncio.create_task(begun(tmp_path / "log", deeds.wait, by=own))
    await asyncio.sleep(0)
    starting.cancel()
    with suppress(asyncio.CancelledError):
        await starting
    prepared.resume()
    last = await begun(tmp_path / "log", deeds.wait, by=own)
    assert {child.pid for child in prepared.children()} == {first.pid, last.pid}
    for process in (first, last):
        process.terminate()
        await process.wait()


async def test_what_was_started_ends_with_the_launcher_and_another_launcher_starts_the_next(tmp_path: Path) -> None:
    own = Launcher()
    process = await begun(tmp_path / "log", deeds.wait, by=own)
    prepared = parent_of(process)
    prepared.kill()
    assert await process.wait() == -signal.SIGKILL
    assert not Path(f"/proc/{process.pid}/exe").exists()
    process = await begun(tmp_path / "log", deeds.fail, by=own)
    assert await process.wait() == 3


PROGRAM = """
import asyncio, sys
from pathlib import Path
from stemma_cli.local.launcher import launcher
from stemma_cli.local.starts import Start
from stemma_testkit import launched_deeds as deeds
async def run():
    start = Start("deed", deeds.MODULE, ["wait"], {})
    with Path(sys.argv[1]).open("wb") as log:
        process = await launcher().start(start, log)
    print(process.pid, flush=True)
    await process.wait()
asyncio.run(run())
"""


@pytest.mark.parametrize(("number", "orderly"), [(signal.SIGKILL, True), (signal.SIGINT, False)])
async def test_launcher_and_processes_end_with_the_one_that_started_them_however_it_ends(
    tmp_path: Path, number: signal.Signals, orderly: bool
) -> None:
    log = tmp_path / "log"
    parent = subprocess.Popen(
        interruptible([sys.executable, "-c", PROGRAM, str(log)]),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert parent.stdout is not None
    process = psutil.Process(int(parent.stdout.readline()))
    prepared = psutil.Process(process.ppid())
    await until(lambda: "waiting" in log.read_text())
    os.kill(parent.pid, number)
    parent.communicate()
    await until(lambda: not (process.is_running() or prepared.is_running()))
    assert ("left in good order" in log.read_text()) is orderly
