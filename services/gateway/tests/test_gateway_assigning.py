"""Assigning sections on the review desk, in a real Chromium."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import expect
from stemma_contracts.v1 import events
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import ApproveSection, AssignSection, Request, UnassignSection
from stemma_contracts.v1.summary import DocumentSummary
from stemma_gateway.desk import deciding, forms
from stemma_provisioning import client_user
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .desk_pages import NARROW, Desk, check, section

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("H2", "H4", "H5")]
ME = client_user("default")
PAST = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
HTML = {"Accept": "text/html"}


@pytest_asyncio.fixture(loop_scope="session")
async def bus(server: Any, open_backstage: Callable[..., Any], document_id: str) -> AsyncIterator[Backstage]:
    """The other side, with a section that waits for review, is assigned to `bea` and overdue."""
    async with open_backstage(server) as stage:
        draft = await stage.text(document_id, "# Research\n")
        about: dict[str, Any] = {"section_id": "research", "assignee": "bea", "due": PAST}
        written = (document_requested(), section_drafted("research", draft), review_requested("research"))
        await stage.append(document_id, *written, events.SectionAssigned(**about, actor="ada"))
        await stage.list_research(document_id, assignee="bea", due=PAST)
        yield stage


def box(document_id: str) -> str:
    return f'[value="{document_id}/research"]'


@pytest.mark.parametrize(
    ("scheme", "language", "said"),
    [
        ("dark", "de", "überfällig seit"),
        pytest.param("light", "en", "overdue since", marks=pytest.mark.full),
    ],
)
async def test_whose_a_section_is_and_since_when_it_is_overdue_is_told_in_words_within_320_pixels(
    desk: Desk, scheme: Any, language: str, said: str, address: str, bus: Backstage, document_id: str
) -> None:
    async with desk("/desk", viewport=NARROW, color_scheme=scheme, locale=language) as page:
        for path in ("/desk", section(document_id)):
            await page.goto(f"{address}{path}")
            await page.keyboard.press("s")
            told = page.locator("main").get_by_text("bea")
            await expect(told.first).to_be_visible()
            await expect(page.get_by_text(said).first).to_contain_text("2026")
            await check(page, path)


async def test_what_is_ticked_in_the_inbox_is_assigned_together_and_nothing_is_approved(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk("/desk", timezone_id="Asia/Kolkata") as page:
        await page.locator(box(document_id)).check()
        await page.keyboard.press("s")
        await page.get_by_label("Assignee").fill("carl")
        await page.get_by_label("Due date").fill("2099-12-01T17:00")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("status").filter(has_text="1 assigned")).to_be_visible()
    [(_, asked)] = bus.received
    assert isinstance(asked, AssignSection)
    assert (asked.document_id, asked.section_id, asked.assignee) == (document_id, "research", "carl")
    assert asked.due is not None
    assert asked.due.isoformat() == "2099-12-01T17:00:00+05:30"


@pytest.mark.full
async def test_what_is_ticked_is_taken_from_whoever_has_it_and_times_stay_local_when_the_inbox_is_renewed(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk("/desk", timezone_id="Asia/Kolkata") as page:
        row = page.locator(f"#waits-{document_id}-research")
        await expect(row).to_contain_text("8:34")
        await bus.list_research(document_id, assignee="carl", due=PAST)
        await expect(row).to_contain_text("carl")
        await expect(row).to_contain_text("8:34")
        await page.locator(box(document_id)).check()
        await page.keyboard.press("s")
        await page.get_by_role("button", name="Unassign selected").click()
        await expect(page.get_by_role("status").filter(has_text="1 unassigned")).to_be_visible()
    [(_, asked)] = bus.received
    assert isinstance(asked, UnassignSection)
    assert (asked.document_id, asked.section_id) == (document_id, "research")


async def test_the_inbox_has_parts_for_what_is_mine_and_nobodys(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    async def listed(http: Any, query: str) -> bool:
        page = await web.get(f"/desk{query}", headers=HTML)
        return section(document_id) in page.text

    seen = [await listed(web, query) for query in ("", "?whose=mine", "?whose=nobodys")]
    await bus.list_research(document_id, assignee=ME)
    seen += [await listed(web, query) for query in ("?whose=mine&why=review", "?whose=mine&why=stale")]
    await bus.list_research(document_id)
    seen += [await listed(web, query) for query in ("?whose=mine", "?whose=nobodys")]
    odd = await web.get("/desk?whose=everybody", headers=HTML)
    assert seen == [True, False, False, True, False, False, True]
    assert odd.status_code == 422


async def test_what_is_refused_is_told_and_what_was_typed_in_is_still_there(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    typed = {"assignee": "bea b", "due": "2099-12-01T17:00", "zone": "+01:00"}
    ticked = {"item": f"{document_id}/research", "seen": f"{document_id}/research/1"}
    wrong = await web.post(f"{section(document_id)}/assign", data=typed)
    nothing = await web.post("/desk/assign", data=typed, headers=HTML)
    nowhere = await web.post("/desk/assign", data=typed | {"item": "../x y"}, headers=HTML)
    bus.problems = (Problem.of("due_past", "due", due="2020-01-01T00:00:00+00:00"),)
    past = await web.post("/desk/assign", data=ticked | {"assignee": "bea"}, headers=HTML)
    assert [answer.status_code for answer in (wrong, nothing, nowhere)] == [422, 422, 422]
    assert all(f'value="{value}"' in wrong.text for value in ("bea b", "2099-12-01T17:00"))
    assert "tick at least one section" in nothing.text
    assert "is past" in past.text
    assert len(bus.received) == 1, "a section that is ticked twice is asked for once"


async def test_only_what_had_passed_is_approved_of_what_is_ticked(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    ticked = {"item": f"{document_id}/research", "seen": f"{document_id}/budget/1"}
    told = await web.post("/desk/approve", data=ticked, headers=HTML, follow_redirects=True)
    assert "only sections that passed are approved together" in told.text
    [(_, asked)] = bus.received
    assert isinstance(asked, ApproveSection)
    assert asked.section_id == "budget"


async def test_the_inbox_is_shown_once_it_tells_of_what_was_assigned(
    web: httpx.AsyncClient, bus: Backstage, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deciding, "SEEN_WITHIN_S", 30)
    summary = DocumentSummary.model_validate((await web.get(f"/documents/{document_id}/summary")).json())
    bus.accepted = {"sequence": summary.last_sequence + 1}
    ticked, asked = {"item": f"{document_id}/research", "assignee": "carl"}, asyncio.Event()

    async def hear(_: Request) -> None:
        asked.set()

    bus.on_request = hear
    assigning = asyncio.create_task(web.post("/desk/assign", data=ticked))
    await asked.wait()
    await asyncio.wait([assigning], timeout=0.3)
    assert not assigning.done()
    await bus.summarise(summary.model_copy(update={"last_sequence": summary.last_sequence + 1}))
    assert (await assigning).headers["location"] == "/desk?assigned=1"


async def test_what_was_approved_before_nobody_answered_is_told_and_no_more_is_asked(
    web: httpx.AsyncClient, bus: Backstage, monkeypatch: pytest.MonkeyPatch, document_id: str
) -> None:
    answered = asyncio.Event()

    async def hold_the_second(asked: Request) -> None:
        monkeypatch.setattr(forms, "WAIT_S", 0.05)
        if len(bus.received) == 2:
            await answered.wait()

    bus.on_request = hold_the_second
    seen = [f"{document_id}/{name}/1" for name in ("research", "budget", "solution")]
    forged = await web.post("/desk/approve", data={"seen": [seen[0], "../x y/research/1"]}, headers=HTML)
    assert (forged.status_code, bus.received) == (422, [])
    try:
        told = await web.post("/desk/approve", data={"seen": seen}, headers=HTML)
    finally:
        answered.set()
    assert 'role="alert"' in told.text
    assert "1 approved" in told.text
    sections = [asked.section_id for _, asked in bus.received if isinstance(asked, ApproveSection)]
    assert sections == ["research", "budget"]
