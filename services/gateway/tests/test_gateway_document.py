"""The page of a document and its history on the desk, in a real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect
from stemma_contracts import Family, registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.capabilities import Capabilities, DocumentKind
from stemma_contracts.v1.exports import ExportFormat, ExportWarning, VersionPair
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.requests import ExportDocument
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_gateway.desk.shell import money, number
from stemma_gateway.pages import LANGUAGES, words
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import opened, violations
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .conftest import Caller
from .desk_pages import section, signed_in

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("H2", "H4", "H5")]
STALE = StaleMark(
    section_id="solution",
    reasons=(StaleReason(upstream_section_id="research", accepted_version=1, current_version=2),),
)


@pytest_asyncio.fixture(loop_scope="session")
async def bus(server: Any, open_backstage: Callable[..., Any], document_id: str) -> AsyncIterator[Backstage]:
    """The other side, with a document that was exported before a person changed what another section rests on."""
    async with open_backstage(server) as stage:
        draft = await stage.text(document_id, "# Research\n")
        said = await stage.text(document_id, "Say <b>less</b>.")
        await stage.append(
            document_id,
            document_requested(),
            section_drafted("research", draft),
            review_requested("research"),
            section_drafted("solution", draft),
            e.SectionApproved(section_id="solution", version=1, actor="ada", actor_verified=True),
            e.ExportRequested(export_id="x7", format=ExportFormat.PDF, actor="ada"),
            e.DocumentExported(
                export_id="x7",
                format=ExportFormat.PDF,
                job_id="j7",
                artifact=draft,
                warnings=(ExportWarning(code="not_approved", section_id="research"),),
            ),
            e.SectionRevisionRequested(section_id="research", version=1, feedback=said, actor="bob"),
            e.SectionEdited(
                section_id="research", version=2, draft=said, origin=Origin.WRITTEN, actor="bob", makes_stale=(STALE,)
            ),
        )
        await stage.list_research(document_id, version=2)
        kind = DocumentKind(kind="proposal", title="Proposal of ours", sections=())
        told = Capabilities(kinds=(kind,)).model_dump_json().encode()
        await stage.js.publish("$KV.capabilities.orchestrator", told)
        yield stage


def document(document_id: str) -> str:
    return f"/desk/documents/{document_id}"


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
async def test_the_document_and_its_history_fit_320_pixels_and_axe_finds_nothing_in_them(
    scheme: Any, browser: Browser, address: str, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    size: Any = {"width": 320, "height": 640}
    here = document(document_id)
    async with opened(browser, viewport=size, color_scheme=scheme) as page:
        await signed_in(page, address, token(), here)
        for path in (here, f"{here}/history?all=true"):
            await page.goto(f"{address}{path}")
            assert await violations(page) == [], path
            assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"], path


async def test_the_document_tells_what_each_section_cost_and_why_an_edge_of_its_map_is_stale(
    browser: Browser, address: str, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    async with opened(browser) as page:
        await signed_in(page, address, token(), document(document_id))
        await expect(page.locator(".facts")).to_contain_text("Proposal of ours")
        await expect(page.locator(".edge.stale title")).to_contain_text("now it is at version 2")
        await expect(page.locator(".map .why")).to_have_text("version 1, now 2")
        await expect(page.locator(".spent tbody tr").first).to_contain_text("Research")
        assert await page.locator(".spent tbody tr").first.locator("td").all_inner_texts() == [
            "",
            "15",
            "0",
            "0",
            "$0.00",
        ]
        await expect(page.locator(".spent tfoot")).to_contain_text("30")
        await expect(page.locator(".dot")).to_have_count(3)


async def test_an_export_and_a_redline_since_an_earlier_one_are_asked_for_and_seen_done(
    browser: Browser, address: str, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    async def convert(request: Any) -> None:
        await bus.append(document_id, e.ExportRequested(export_id="x1", format=request.format, redline=request.redline))

    bus.on_request = convert
    async with opened(browser) as page:
        await signed_in(page, address, token(), document(document_id))
        await expect(page.get_by_text("sections not approved 1")).to_be_visible()
        await page.keyboard.press("x")
        await page.keyboard.type("HTML")
        await page.get_by_label("with citations").check()
        async with page.expect_response("**/desk/live?**"):
            await page.get_by_role("button", name="Export").click()
        await expect(page.locator("[data-part=exports]")).to_contain_text("being made")
        done = e.DocumentExported(
            export_id="x1", format=ExportFormat.HTML, job_id="j", artifact=await bus.text(document_id, "<p>")
        )
        await bus.append(document_id, done)
        await expect(page.locator("[data-part=exports]")).not_to_contain_text("being made")
        async with page.expect_download() as downloading:
            await page.get_by_role("link", name="HTML x1").click()
        assert (await downloading.value).suggested_filename == "draft.md"
        bus.on_request = None
        await page.get_by_label("What changed since the export").select_option("x7")
        await page.get_by_role("button", name="Redline").click()
        await expect(page.get_by_role("status").first).to_contain_text("asked for")
    exported, compared = [request for _, request in bus.received]
    assert isinstance(exported, ExportDocument)
    assert isinstance(compared, ExportDocument)
    assert (exported.format, exported.citations, exported.matrix) == (ExportFormat.HTML, True, False)
    assert compared.redline == (
        VersionPair(section_id="research", from_version=1, to_version=2),
        VersionPair(section_id="solution", from_version=1, to_version=1),
    )


async def test_an_export_that_cannot_be_is_refused_in_words(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    here = f"{document(document_id)}/exports"
    bus.problems = (Problem(field="format", message="nothing is written"),)
    async with caller(address) as http:
        refused = await http.post(here, data={"format": "pdf"})
        unlike = await http.post(here, data={"format": "exe"})
        unknown = await http.post(here, data={"since": "x9"})
        numberless = await http.post(here, data={"section": "research", "old": "one", "new": "2"})
    assert "nothing is written" in refused.text
    assert [one.status_code for one in (unlike, unknown, numberless)] == [422, 422, 422]


async def test_the_history_tells_who_decided_what_and_pages_through_all_that_happened(
    browser: Browser, address: str, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    async with opened(browser) as page:
        await signed_in(page, address, token(), document(document_id))
        await page.keyboard.press("h")
        await page.wait_for_url("**/history")
        rows = page.locator(".event")
        await expect(rows).to_have_count(4)
        await expect(rows.first).to_contain_text("bob (claimed) changed the text: Research version 2")
        await expect(rows.first).to_contain_text("Solution: written from Research, of which it saw version 1")
        await expect(rows.nth(1)).to_contain_text("sent it back")
        await expect(rows.nth(1).locator("q")).to_have_text("Say <b>less</b>.")
        problem = Problem.of("version_old", "version", version=1, current_version=2)
        late = e.DecisionRefused(section_id="research", request="any", problem=problem, actor="eve")
        await bus.append(document_id, late)
        await page.reload()
        await expect(rows.first).to_contain_text("eve (claimed) refused: Research")
        await expect(rows.first).to_contain_text("version 1 is not current; version 2 is")
        also = tuple(STALE.model_copy(update={"section_id": name}) for name in ("solution", "costs", "plan"))
        again = e.SectionKept(section_id="research", version=2, accepted=(), actor="eve", makes_stale=also)
        await bus.append(document_id, again)
        await page.reload()
        await expect(rows.first.get_by_role("link", name="Solution")).to_be_hidden()
        await rows.first.get_by_text("sections made stale: 3").click()
        await expect(rows.first.get_by_role("link", name="Solution")).to_be_visible()
        many = [e.SectionKept(section_id="research", version=2, accepted=(), actor="eve") for _ in range(60)]
        await bus.append(document_id, *many)
        await page.get_by_label("Section").select_option("research")
        await page.get_by_role("button", name="Show").click()
        await expect(rows).to_have_count(50)
        await page.keyboard.press("f")
        await expect(rows.last).to_contain_text("sent it back")
        await expect(rows).to_have_count(14)


async def test_every_event_has_words_in_every_language_and_numbers_are_written_as_there() -> None:
    tokens = {f"event_{entry.token}" for entry in registry.entries() if entry.family is Family.EVENT}
    assert [tokens - set(words(language)) for language in LANGUAGES] == [set(), set()]
    assert [number(12_345, language) for language in LANGUAGES] == ["12,345", "12.345"]
    assert [money(1234.5, language) for language in LANGUAGES] == ["$1,234.50", "1.234,50 $"]
    assert [money(0.001, language) for language in LANGUAGES] == ["< $0.01", "< 0,01 $"]


async def test_a_section_that_is_compared_is_asked_for_as_a_redline(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    async with caller(address) as http:
        page = await http.get(f"{section(document_id)}?old=1", headers={"Accept": "text/html"})
        await http.post(f"{document(document_id)}/exports", data={"section": "research", "old": "1", "new": "2"})
    assert "Redline" in page.text
    [(_, asked)] = bus.received
    assert isinstance(asked, ExportDocument)
    assert asked.redline == (VersionPair(section_id="research", from_version=1, to_version=2),)
