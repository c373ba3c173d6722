"""The review desk in a real Chromium."""

import asyncio
import gzip
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import Browser, Locator, Page, expect
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.evaluation import Evaluation
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.inputs import ChangedInput
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.requests import ApproveSection, ExportDocument, Request, ReviseSection, WithdrawApproval
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.validation import ValidationSummary
from stemma_contracts.v1.views import ProposalView, SectionView, StaleView, VersionView
from stemma_gateway.catalogues import LANGUAGES, words
from stemma_gateway.desk import forms
from stemma_gateway.desk.shell import stale_words
from stemma_gateway.desk.verbs import VERBS, open_verbs
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import opened
from stemma_testkit.document_events import REF, form_added, form_export_requested, form_exported

from .conftest import PAGES, Caller, Person
from .desk_pages import all_requested, plain, requested, section, signed_in

PASSED = Evaluation(scores={"clarity": 0.9}, score=0.9, passed=True, judged=True)
WRITTEN: dict[str, Any] = {"number": 2, "draft": REF, "origin": Origin.GENERATED}


class Steps:
    """What a person presses, clicks and fills in on a page; each is a step."""

    def __init__(self, page: Page) -> None:
        self.page, self.taken = page, 0

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.taken += 1
            await self.page.keyboard.press(key)

    async def write(self, words: str) -> None:
        self.taken += 1
        await self.page.keyboard.type(words)

    async def click(self, place: Locator) -> None:
        self.taken += 1
        await place.click()

    async def come_to(self, url: str, most: int) -> None:
        """Come to where a task is done, in so many steps at most."""
        await self.page.wait_for_url(url)
        await self.page.wait_for_load_state()
        assert self.taken <= most, url
        self.taken = 0


@pytest.mark.req("H2", "H4", "H5", "H8")
async def test_no_task_of_a_reviewer_takes_more_steps_than_it_should(
    browser: Browser, address: str, bus: Backstage, person: Person, token: Callable[..., str], document_id: str
) -> None:
    """To comment, to suggest other words and to read a request are counted where they are told of."""

    async def done(request: Request) -> None:
        if isinstance(request, ApproveSection):
            await bus.append(document_id, e.SectionApproved(section_id="research", version=2, actor="ada"))

    bus.on_request = done
    here, ida, calls = section(document_id), person("ida"), set[str]()
    async with opened(browser) as page:
        page.on("request", lambda request: calls.add(urlsplit(request.url).netloc))
        steps = Steps(page)
        await page.goto(f"{address}/desk")
        for label, words in (("Name", ida["user"]), ("Password", ida["password"])):
            await page.get_by_label(label).focus()
            await steps.write(words)
        await steps.press("Enter")
        await steps.come_to("**/desk", 3)
        await signed_in(page, address, token(), "/desk")
        first = await page.locator("[data-row]").first.get_attribute("href")
        await steps.press("j", "Enter")
        await steps.come_to(f"**{first}", 2)
        await page.goto(f"{address}{here}")
        await steps.press("d")
        await steps.come_to(f"**{here}?old=1", 1)
        await expect(page.locator(".rendered")).to_contain_text("document.title='run'")
        await expect(page.locator(".changes del").first).to_contain_text("Research")
        assert (await page.title()).endswith("Research · Stemma"), "hostile text is text"
        await steps.click(page.locator(".single").first.get_by_title("Accept"))
        await expect(page.locator(".single").first.get_by_role("radio").first).to_be_checked()
        await page.goto(f"{address}{here}")
        steps.taken = 0
        await steps.press("r")
        await steps.write("Shorter, please.")
        await steps.press("Control+Enter")
        await steps.come_to(f"**{here}?done=revise**", 3)
        await steps.press("a")
        await steps.come_to("**?done=approve**", 1)
        assert here not in page.url
        await steps.press("x")
        await steps.come_to(f"**{here}?done=withdraw_approval**", 1)
        await page.goto(f"{address}/desk/documents/{document_id}")
        await steps.press("X")
        await steps.click(page.get_by_role("button", name="Export"))
        await steps.come_to("**?done=export**", 2)
    revised, approved, _, exported = all_requested(bus, ReviseSection, ApproveSection, WithdrawApproval, ExportDocument)
    assert (revised.version, revised.feedback, approved.version) == (2, "Shorter, please.", 2)
    assert exported.format is ExportFormat.DOCX
    assert calls == {urlsplit(address).netloc}


