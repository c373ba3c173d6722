"""What nobody means: each of it is answered as the caller's mistake, and none of it as a defect of the gateway."""

from typing import Any

import httpx
import pytest
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, section_drafted

from .conftest import problem

pytestmark = pytest.mark.req("H1", "S8")
DIGITS = "9" * 5000
"""More than Python makes a number of."""
DEPTHS = (480, 5_000, 9_000)
"""Lists in lists: the first can be read, and nearly not be walked through."""
JSON = {"Content-Type": "application/json"}


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


async def test_a_range_of_absurd_numbers_is_answered_by_what_there_is(
    http: httpx.AsyncClient, backstage: Backstage, document_id: str
) -> None:
    ref = await backstage.text(document_id, "0123456789")
    await backstage.append(document_id, document_requested(), section_drafted("research", ref))
    path = f"/documents/{document_id}/artifacts/{ref.digest}"
    ranges = (f"bytes=0-{DIGITS}", f"bytes={DIGITS}-", f"bytes=-{DIGITS}", "bytes=²-", "bytes=٣-")
    got = [await http.get(path, headers=[(b"Range", one.encode())]) for one in ranges]

    assert [(one.status_code, one.content) for one in got] == [(200, b"0123456789")] * len(ranges)


@pytest.mark.parametrize("command", ["approve-section", "decide-requirements"])
async def test_a_body_of_lists_in_lists_is_refused(http: httpx.AsyncClient, command: str) -> None:
    bodies = [f'{{"section_id": "research", "version": {nested(depth)}}}' for depth in DEPTHS]
    got = [await http.post(f"/documents/d1/{command}", content=body, headers=JSON) for body in bodies]

    assert [one.status_code for one in got] == [422, 400, 400]


async def test_a_field_of_a_form_with_lists_in_lists_is_refused(http: httpx.AsyncClient) -> None:
    files = [("inputs", ("facts.md", b"EUR 4,250"))]
    for depth in DEPTHS:
        form = {"kind": "proposal", "brief": "# A garden", "review": nested(depth)}
        in_form = await http.post("/documents", data=form, files=files)
        as_json = await http.post("/documents", content=f'{{"kind": {nested(depth)}}}', headers=JSON)
        assert (problem(in_form), problem(as_json)) == ((422, "invalid"), (422, "invalid"))


async def test_an_origin_that_is_no_address_is_another_site(
    visitor: httpx.AsyncClient, address: str, person: Any
) -> None:
    assert (await visitor.post("/sign-in", json=person("ann"))).status_code == 200
    for origin in ("http://[", "null", "http://[::1", "http://127.0.0.1:99999999", address.replace("http", "https")):
        got = await visitor.post("/documents/d1/pause-document", json={}, headers={"Origin": origin})
        assert problem(got) == (403, "from-elsewhere"), origin


async def test_headers_that_say_nothing_break_nothing(http: httpx.AsyncClient) -> None:
    for name in ("Last-Event-ID", "Upload-Offset", "Prefer", "Idempotency-Key", "If-Range", "If-None-Match"):
        for value in (DIGITS, "-1", "1e400", "\x01", "", "é", f"wait={DIGITS}"):
            headers = [(name.encode(), value.encode())]
            piece = await http.patch(f"/uploads/{'0' * 32}?name=a.md", headers=headers)
            events = await http.get("/documents/nowhere/events", headers=headers)
            assert (piece.status_code < 500, events.status_code) in ((True, 404), (True, 422)), (name, value)
