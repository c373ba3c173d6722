"""One limit for all of a conversion: whatever a draft holds, there is an answer in time, and it says what it is."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stemma_confinement import Limits, Stalled
from stemma_contracts.v1.outcomes import ConversionFailed, DocumentConverted
from stemma_testkit.counting import UNITS, text_of

pytestmark = pytest.mark.req("S6")
SMALL, LARGE = 20_000, 1_000_000
HARD = ("quotes",)
READ = "section s0 was read"
ANSWERS = re.compile(
    r"it took too long: (the conversion|pandoc) took more than [\d.]+ s of CPU time.*"
    r"|it took too much memory: the conversion took more than \d+ MB.*"
    r"|(section s0, line \d+: )?(.*nested too deeply|(pandoc|conversion|typesetting) stopped).*"
)


def answered(outcome: DocumentConverted | ConversionFailed) -> bool:
    """Whether there is a document, or an answer that says what keeps it from being one."""
    return isinstance(outcome, DocumentConverted) or ANSWERS.fullmatch(outcome.detail) is not None


def running(folder: str) -> list[str]:
    """The processes whose arguments or folder lie in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if folder in (process / "cmdline").read_text() or folder in str((process / "cwd").readlink()):
                found.append(process.name)
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
    return found


@pytest.mark.parametrize("name", HARD)
async def test_a_draft_that_is_hard_to_read_is_answered_within_the_limit(confined: Any, name: str) -> None:
    confined.limits = Limits(seconds=1, memory_mb=1024)
    assert answered(await confined.outcome("md", "# A\n\n" + text_of(UNITS[name], SMALL)))


@pytest.mark.full
@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
async def test_whatever_a_draft_holds_there_is_an_answer_within_the_limit(confined: Any, unit: str, size: int) -> None:
    confined.limits = Limits(seconds=4, memory_mb=1024)
    async with asyncio.timeout(300):
        outcome = await confined.outcome("md", "# A\n\n" + text_of(unit, size))
    assert answered(outcome), outcome


async def test_markup_on_which_a_parser_takes_minutes_is_a_timeout_and_leaves_nothing_running(
    confined: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    confined.limits = Limits(seconds=1)
    outcome = await confined.outcome("md", "# A\n\n<div>" + "<!--" * 100_000 + "\n")
    assert isinstance(outcome, ConversionFailed)
    assert (
        outcome.detail == f"it took too long: {(why := 'the conversion took more than 1 s of CPU time')} while {READ}"
    )
    assert (outcome.code, outcome.params) == ("conversion_timeout", {"reason": f"{why} while {READ}"})
    assert running(str(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


async def test_a_program_of_a_conversion_that_is_called_off_ends_with_it(
    confined: Any, converter: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (waiting := tmp_path / "waits").write_text("#!/bin/sh\nsleep 600\n")
    waiting.chmod(0o755)
    confined.converter = replace(converter, pandoc=replace(converter.pandoc, program=waiting))
    converting = asyncio.create_task(confined.outcome("md", "# A\n"))
    async with asyncio.timeout(60):
        while not any("waits" in Path(f"/proc/{pid}/cmdline").read_text() for pid in running(str(tmp_path))):
            await asyncio.sleep(0.01)
    converting.cancel()
    await asyncio.wait({converting})
    assert running(str(tmp_path)) == []


@pytest.mark.req("S3")
@pytest.mark.failure("check-stalls")
async def test_a_conversion_whose_program_stalls_is_no_failed_one_and_is_tried_again(
    confined: Any, converter: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await confined.outcome("md", "# A\n")  # what conversions share has started
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (waiting := tmp_path / "waits").write_text("#!/bin/sh\nsleep 600\n")
    waiting.chmod(0o755)
    pandoc = replace(converter.pandoc, program=waiting, limits=Limits(wall_seconds=0.01))
    confined.converter, confined.limits = replace(converter, pandoc=pandoc), Limits(wall_seconds=1)
    with pytest.raises(Stalled):
        await confined.outcome("md", "# A\n")
    assert running(str(tmp_path)) == []


@pytest.mark.req("S6")
async def test_very_many_images_are_looked_for_within_the_limits_of_the_conversion(confined: Any) -> None:
    confined.limits = Limits(seconds=1, memory_mb=1024)
    draft = f"# A\n\n<!-- {'Some text planned. ' * 60_000} -->\n"
    outcome = await confined.outcome("md", draft, assets={f"plan{number:05}.png": b"" for number in range(4000)})
    assert isinstance(outcome, ConversionFailed)
    assert outcome.detail == "it took too long: the conversion took more than 1 s of CPU time"
