"""Reading: documents, sections and their texts, and content by its digest, in parts if asked for."""

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio
from stemma_artifacts.objects import CHUNK_BYTES
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.references import ArtifactRef
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import (
    document_requested,
    form_added,
    form_export_requested,
    form_exported,
    section_drafted,
)

OLD, NEW = "# Research\n\nThe lawn is small.\n", "# Research\n\nThe lawn is large.\n"


@pytest_asyncio.fixture(loop_scope="session")
async def written(backstage: Backstage, document_id: str) -> str:
    """The address of a section with two versions."""
    drafts = [await backstage.text(document_id, text) for text in (OLD, NEW)]
    events = [section_drafted("research", draft, number) for number, draft in enumerate(drafts, 1)]
    await backstage.append(document_id, document_requested(), *events)
    return f"/documents/{document_id}/sections/research"


@pytest.mark.req("H1")
async def test_a_section_is_read_with_its_versions_and_their_differences(http: httpx.AsyncClient, written: str) -> None:
    section = (await http.get(written)).json()
    assert [version["number"] for version in section["versions"]] == [1, 2]
    assert (await http.get(f"{written}/text")).text == NEW
    assert (await http.get(f"{written}/versions/1/text")).text == OLD
    [change] = (await http.get(f"{written}/differences?old=1")).json()
    assert [(piece["kind"], piece["text"].strip()) for piece in change["pieces"] if piece["kind"] != "same"] == [
        ("removed", "small"),
        ("added", "large"),
    ]
    for missing in (f"{written}/versions/3/text", f"{written}x", f"{written}/differences?old=9"):
        assert (await http.get(missing)).status_code == 404


