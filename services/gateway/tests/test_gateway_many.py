"""Many who follow at a time, in one process."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, section_drafted

MEGABYTE = 1024 * 1024
EVENTS = 20


async def numbers(stream: httpx.Response, count: int) -> list[int]:
    """The ids of the next events."""
    found: list[int] = []
    async for line in stream.aiter_lines():
        if line.startswith("id: "):
            found.append(int(line.removeprefix("id: ")))
            if len(found) == count:
                break
    return found


@pytest.mark.full
@pytest.mark.req("H1", "S5")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("count", [40, 200])
async def test_many_streams_are_open_in_one_process_of_bounded_memory(
    process: Any, caller: Any, backstage: Backstage, document_id: str, count: int
) -> None:
    await backstage.append(document_id, document_requested())
    path, unbounded = f"/documents/{document_id}/events", httpx.Limits(max_connections=None)
    async with process(requests_at_once=count + 1) as running, caller(running.url, limits=unbounded) as http:
        before = running.peak_bytes()
        async with asyncio.timeout(300), AsyncExitStack() as stack:
            opening = (stack.enter_async_context(http.stream("GET", path, timeout=None)) for _ in range(count))
            streams = await asyncio.gather(*opening)
            measured = await running.metrics()
            reading = [asyncio.create_task(numbers(stream, EVENTS + 1)) for stream in streams]
            for version in range(1, EVENTS + 1):
                await backstage.append(document_id, section_drafted("research", version=version))
            read = await asyncio.gather(*reading)
        grown = running.peak_bytes() - before
    print(f"{count} streams, {count * (EVENTS + 1)} events: {grown / MEGABYTE:.1f} MB more")
    assert measured["stemma_http_streams", frozenset()] == count
    assert all(one == read[0] for one in read)
    assert (len(read[0]), read[0]) == (EVENTS + 1, sorted(set(read[0])))
    assert grown < 10 * MEGABYTE + count * MEGABYTE // 4