@pytest.mark.req("H2", "L7")
async def test_a_document_gives_its_forms_with_answers_and_says_how_many_are_open(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    file = await bus.text(document_id, "filled")
    exports = form_export_requested("one"), form_exported("one", file), form_export_requested("two")
    await bus.append(document_id, form_added(file), *exports)
    page = (await http.get(f"/desk/documents/{document_id}")).text
    assert f'href="/documents/{document_id}/form-exports/one/content"><bdi>draft.md</bdi></a>' in page
    assert "draft.md : answered: 1, open: 1 in progress" in plain(page)


@pytest.mark.req("H2", "H5")
async def test_what_is_refused_is_told_and_what_was_typed_in_is_still_there(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    bus.problems = (Problem(field="version", message="version 3 is current"),)
    page = await http.post(f"{section(document_id)}/revise", data={"version": "2", "feedback": "Keep my words."})
    assert page.status_code == 422
    assert "version 3 is current" in page.text.partition('role="alert">')[2]
    assert 'name="feedback" rows="4" required>\nKeep my words.</textarea>' in page.text


async def waits(bus: Backstage, document_id: str, **about: Any) -> None:
    """The read model of the section, in which the current version has more."""
    details = SectionView(
        section_id="research", title="Research", kind="research", last_sequence=1,
        status=SectionStatus.AWAITING_REVIEW, versions=(VersionView(**WRITTEN, **about),),
    )  # fmt: skip
    key = f"$KV.{subjects.VIEWS_BUCKET}.{subjects.section_view_key('default', document_id, 'research')}"
    await bus.js.publish(key, details.model_dump_json().encode())


@pytest.mark.req("F1", "H4")
async def test_the_inbox_says_of_a_text_that_was_not_checked_that_it_was_not(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    unchecked = ValidationSummary(passed=False, issue_count=1, rules={"STEMMA000": 1}, engine="", engine_version="")
    await waits(bus, document_id, validation=unchecked, evaluation=PASSED)
    for language, said in (("en", "not checked"), ("de", "nicht geprüft")):
        shown = (await http.get("/desk", headers={**PAGES, "Accept-Language": language})).text
        row = shown[shown.index(f'id="waits-{document_id}-research"') :].partition("</li>")[0]
        assert said in row
        assert "findings" not in plain(row)
        assert 'name="seen"' not in row, "only what is whole is approved from here"


@pytest.mark.req("H2", "H5")
async def test_what_passed_by_the_judgement_of_a_model_is_approved_from_the_inbox_together(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    seen = f"{document_id}/research/2"
    for judged in (False, True):
        await waits(bus, document_id, evaluation=PASSED.model_copy(update={"judged": judged}))
        page = (await http.get("/desk")).text
        assert (f'name="seen" id="seen-{seen}" value="{seen}"' in page) is judged
    done = await http.post("/desk/approve", data={"seen": seen}, follow_redirects=True)
    assert "1 approved" in done.text
    asked = requested(bus, ApproveSection)
    assert (asked.document_id, asked.section_id, asked.version) == (document_id, "research", 2)


@pytest.mark.req("H4")
async def test_the_desk_speaks_the_language_that_the_browser_likes_best(http: httpx.AsyncClient) -> None:
    for wanted, said in (("de-CH,en;q=0.5", "Eingang"), ("fr, en;q=0.2", "Inbox"), ("en;q=0.1, de", "Eingang")):
        page = await http.get("/desk", headers={"Accept-Language": wanted, "Accept": "text/html"})
        assert f"<h1>{said}" in page.text, wanted
        assert "built-in method" not in page.text


@pytest.mark.req("H4")
async def test_each_verb_and_state_has_words_and_each_verb_a_key_of_its_own() -> None:
    assert len({verb.key for verb in VERBS}) == len(VERBS)
    assert {verb.name for verb in VERBS} <= set(words("en"))
    told = (("document", DocumentStatus), ("status", SectionStatus), ("origin", Origin))
    assert {f"{about}_{each}" for about, kind in told for each in kind} <= set(words("en"))


@pytest.mark.req("H8")
async def test_what_is_expected_of_a_person_stands_before_what_takes_an_approval_back() -> None:
    about: dict[str, Any] = {"section_id": "s", "title": "S", "kind": "s", "status": SectionStatus.APPROVED}
    version = VersionView(**WRITTEN)
    changed = ChangedInput(input_id="input-1", name="rfq.pdf", accepted_version=1, current_version=2)
    stale = SectionView(**about, versions=(version,), stale=StaleView(inputs=(changed,)))
    proposed = SectionView(**about, versions=(version,), proposal=ProposalView(proposal_id="p", version=2, draft=REF))
    may = {verb.token for verb in VERBS}
    assert [next(iter(open_verbs(one, may))) for one in (stale, proposed)] == ["keep", "accept_edit"]


@pytest.mark.req("H4")
async def test_files_of_the_desk_are_served_under_the_name_of_their_bytes_alone(address: str, caller: Caller) -> None:
    async with httpx.AsyncClient(base_url=address) as nobody, caller(address) as http:
        page = await http.get("/desk", headers={"Accept": "text/html"})
        for path in re.findall(r'(/desk/static/[^"]+)', page.text):
            kept = await nobody.get(path)
            assert (kept.status_code, kept.headers["x-content-type-options"]) == (200, "nosniff")
            assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert (await nobody.get(re.sub("/[0-9a-f]{16}/", f"/{'0' * 16}/", path))).status_code == 404
        assert (await nobody.get("/desk/static/x/..%2f__init__.py")).status_code == 404


@pytest.mark.req("H2")
async def test_a_form_that_names_no_version_is_refused_in_words(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    for version in ("9" * 5000, "٣", "-1", "", "two"):
        one = await http.post(f"{section(document_id)}/approve", data={"version": version})
        several = await http.post("/desk/approve", data={"seen": f"{document_id}/research/{version}"})
        assert (one.status_code, several.status_code) == (422, 422)
        assert "this is no section of the inbox" in several.text


@pytest.mark.req("H2")
async def test_a_section_says_of_every_section_and_input_that_made_it_stale_what_changed() -> None:
    about = SectionView(
        section_id="budget",
        title="Budget",
        kind="budget",
        stale=StaleView(
            reasons=(
                StaleReason(upstream_section_id="research", accepted_version=1, current_version=2),
                StaleReason(upstream_section_id="solution", accepted_version=3, current_version=3, upstream_stale=True),
            ),
            inputs=(
                ChangedInput(input_id="input-1", name="rfq.pdf", accepted_version=1, current_version=2),
                ChangedInput(input_id="input-2", name="old.md", accepted_version=1, current_version=1, withdrawn=True),
                ChangedInput(input_id="input-3", name="a.md", accepted_version=1, current_version=1, role="internal"),
            ),
        ),
    )
    assert stale_words(about, words("en")) == [
        "based on research in version 1; version 2 is current",
        "depends on solution, which is stale itself",
        "depends on parts of rfq.pdf that changed since version 1; version 2 is current",
        "depends on old.md, which was withdrawn",
        "depends on a.md, which is no longer evidence",
    ]
    assert all(len(stale_words(about, words(language))) == 5 for language in LANGUAGES)


@pytest.mark.req("H2")
async def test_a_queued_section_says_what_it_waits_for(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    said = "It is written once these are approved"
    page = await http.get(f"/desk/documents/{document_id}/sections/solution", headers=PAGES)
    other = await http.get(section(document_id), headers=PAGES)
    assert (said in page.text, said in other.text) == (True, False)
    assert f'/sections/research"><bdi>Research</bdi></a> ({words("en")["status_awaiting_review"]})' in page.text


LIVE, PACKED = "/desk/live", {**PAGES, "Accept-Encoding": "gzip"}


@pytest.mark.req("H5", "S3")
async def test_a_page_and_what_it_loads_are_compressed_for_browsers_that_take_that(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    plain = await http.get(section(document_id), headers={**PAGES, "Accept-Encoding": "identity"})
    async with http.stream("GET", section(document_id), headers=PACKED) as packed:
        raw = b"".join([piece async for piece in packed.aiter_raw()])
    assert "content-encoding" not in plain.headers
    varies = "Accept-Language, Cookie, Accept-Encoding"
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", varies)
    assert gzip.decompress(raw).count(b"\n") == plain.content.count(b"\n")
    assert len(raw) < len(plain.content) / 3


@pytest.mark.req("H5", "S3")
async def test_downloads_streams_and_what_programs_read_are_sent_as_they_are(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    about: dict[str, Any] = {"params": {"document": document_id}, "headers": {"Accept-Encoding": "gzip"}}
    for path in ("/session", f"/documents/{document_id}/sections/research/text", f"/documents/{document_id}", LIVE):
        async with http.stream("GET", path, **about) as answer:
            line = await anext(answer.aiter_lines())
        assert (answer.status_code, "content-encoding" in answer.headers) == (200, False)
        assert path != LIVE or line.startswith(("event:", "id:", "data:", ":"))


@pytest.mark.req("H2", "H5")
async def test_a_decision_leads_to_a_page_that_contains_it_and_what_nobody_answers_in_time_is_told_beside_the_words(
    http: httpx.AsyncClient, bus: Backstage, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, form = section(document_id), {"version": "2", "feedback": "Mine."}
    last = (await http.get(f"/documents/{document_id}")).json()["last_sequence"]
    bus.accepted = {"sequence": last}
    done = await http.post(f"{here}/revise", data=form)
    assert done.headers["location"] == f"{here}?done=revise&at_least={last}"
    monkeypatch.setattr(forms, "WAIT_S", 0.05)
    answered = asyncio.Event()

    async def hold(_: Request) -> None:
        await answered.wait()

    bus.on_request = hold
    try:
        late = await http.post(f"{here}/revise", data=form)
    finally:
        answered.set()
    assert (late.status_code, "\nMine.</textarea>" in late.text) == (503, True)