@pytest.mark.req("H1", "S6")
async def test_content_has_its_digest_for_a_name_is_given_in_parts_and_runs_in_no_browser(
    http: httpx.AsyncClient, written: str
) -> None:
    address, digest = f"{written}/text", hashlib.sha256(NEW.encode()).hexdigest()
    whole = await http.get(address)
    assert (whole.headers["etag"], whole.headers["accept-ranges"]) == (f'"{digest}"', "bytes")
    again = await http.get(address, headers={"If-None-Match": whole.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    size = len(NEW)
    for asked, begin, end in (("0-9", 0, 10), ("5-", 5, size), ("-4", size - 4, size), ("2-999", 2, size)):
        part = await http.get(address, headers={"Range": f"bytes={asked}"})
        assert (part.status_code, part.text) == (206, NEW[begin:end])
        assert part.headers["content-range"] == f"bytes {begin}-{end - 1}/{size}"
    beyond = await http.get(address, headers={"Range": "bytes=999-"})
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{size}")
    changed = await http.get(address, headers={"Range": "bytes=0-1", "If-Range": '"other"'})
    assert (changed.status_code, changed.text) == (200, NEW)
    of_document = f"{written.partition('/sections')[0]}/artifacts"
    stored = await http.get(f"{of_document}/{digest}")
    assert stored.text == NEW
    assert stored.headers["content-disposition"].startswith("attachment;")
    assert "sandbox" in stored.headers["content-security-policy"]
    assert (await http.get(f"{of_document}/{'0' * 64}")).status_code == 404


@pytest.mark.req("H1")
async def test_a_sequence_that_no_answer_had_is_refused_and_not_waited_for(
    http: httpx.AsyncClient, written: str
) -> None:
    address = written.partition("/sections")[0]
    last = (await http.get(f"{address}/history")).json()[-1]["sequence"]
    for path in ("", "/history", "/sections"):
        assert (await http.get(f"{address}{path}?at_least={last}")).status_code == 200
        refused = await http.get(f"{address}{path}?at_least={last + 1}")
        assert (refused.status_code, refused.json()["problems"][0]["field"]) == (409, "at_least")


@pytest.mark.req("H1")
async def test_documents_are_listed_page_by_page(
    http: httpx.AsyncClient, backstage: Backstage, document_id: str
) -> None:
    for number in range(3):
        await backstage.list_research(f"{document_id[:20]}-{number}")
    listed = [each["document_id"] for each in (await http.get("/documents")).json()]
    first = [each["document_id"] for each in (await http.get("/documents?limit=2")).json()]
    rest = [each["document_id"] for each in (await http.get(f"/documents?after={first[-1]}")).json()]
    assert first + rest == listed
    gone = await http.get("/documents?after=nobody-made-this")
    assert (gone.status_code, gone.json()["problems"][0]["field"]) == (409, "after")
    summary = await http.get(f"/documents/{document_id[:20]}-1/summary")
    assert summary.json()["document_id"] == f"{document_id[:20]}-1"


@pytest.mark.req("H1", "L7")
async def test_forms_with_answers_are_listed_and_given_or_say_why_there_is_none(
    http: httpx.AsyncClient, written: str, backstage: Backstage, document_id: str
) -> None:
    file = await backstage.text(document_id, NEW)
    exports = [form_export_requested(name) for name in ("one", "other", "third")]
    failed = e.FormExportFailed(export_id="other", job_id="j10", reasons=("A9: too long.", "B2: no date."))
    await backstage.append(document_id, form_added(file), *exports, form_exported("one", file), failed)
    address = f"{written.partition('/sections')[0]}/form-exports"
    listed = (await http.get(address)).json()
    assert [(one["export_id"], bool(one["artifact"]), one["unanswered"]) for one in listed] == [
        ("one", True, ["f-2"]), ("other", False, []), ("third", False, []),
    ]  # fmt: skip
    assert (await http.get(f"{address}/one")).json() == listed[0]
    given = await http.get(f"{address}/one/content")
    assert (given.text, given.headers["content-disposition"].startswith("attachment;")) == (NEW, True)
    told = {name: await http.get(f"{address}/{name}/content") for name in ("other", "third", "fourth")}
    assert {name: answer.status_code for name, answer in told.items()} == dict.fromkeys(told, 404)
    assert "A9: too long.; B2: no date." in told["other"].text
    assert "not made yet" in told["third"].text


MEGABYTE = 1024 * 1024
SOME = 3 * CHUNK_BYTES + 7
Kept = Callable[[bytes], Awaitable[tuple[str, ArtifactRef]]]


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


@pytest.mark.req("H1")
async def test_any_part_of_large_content_can_be_asked_for_and_its_head_reads_none_of_it(
    http: httpx.AsyncClient, kept: Kept, backstage: Backstage
) -> None:
    data = os.urandom(SOME)
    path, ref = await kept(data)
    for first, last in ((0, 0), (0, CHUNK_BYTES), (CHUNK_BYTES - 1, CHUNK_BYTES), (5, SOME - 2), (SOME - 1, SOME - 1)):
        part = await http.get(path, headers={"Range": f"bytes={first}-{last}"})
        assert (part.status_code, part.content) == (206, data[first : last + 1])
        assert part.headers["content-range"] == f"bytes {first}-{last}/{SOME}"
    assert (await http.get(path)).content == data
    head = await http.head(path, headers={"Range": "bytes=0-9"})
    assert (head.status_code, head.headers["content-length"]) == (200, str(SOME)), "only GET knows parts"
    assert (head.headers["etag"], head.headers["accept-ranges"]) == (f'"{ref.digest}"', "bytes")
    known = await http.head(path, headers={"If-None-Match": f'"{ref.digest}"'})
    assert (known.status_code, known.content) == (304, b"")
    await backstage.js.purge_stream(f"OBJ_{subjects.artifacts_bucket('default')}")
    assert [(await ask(path)).status_code for ask in (http.head, http.get)] == [404, 404]


@pytest.mark.req("S3")
async def test_a_download_of_damaged_content_breaks_off_and_is_told_of(
    http: httpx.AsyncClient, kept: Kept, backstage: Backstage, capsys: pytest.CaptureFixture[str]
) -> None:
    path, ref = await kept(os.urandom(SOME))
    forged = ref.model_copy(update={"digest": "0" * 64})
    document_id = path.split("/")[2]
    name = subjects.large_artifact("default", document_id, forged.digest)
    await backstage.artifacts._objects.put_once(subjects.artifacts_bucket("default"), name, os.urandom(SOME))
    await backstage.append(document_id, section_drafted("research", forged, 2))
    path = path.replace(ref.digest, forged.digest)
    for part in ({}, {"Range": f"bytes=10-{2 * CHUNK_BYTES}"}):
        with pytest.raises(httpx.RemoteProtocolError, match="closed connection"):
            await received(http, path, **part)
    assert (await http.get("/kinds")).status_code == 200
    assert capsys.readouterr().out.count("download_broken") == 2
