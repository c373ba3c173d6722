"""Assigning sections on the review desk, in a real Chromium."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect
from stemma_contracts.v1 import events
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import ApproveSection, AssignSection, Request, UnassignSection
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary
from stemma_gateway.desk import deciding, forms
from stemma_provisioning import client_user
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .conftest import PAGES
from .desk_pages import Desk, all_requested, requested, section

pytestmark = pytest.mark.req("H2", "H3", "H4", "H5")
ME = client_user("default")
PAST = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


async def prepare(bus: Backstage, document_id: str) -> None:
    """A section that waits for review, is assigned to `bea` and overdue."""
    draft = await bus.text(document_id, "# Research\n")
    about: dict[str, Any] = {"section_id": "research", "assignee": "bea", "due": PAST}
    written = (document_requested(), section_drafted("research", draft), review_requested("research"))
    await bus.append(document_id, *written, events.SectionAssigned(**about, actor="ada"))
    await bus.list_research(document_id, assignee="bea", due=PAST)


def box(document_id: str) -> str:
    return f'[value="{document_id}/research"]'


async def test_what_is_ticked_in_the_inbox_is_assigned_or_taken_back_together_and_times_stay_local(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk("/desk", timezone_id="Asia/Kolkata") as page:
        row = page.locator(f"#waits-{document_id}-research")
        await expect(row).to_contain_text("8:34")
        await bus.list_research(document_id, assignee="dora", due=PAST)
        await expect(row).to_contain_text("dora")
        await expect(row).to_contain_text("8:34")
        await page.locator(box(document_id)).check()
        await page.keyboard.press("s")
        await page.get_by_label("Assignee").fill("carl")
        await page.get_by_label("Due date").fill("2099-12-01T17:00")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("status").filter(has_text="1 assigned")).to_be_visible()
        await page.locator(box(document_id)).check()
        await page.keyboard.press("s")
        await page.get_by_role("button", name="Unassign selected").click()
        await expect(page.get_by_role("status").filter(has_text="1 unassigned")).to_be_visible()
        await follows_what_waits(page, await page.context.new_page(), bus, document_id)
    asked, _ = all_requested(bus, AssignSection, UnassignSection)
    assert (asked.document_id, asked.section_id, asked.assignee) == (document_id, "research", "carl")
    assert asked.due is not None
    assert asked.due.isoformat() == "2099-12-01T17:00:00+05:30"


async def follows_what_waits(inbox: Page, other: Page, bus: Backstage, document_id: str) -> None:
    """The inbox, and the number in the head of every page."""
    row, badge = inbox.locator(f"#waits-{document_id}-research"), inbox.locator("[data-badge]")
    await expect(row).to_contain_text("dora")
    without = int(await badge.text_content() or 0)
    await bus.list_research(document_id)
    await expect(row).not_to_contain_text("dora")
    await expect(badge).to_have_text(str(without + 1))
    all_of_it, mine = int(await inbox.locator("h1 .count").inner_text()), int(await badge.inner_text())
    await other.goto(inbox.url.partition("/desk")[0] + "/desk/keys")
    await bus.list_research(document_id, version=2, status=SectionStatus.APPROVED)
    await expect(row).to_be_hidden()
    if all_of_it > 1:
        await expect(inbox.locator("h1 .count")).to_have_text(str(all_of_it - 1))
    else:
        await expect(inbox.locator("h1 .count")).to_have_count(0)
    if mine > 1:
        await expect(inbox).to_have_title(f"({mine - 1}) Inbox · Stemma")
        await expect(other).to_have_title(f"({mine - 1}) Keys · Stemma")
        await expect(other.locator("[data-badge]")).to_have_text(str(mine - 1))


async def test_the_inbox_has_parts_for_what_is_mine_and_nobodys(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    async def listed(http: Any, query: str) -> bool:
        page = await http.get(f"/desk{query}", headers=PAGES)
        return section(document_id) in page.text

    seen = [await listed(http, query) for query in ("", "?whose=mine", "?whose=nobodys")]
    await bus.list_research(document_id, assignee=ME)
    seen += [await listed(http, query) for query in ("?whose=mine&why=review", "?whose=mine&why=stale")]
    await bus.list_research(document_id)
    seen += [await listed(http, query) for query in ("?whose=mine", "?whose=nobodys")]
    odd = await http.get("/desk?whose=everybody", headers=PAGES)
    assert seen == [True, False, False, True, False, False, True]
    assert odd.status_code == 422


async def test_what_is_refused_is_told_and_what_was_typed_in_is_still_there(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    typed = {"assignee": "bea b", "due": "2099-12-01T17:00", "zone": "+01:00"}
    ticked = {"item": f"{document_id}/research", "seen": f"{document_id}/research/1"}
    wrong = await http.post(f"{section(document_id)}/assign", data=typed)
    nothing = await http.post("/desk/assign", data=typed, headers=PAGES)
    nowhere = await http.post("/desk/assign", data=typed | {"item": "../x y"}, headers=PAGES)
    bus.problems = (Problem.of("due_past", "due", due="2020-01-01T00:00:00+00:00"),)
    past = await http.post("/desk/assign", data=ticked | {"assignee": "bea"}, headers=PAGES)
    assert [answer.status_code for answer in (wrong, nothing, nowhere)] == [422, 422, 422]
    assert all(f'value="{value}"' in wrong.text for value in ("bea b", "2099-12-01T17:00"))
    assert "tick at least one section" in nothing.text
    assert "is past" in past.text
    assert len(bus.received) == 1, "a section that is ticked twice is asked for once"


async def test_only_what_had_passed_is_approved_of_what_is_ticked(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    ticked = {"item": f"{document_id}/research", "seen": f"{document_id}/budget/1"}
    told = await http.post("/desk/approve", data=ticked, headers=PAGES, follow_redirects=True)
    assert "only sections that passed are approved together" in told.text
    asked = requested(bus, ApproveSection)
    assert asked.section_id == "budget"


async def test_the_inbox_is_shown_once_it_tells_of_what_was_assigned(
    http: httpx.AsyncClient, bus: Backstage, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deciding, "SEEN_WITHIN_S", 30)
    summary = DocumentSummary.model_validate((await http.get(f"/documents/{document_id}/summary")).json())
    bus.accepted = {"sequence": summary.last_sequence + 1}
    ticked, asked = {"item": f"{document_id}/research", "assignee": "carl"}, asyncio.Event()

    async def hear(_: Request) -> None:
        asked.set()

    bus.on_request = hear
    assigning = asyncio.create_task(http.post("/desk/assign", data=ticked))
    await asked.wait()
    await asyncio.wait([assigning], timeout=0.3)
    assert not assigning.done()
    await bus.summarise(summary.model_copy(update={"last_sequence": summary.last_sequence + 1}))
    assert (await assigning).headers["location"] == "/desk?assigned=1"


async def test_what_was_approved_before_nobody_answered_is_told_and_no_more_is_asked(
    http: httpx.AsyncClient, bus: Backstage, monkeypatch: pytest.MonkeyPatch, document_id: str
) -> None:
    answered = asyncio.Event()

    async def hold_the_second(asked: Request) -> None:
        monkeypatch.setattr(forms, "WAIT_S", 0.05)
        if len(bus.received) == 2:
            await answered.wait()

    bus.on_request = hold_the_second
    seen = [f"{document_id}/{name}/1" for name in ("research", "budget", "solution")]
    forged = await http.post("/desk/approve", data={"seen": [seen[0], "../x y/research/1"]}, headers=PAGES)
    assert (forged.status_code, bus.received) == (422, [])
    try:
        told = await http.post("/desk/approve", data={"seen": seen}, headers=PAGES)
    finally:
        answered.set()
    assert 'role="alert"' in told.text
    assert "1 approved" in told.text
    sections = [asked.section_id for _, asked in bus.received if isinstance(asked, ApproveSection)]
    assert sections == ["research", "budget"]
