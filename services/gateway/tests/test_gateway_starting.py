"""New documents and amendments on the desk, in a real Chromium."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import expect
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.capabilities import Capabilities, DocumentKind, KindSection
from stemma_contracts.v1.inputs import ChangedPart, InputChanges, InputDifference, InputReading
from stemma_contracts.v1.references import InputFile
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import violations

from .conftest import Caller
from .desk_pages import Desk, plain

pytestmark = pytest.mark.asyncio(loop_scope="session")
CSV, TEXT = "text/csv", "text/plain"
KIND = DocumentKind(
    kind="proposal",
    title="Proposal",
    description="An answer to a request.",
    sections=(
        KindSection(section_id="research", title="Research", graph="section", needs_input=("application/pdf", CSV)),
    ),
)


@pytest_asyncio.fixture(loop_scope="session")
async def kinds(bus: Backstage) -> None:
    """What the orchestrator tells of itself at its start."""
    told = Capabilities(kinds=(KIND,)).model_dump_json().encode()
    await bus.js.publish("$KV.capabilities.orchestrator", told)


async def amended(bus: Backstage, document_id: str, name: str) -> str:
    """An input of which a version is staged, as the orchestrator and the reader tell of it."""
    old, new = [await bus.text(document_id, text) for text in ("# Terms\n\nTen weeks.\n", "# Terms\n\nTwelve weeks.\n")]
    part = ChangedPart(before="Ten weeks.", after="Twelve <b>weeks</b>.", heading="Terms", line=3)
    changes = await bus.text(document_id, InputChanges(changed=(part,)).model_dump_json())
    about: dict[str, Any] = {"input_id": "input-9", "job_id": "j9", "version": 2}
    await bus.append(
        document_id,
        e.DocumentInputAdded(input_id="input-9", file=InputFile(name=name, artifact=old), to_read=False),
        e.DocumentInputReplaced(input_id="input-9", version=2, artifact=new, staged=True),
        e.DocumentInputRead(
            **about, reading=InputReading(text=new), difference=InputDifference(changes=changes, blocks=1, parts=())
        ),
    )
    return f"/desk/documents/{document_id}/inputs/input-9"


def file(name: str, content: bytes = b"x", kind: str = TEXT) -> Any:
    return {"name": name, "mimeType": kind, "buffer": content}


@pytest.mark.req("H2", "H4", "H5")
@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.full)])
async def test_what_starts_and_amends_a_document_fits_320_pixels_and_axe_finds_nothing_in_it(
    desk: Desk, scheme: Any, address: str, bus: Backstage, kinds: None, document_id: str
) -> None:
    size: Any = {"width": 320, "height": 640}
    one = await amended(bus, document_id, f"{'x' * 200}.md")
    async with desk("/desk/new", viewport=size, color_scheme=scheme) as page:
        for path in ("/desk/new", f"/desk/documents/{document_id}/inputs", one):
            await page.goto(f"{address}{path}")
            assert await violations(page) == [], path
            assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"], path


@pytest.mark.req("H2", "H5", "I1")
async def test_a_document_is_asked_for_with_its_brief_and_files_of_each_role(
    desk: Desk, bus: Backstage, kinds: None, document_id: str
) -> None:
    async with desk("/desk") as page:
        await page.keyboard.press("c")
        await page.wait_for_url("**/desk/new")
        await expect(page.get_by_text("Research needs one of: PDF, CSV")).to_be_visible()
        await page.get_by_label("Brief: what the document is for").fill("# Garden\n\nA small one.\n")
        evidence = page.get_by_label("Evidence:")
        await evidence.set_input_files(file("plan.csv", b"a;b", CSV))
        await evidence.set_input_files(file("notes.txt"))
        await page.get_by_label("Request:").set_input_files(file("rfp.pdf", b"%PDF", "application/pdf"))
        bus.problems = (Problem(field="kind", message="there is no such kind now"),)
        await page.get_by_role("button", name="Start the document").click()
        await expect(page.get_by_role("alert")).to_contain_text("there is no such kind now")
        await expect(page.get_by_label("Brief: what the document is for")).to_have_value("# Garden\n\nA small one.\n")
        bus.problems, bus.received = (), []
        await page.get_by_label("notes.txt").uncheck()
        await page.get_by_role("button", name="Start the document").click()
        await page.wait_for_url("**/documents/new-document/inputs**")
    [(_, asked)] = bus.received
    assert isinstance(asked, r.CreateDocument)
    assert (asked.kind, asked.title, asked.brief) == ("proposal", "Garden", "# Garden\n\nA small one.\n")
    assert {(one.name, one.role, one.digest) for one in asked.inputs} == {
        ("plan.csv", "evidence", sha256(b"a;b").hexdigest()),
        ("rfp.pdf", "request", sha256(b"%PDF").hexdigest()),
    }


@pytest.mark.req("H2", "H5")
async def test_an_amendment_is_shown_at_the_words_with_what_it_concerns_before_it_counts(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    name = "terms <i>\u200f.md"
    one = await amended(bus, document_id, name)
    sent: Any = {"file": (name, b"Twelve weeks.", TEXT)}
    async with caller(address, follow_redirects=True) as http:
        shown = await http.post(f"/desk/documents/{document_id}/inputs", data={"role": "evidence"}, files=sent)
        applied = await http.post(f"{one}/apply", data={"version": "2"}, files={"file": ("", b"")})
    assert shown.url.path == one
    words = shown.text.partition('class="at-words"')[2].partition("</p>")[0]
    assert re.search("<del>Ten.*<ins>Twelve &lt;b&gt;weeks", words)
    assert "They become stale. Nothing is written anew by that." in shown.text
    assert "it counts from now on" in plain(applied.text)
    staged, counting = [request for _, request in bus.received]
    assert isinstance(staged, r.ReplaceInput)
    assert (staged.input_id, staged.version, staged.staged) == ("input-9", 1, True)
    assert isinstance(counting, r.ApplyInput)
    assert (counting.input_id, counting.version) == ("input-9", 2)


@pytest.mark.full
@pytest.mark.req("H2", "H5")
async def test_how_reading_goes_on_is_shown_without_loading_the_page_anew(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    content = await bus.text(document_id, "words")
    added = InputFile(name="scan.pdf", artifact=content)
    await bus.append(document_id, e.DocumentInputAdded(input_id="input-9", file=added, to_read=True))
    async with desk(f"/desk/documents/{document_id}/inputs") as page:
        await expect(page.get_by_text("1 of 2 read")).to_be_visible()
        read = e.DocumentInputRead(input_id="input-9", version=1, job_id="j9", reading=InputReading(text=content))
        await bus.append(document_id, read)
        await expect(page.get_by_text("1 of 2 read")).to_be_hidden()
        await expect(page.locator(".item .status")).to_have_text(["read", "read"])


@pytest.mark.req("H2")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".hidden.md", "rename the file"),
        (f"{'x' * 300}.md", "rename the file"),
        ("a:b.md", "rename the file"),
        ("a\u202eb.md", "U+202E"),
    ],
)
async def test_a_file_whose_name_no_document_takes_is_refused_in_words(
    web: httpx.AsyncClient, bus: Backstage, kinds: None, document_id: str, name: str, said: str
) -> None:
    form = {"kind": "proposal", "brief": "Words."}
    new = await web.post("/desk/new", data=form, files={"evidence": (name, b"x", TEXT)})
    here = f"/desk/documents/{document_id}/inputs"
    amendment = await web.post(here, data={"role": "evidence"}, files={"file": (name, b"x", TEXT)})
    assert [new.status_code, amendment.status_code] == [422, 422]
    assert said in new.text
    assert said in amendment.text
    assert bus.received == []


@pytest.mark.req("H2")
async def test_a_form_that_lacks_something_says_what(web: httpx.AsyncClient, bus: Backstage, kinds: None) -> None:
    empty: Any = {"evidence": ("", b"")}
    none = await web.post("/desk/new", data={"kind": "proposal", "brief": " "}, files=empty)
    bad: Any = {"brief_file": ("brief.md", b"\xff\xfe\x00", "text/markdown")}
    unreadable = await web.post("/desk/new", data={"kind": "proposal"}, files=bad)
    nobody = await web.post("/desk/new", data={"kind": "a b", "brief": "Words."}, files=empty)
    assert [one.status_code for one in (none, unreadable, nobody)] == [422, 422, 422]
    assert "brief: write it, or choose its file, and not both" in none.text
    assert "brief: the file is not UTF-8 text" in unreadable.text
    assert "kind" in nobody.text
