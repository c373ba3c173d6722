"""Nobody has a gateway hold long bodies in memory, least of all who showed no token."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from .conftest import problem

pytestmark = pytest.mark.req("H1", "S5")
MEGABYTE = 1024 * 1024


@pytest.mark.parametrize("announced", [pytest.param(True, marks=pytest.mark.full), False])
async def test_a_long_body_of_json_is_not_held_in_memory(process: Any, announced: bool) -> None:
    async def body() -> Any:
        yield b'{"text": "'
        for _ in range(100):
            yield b"x" * MEGABYTE

    length = {"Content-Length": str(100 * MEGABYTE + 10)} if announced else {}
    async with process() as running, httpx.AsyncClient(base_url=running.url, timeout=30) as nobody:
        await nobody.post("/documents/d1/edit-section", json={})
        before = running.peak_bytes()
        try:
            got = await nobody.post(
                "/documents/d1/edit-section", content=body(), headers={"Content-Type": "application/json", **length}
            )
        except httpx.TransportError:
            got = None
        grown = running.peak_bytes() - before
    print(f"100 MB of JSON: {grown / MEGABYTE:.0f} MB more")
    assert got is None or problem(got) == (413, "too-large")
    assert grown < 60 * MEGABYTE


async def test_a_brief_that_is_a_long_file_is_to_be_uploaded(http: httpx.AsyncClient) -> None:
    brief = [("brief", ("brief.md", b"x" * (17 * MEGABYTE)))]
    got = await http.post("/documents", data={"kind": "proposal"}, files=brief)

    assert problem(got) == (413, "too-large")
    assert "brief_upload" in got.json()["detail"]
