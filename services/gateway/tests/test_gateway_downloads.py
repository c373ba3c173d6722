"""Downloads: piece by piece, in little memory; nobody gets all of what is damaged."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from stemma_artifacts.objects import CHUNK_BYTES
from stemma_contracts import subjects
from stemma_contracts.v1.references import ArtifactRef
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, section_drafted

MEGABYTE = 1024 * 1024
SOME = 3 * CHUNK_BYTES + 7
Kept = Callable[[bytes], Awaitable[tuple[str, ArtifactRef]]]
pytestmark = pytest.mark.req("H1")


@pytest.fixture
def kept(backstage: Backstage, document_id: str) -> Kept:
    """Keeps content as the text of a section; its address and reference."""

    async def keep(data: bytes) -> tuple[str, ArtifactRef]:
        ref = await backstage.artifacts.put("default", document_id, data, media_type="text/markdown", name="draft.md")
        await backstage.append(document_id, document_requested(), section_drafted("research", ref))
        return f"/documents/{document_id}/artifacts/{ref.digest}", ref

    return keep


async def received(http: httpx.AsyncClient, path: str, **headers: str) -> tuple[str, int]:
    """The digest and length of what a path gives; nothing of it stays."""
    hashed, length = hashlib.sha256(), 0
    async with http.stream("GET", path, headers=headers) as stream:
        assert stream.is_success, stream.status_code
        async for piece in stream.aiter_raw():
            hashed.update(piece)
            length += len(piece)
    return hashed.hexdigest(), length


@pytest.mark.full
@pytest.mark.req("S5")
@pytest.mark.parametrize("megabytes", [16, 64])
async def test_large_content_goes_through_a_gateway_that_grows_by_little(
    process: Any, caller: Any, kept: Kept, megabytes: int
) -> None:
    data = os.urandom(MEGABYTE) * megabytes
    path, ref = await kept(data)
    async with process() as running, caller(running.url) as http:
        assert (await http.get(path, headers={"Range": "bytes=0-9"})).content == data[:10]
        before = running.peak_bytes()
        whole = await asyncio.gather(*(received(http, path) for _ in range(2)))
        grown = running.peak_bytes() - before
    print(f"two downloads of {megabytes} MB at a time: {grown / MEGABYTE:.1f} MB more")
    assert whole == [(ref.digest, len(data))] * 2
    assert grown < 8 * MEGABYTE


async def test_any_part_of_large_content_can_be_asked_for(http: httpx.AsyncClient, kept: Kept) -> None:
    data = os.urandom(SOME)
    path, _ = await kept(data)
    for first, last in ((0, 0), (0, CHUNK_BYTES), (CHUNK_BYTES - 1, CHUNK_BYTES), (5, SOME - 2), (SOME - 1, SOME - 1)):
        part = await http.get(path, headers={"Range": f"bytes={first}-{last}"})
        assert (part.status_code, part.content) == (206, data[first : last + 1])
        assert part.headers["content-range"] == f"bytes {first}-{last}/{SOME}"
    assert (await http.get(path)).content == data


async def test_the_head_of_content_tells_what_there_is_and_reads_none_of_it(
    http: httpx.AsyncClient, kept: Kept, backstage: Backstage, document_id: str
) -> None:
    path, ref = await kept(os.urandom(SOME))
    head = await http.head(path, headers={"Range": "bytes=0-9"})
    assert (head.status_code, head.headers["content-length"]) == (200, str(SOME)), "only GET knows parts"
    assert (head.headers["etag"], head.headers["accept-ranges"]) == (f'"{ref.digest}"', "bytes")
    known = await http.head(path, headers={"If-None-Match": f'"{ref.digest}"'})
    assert (known.status_code, known.content) == (304, b"")
    await backstage.js.purge_stream(f"OBJ_{subjects.artifacts_bucket('default')}")
    assert [(await ask(path)).status_code for ask in (http.head, http.get)] == [404, 404]


@pytest.mark.req("S3")
async def test_a_download_of_damaged_content_breaks_off_and_is_told_of(
    process: Any, caller: Any, kept: Kept, backstage: Backstage
) -> None:
    path, ref = await kept(os.urandom(SOME))
    forged = ref.model_copy(update={"digest": "0" * 64})
    document_id = path.split("/")[2]
    name = subjects.large_artifact("default", document_id, forged.digest)
    await backstage.artifacts._objects.put_once(subjects.artifacts_bucket("default"), name, os.urandom(SOME))
    await backstage.append(document_id, section_drafted("research", forged, 2))
    path = path.replace(ref.digest, forged.digest)
    async with process() as running, caller(running.url) as http:
        for part in ({}, {"Range": f"bytes=10-{2 * CHUNK_BYTES}"}):
            with pytest.raises(httpx.RemoteProtocolError, match="closed connection"):
                await received(http, path, **part)
        assert (await http.get("/kinds")).status_code == 200
        assert running.log.read_text().count("download_broken") == 2
