"""What copies of a process start by its launcher, and programs that are copies themselves."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest
from stemma_cli.local.launcher import Launcher
from stemma_cli.local.starts import Start
from stemma_testkit import launched_deeds as deeds
from stemma_testkit.commands import copied_programs


def start_one(launcher: Launcher, log: Path) -> None:
    async def started() -> int:
        start = Start("deed", deeds.MODULE, [deeds.show_surroundings.__name__], dict(os.environ))
        with log.open("wb") as file:
            return await (await launcher.start(start, file)).wait()

    sys.exit(asyncio.run(started()))


@pytest.mark.req("E6")
def test_copies_of_one_process_start_services_by_the_launcher_that_it_has_begun(tmp_path: Path) -> None:
    own, logs = Launcher(), [tmp_path / name for name in "ab"]
    own.prepare([])
    copies = [get_context("fork").Process(target=start_one, args=(own, log)) for log in logs]
    for copy in copies:
        copy.start()
    for copy in copies:
        copy.join()
    assert [copy.exitcode for copy in copies] == [0, 0]
    assert len({json.loads(log.read_text())["launcher"] for log in logs}) == 1


@pytest.mark.req("E6")
async def test_a_copied_program_has_its_arguments_and_says_and_ends_as_the_program_does(tmp_path: Path) -> None:
    program = "stemma-provision"
    with copied_programs(program) as programs:
        for arguments in (["--help"], ["--no-such-option"]):
            copy, real = (
                subprocess.run([folder / program, *arguments], cwd=tmp_path, capture_output=True, check=False)
                for folder in (programs, Path(sys.executable).parent)
            )
            assert (copy.returncode, copy.stdout, copy.stderr) == (real.returncode, real.stdout, real.stderr)
