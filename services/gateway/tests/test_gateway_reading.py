"""Reading: documents, sections and their texts, and content by its digest, in parts if asked for."""

from __future__ import annotations

import hashlib

import httpx
import pytest
from stemma_contracts.v1 import events as e
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import (
    document_requested,
    form_added,
    form_export_requested,
    form_exported,
    section_drafted,
)

OLD, NEW = "# Research\n\nThe lawn is small.\n", "# Research\n\nThe lawn is large.\n"


@pytest.fixture
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


@pytest.mark.req("H1")
async def test_content_has_its_digest_for_a_name_and_is_given_in_parts(http: httpx.AsyncClient, written: str) -> None:
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


@pytest.mark.req("H1", "S6")
async def test_a_browser_neither_guesses_at_content_nor_runs_it(http: httpx.AsyncClient, written: str) -> None:
    digest = hashlib.sha256(NEW.encode()).hexdigest()
    stored = await http.get(f"{written.partition('/sections')[0]}/artifacts/{digest}")
    assert stored.text == NEW
    assert stored.headers["content-disposition"].startswith("attachment;")
    assert "sandbox" in stored.headers["content-security-policy"]
    unknown = await http.get(f"{written.partition('/sections')[0]}/artifacts/{'0' * 64}")
    assert unknown.status_code == 404


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
