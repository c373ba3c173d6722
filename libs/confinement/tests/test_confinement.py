"""Calls in processes of their own, on the real system."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from stemma_confinement import ConfinementError, Crashed, Limits, OutOfMemory, OutOfTime, Prepared, Stalled
from stemma_confinement.programs import run_program
from stemma_testkit import confined_deeds as deeds
from stemma_testkit.signals import interruptible

pytestmark = pytest.mark.req("S6")
ROOMY = Limits(seconds=60, memory_mb=1024, output_mb=1)
PREPARED = Prepared(deeds.prepare)


def running(word: str) -> list[int]:
    """The processes that have a word among their arguments or their folder there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            places = (process / "cmdline").read_text(), str((process / "cwd").readlink())
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
        if any(word in place for place in places):
            found.append(int(process.name))
    return found


def children(parent: int) -> list[int]:
    """The processes that a process started."""
    stats = (path for path in Path("/proc").glob("[0-9]*/stat") if path.exists())
    told = [(path, path.read_text().rpartition(")")[2].split()) for path in stats]
    return [int(path.parent.name) for path, fields in told if int(fields[1]) == parent]


async def begun(folder: Path) -> int:
    """The process of a call, once it is there."""
    async with asyncio.timeout(60):
        while not (there := folder / "begun").exists() or not there.read_text():
            await asyncio.sleep(0.01)
    return int(there.read_text())


async def test_a_call_finds_its_folder_and_leaves_its_work_there(tmp_path: Path) -> None:
    await PREPARED.run(deeds.write_greeting, tmp_path, ROOMY)
    assert (tmp_path / "out").read_text() == "hello"
    assert running(str(tmp_path)) == []
    assert int((tmp_path / "nice").read_text()) > os.nice(0), "it leaves the processor to the service"
    assert int((tmp_path / "prepared-at").read_text()) == os.nice(0), "a first call does not wait for others' work"
    if (session := tmp_path / "session").exists():
        assert session.read_text().split()[-1] == (tmp_path / "nice").read_text(), "and so does its session"


async def test_a_call_has_no_secret_and_no_connection_of_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEMMA_CONVERTER_NATS_PASSWORD", "hunter2")
    listening = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    async with listening:
        await Prepared(deeds.prepare).run(deeds.write_surroundings, tmp_path, ROOMY)
    variables = (tmp_path / "environment").read_text()
    assert f"HOME={tmp_path}" in variables
    assert "hunter2" not in variables
    assert b"hunter2" not in (tmp_path / "first").read_bytes()
    assert "socket:" not in (tmp_path / "open").read_text()


async def test_a_call_that_does_not_end_by_the_clock_has_stalled_and_is_ended_with_all_that_it_started(
    tmp_path: Path,
) -> None:
    with pytest.raises(Stalled, match=r"no end within 1 s"):
        await PREPARED.run(deeds.leave_children_and_sleep, tmp_path, Limits(wall_seconds=1))
    assert running(str(tmp_path)) == []


@pytest.mark.parametrize("seconds", [0.2, 30, 900])
def test_a_call_that_computes_has_many_times_its_cpu_time_by_the_clock(seconds: float) -> None:
    limits = Limits(seconds=seconds)
    assert limits.by_the_clock >= 10 * seconds
    assert seconds <= limits.cpu_seconds[0] < limits.cpu_seconds[1]


async def test_what_a_call_leaves_running_is_ended(tmp_path: Path) -> None:
    await PREPARED.run(deeds.leave_children, tmp_path, ROOMY)
    assert running(str(tmp_path)) == []


async def test_a_call_that_nobody_waits_for_any_more_is_ended(tmp_path: Path) -> None:
    calling = asyncio.create_task(PREPARED.run(deeds.leave_children_and_sleep, tmp_path, ROOMY))
    await begun(tmp_path)
    calling.cancel()
    await asyncio.wait({calling})
    assert calling.cancelled()
    assert running(str(tmp_path)) == []


@pytest.mark.req("V2")
async def test_a_program_that_nobody_waits_for_any_more_is_ended_with_its_children(tmp_path: Path) -> None:
    command = ("/bin/sh", "-c", "sleep 300 & echo $$ > begun; wait")
    calling = asyncio.create_task(run_program(command, folder=tmp_path, limits=ROOMY))
    await begun(tmp_path)
    calling.cancel()
    await asyncio.wait({calling})
    async with asyncio.timeout(10):
        while running(str(tmp_path)):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("deed", "limits", "told"),
    [
        (deeds.fill_memory, Limits(memory_mb=512), OutOfMemory),
        (deeds.compute, Limits(seconds=0.5), OutOfTime),
        (deeds.have_computed, Limits(seconds=0.5), OutOfTime),
        (deeds.fill_disk, ROOMY, Crashed),
        (deeds.write_greeting, Limits(seconds=60, memory_mb=1024, output_mb=0), Crashed),
        (deeds.fail, ROOMY, Crashed),
        (deeds.die, ROOMY, Crashed),
    ],
)
async def test_what_a_call_may_not_do_is_an_error_that_says_which_limit(
    tmp_path: Path, deed: Callable[[Path], None], limits: Limits, told: type[ConfinementError]
) -> None:
    with pytest.raises(told):
        await PREPARED.run(deed, tmp_path, limits)


async def test_what_a_call_raised_is_told_by_its_place_and_never_by_its_words(tmp_path: Path) -> None:
    with pytest.raises(Crashed) as crash:
        await PREPARED.run(deeds.fail, tmp_path, ROOMY)
    assert re.fullmatch(r"ValueError at confined_deeds\.py:\d+", crash.value.raised)
    with pytest.raises(Crashed) as crash:
        await PREPARED.run(deeds.die, tmp_path, ROOMY)
    assert crash.value.status == -signal.SIGSEGV


async def test_calls_at_the_same_time_and_one_after_the_other_share_nothing(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(8)]
    for folder in folders:
        folder.mkdir()
    await asyncio.gather(*(PREPARED.run(deeds.count_objects, folder, ROOMY) for folder in folders[:6]))
    for folder in folders[6:]:
        await PREPARED.run(deeds.count_objects, folder, ROOMY)
    assert {(folder / "out").read_text() for folder in folders} == {"0"}


async def test_another_process_is_prepared_when_one_was_killed(tmp_path: Path) -> None:
    before = children(os.getpid())
    prepared = Prepared(deeds.prepare)
    await prepared.run(deeds.write_greeting, tmp_path, ROOMY)
    [started] = set(children(os.getpid())) - set(before)
    os.kill(started, signal.SIGKILL)
    async with asyncio.timeout(60):
        while Path(f"/proc/{started}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
            await asyncio.sleep(0.01)
    await prepared.run(deeds.write_greeting, tmp_path, ROOMY)


PROGRAM = """
import asyncio, sys
from pathlib import Path
from stemma_confinement import Limits, Prepared
from stemma_confinement.programs import run_program
from stemma_testkit import confined_deeds as deeds
asyncio.run(Prepared(deeds.prepare).run(deeds.leave_children_and_sleep, Path(sys.argv[1]), Limits()))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
async def test_the_prepared_process_and_all_calls_end_with_the_service_however_it_ends(
    tmp_path: Path, number: signal.Signals
) -> None:
    command = interruptible([sys.executable, "-c", PROGRAM, str(tmp_path)])
    service = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    await begun(tmp_path)
    [prepared] = children(service.pid)
    service.send_signal(number)
    service.wait()
    async with asyncio.timeout(60):
        while running(str(tmp_path)) or Path(f"/proc/{prepared}").exists():
            await asyncio.sleep(0.01)
