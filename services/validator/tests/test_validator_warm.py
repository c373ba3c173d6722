from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import psutil
import pytest
from stemma_confinement import Limits
from stemma_validator.engines import RumdlEngine, WarmRumdl, warm_rumdl
from stemma_validator.engines.rumdl import packaged_rumdl
from stemma_validator.engines.warm import WARM_CHARACTERS
from stemma_validator.errors import EngineCrashed, EngineNotFound
from stemma_validator.normalise import RawIssue

from .conftest import RULES

BROKEN = (
    "# Title\n\ntext <b>bold</b> \n\n\n\n* item\n\n### Deep\n\n| a | b |\n| --- | --- |\n| 1 |\n\nhttps://example.org\n"
)
TEXTS = {
    "clean": "# Title\n\nText.\n",
    "empty": "",
    "broken": BROKEN,
    "byte order mark": "\ufeff# Title\n\ntext \n",
    "carriage returns": BROKEN.replace("\n", "\r\n") + "\r\n\r\n",
    "switched off": "<!-- rumdl-disable -->\n" + BROKEN,
    "not Latin": "# Τίτλος\n\nκείμενο <b>𝒙</b> \n",
    "long": BROKEN + "word " * WARM_CHARACTERS,
}
Build = Callable[..., AbstractAsyncContextManager[WarmRumdl]]


@pytest.fixture
async def warm() -> AsyncIterator[WarmRumdl]:
    async with warm_rumdl(RULES, executable=packaged_rumdl(), limits=Limits(), processes=2) as engine:
        yield engine


@pytest.fixture
def script(tmp_path: Path) -> Build:
    """An engine whose program is a shell script; ``$1`` tells it whether it is to stay."""

    def build(body: str) -> AbstractAsyncContextManager[WarmRumdl]:
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        return warm_rumdl(RULES, executable=program, limits=Limits(), processes=1, warm_seconds=0.5)

    return build


def children() -> list[psutil.Process]:
    """What an engine of this process may have started; other tests have services and servers running."""
    own = {"rumdl", "program", "sh", "sleep"}
    started = [process for process in psutil.Process().children() if process.name() in own]
    return [*started, *(child for process in started for child in process.children(recursive=True))]


def told(issues: list[RawIssue]) -> list[tuple[object, ...]]:
    return sorted((i.line_number, i.rule_names, i.description, i.error_detail) for i in issues)


@pytest.mark.req("V1", "V3")
@pytest.mark.parametrize("name", TEXTS)
async def test_finds_exactly_what_a_process_of_its_own_finds(warm: WarmRumdl, rumdl: RumdlEngine, name: str) -> None:
    assert told(await warm.lint(TEXTS[name])) == told(await rumdl.lint(TEXTS[name]))


@pytest.mark.req("V1")
async def test_many_drafts_at_once_each_get_their_own_issues(warm: WarmRumdl) -> None:
    texts = ["# Title\n\n" + "text \n\n" * n + "end\n" for n in range(20)]
    found = await asyncio.gather(*(warm.lint(text) for text in texts))
    assert [len(issues) for issues in found] == list(range(20))


async def test_one_process_lints_draft_after_draft(warm: WarmRumdl) -> None:
    await warm.lint(BROKEN)
    first = [process.pid for process in children()]
    await warm.lint(BROKEN)
    assert [process.pid for process in children()] == first
    assert len(first) == 1


@pytest.mark.req("V2")
async def test_a_process_that_was_killed_is_replaced_and_the_draft_is_linted(warm: WarmRumdl) -> None:
    expected = told(await warm.lint(BROKEN))
    for process in children():
        process.kill()
    assert told(await warm.lint(BROKEN)) == expected
    assert told(await warm.lint(BROKEN)) == expected


async def test_nothing_is_left_at_the_end(warm: WarmRumdl) -> None:
    await warm.lint(BROKEN)
    await warm.stop()
    assert children() == []


@pytest.mark.req("V2")
@pytest.mark.parametrize(
    "stays",
    ["exit 3", "echo nonsense", "sleep 300", r"printf 'Content-Length: 2\r\n\r\n[]'; sleep 300"],
    ids=["ends", "speaks no protocol", "hangs", "answers with a list"],
)
async def test_what_goes_wrong_is_told_by_a_process_of_its_own(script: Build, stays: str) -> None:
    async with script(f'if [ "$1" = server ]; then {stays}; fi; echo "thread main panicked" >&2; exit 101') as engine:
        with pytest.raises(EngineCrashed, match=r"^rumdl crashed \(status 101\): thread main panicked$"):
            await engine.lint("# A\n")
        assert children() == []


@pytest.mark.req("V2")
async def test_a_missing_program_is_told_by_name(tmp_path: Path) -> None:
    async with warm_rumdl(RULES, executable=tmp_path / "rumdl", limits=Limits(), processes=1) as engine:
        with pytest.raises(EngineNotFound, match=r"^rumdl not found$"):
            await engine.lint("# A\n")


@pytest.mark.req("V2")
async def test_a_cancelled_validation_leaves_no_process(script: Build, tmp_path: Path) -> None:
    started = tmp_path / "started"
    async with script(f"echo $$ > {started}; sleep 300") as engine:
        task = asyncio.create_task(engine.lint("# A\n"))
        async with asyncio.timeout(10):
            while not started.exists():
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert children() == []
