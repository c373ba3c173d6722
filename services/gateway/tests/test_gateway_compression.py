"""Pages are compressed; streams, downloads and what proves a session are not."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from stemma_testkit.backstage import Backstage

from .conftest import PAGES, Caller
from .desk_pages import section

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("H5", "S3")]
PACKED = {**PAGES, "Accept-Encoding": "gzip"}


async def test_a_page_and_what_it_loads_are_compressed_for_browsers_that_take_that(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    async with caller(address) as http:
        plain = await http.get(section(document_id), headers={**PAGES, "Accept-Encoding": "identity"})
        async with http.stream("GET", section(document_id), headers=PACKED) as packed:
            raw = b"".join([piece async for piece in packed.aiter_raw()])
    assert "content-encoding" not in plain.headers
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Language, Accept-Encoding")
    assert gzip.decompress(raw).count(b"\n") == plain.content.count(b"\n")
    assert len(raw) < len(plain.content) / 3


@pytest.mark.parametrize("path", ["/session", "/documents/{0}/sections/research/text", "/documents/{0}"])
async def test_downloads_and_what_programs_read_are_sent_as_they_are(
    address: str, caller: Caller, bus: Backstage, document_id: str, path: str
) -> None:
    async with caller(address) as http:
        answer = await http.get(path.format(document_id), headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert "content-encoding" not in answer.headers


async def test_a_stream_of_events_comes_uncompressed_as_it_happens(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    about: dict[str, Any] = {"params": {"document": document_id}, "headers": {"Accept-Encoding": "gzip"}}
    async with caller(address) as http, http.stream("GET", "/desk/live", **about) as stream:
        line = await anext(stream.aiter_lines())
    assert "content-encoding" not in stream.headers
    assert line.startswith(("event:", "id:", "data:", ":"))
