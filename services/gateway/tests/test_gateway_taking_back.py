"""Single changes of a version are taken back on the review desk, in a real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import EditSection
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import opened, violations
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .conftest import Caller
from .desk_pages import section, signed_in

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.req("H2", "H4", "H5")]
OLD = "# Costs\n\nIt costs 5 euros. It is small.\n"
NEW = "# Costs\n\nIt costs 6 euros. It is very small.\n\n<script>document.title='run'</script>\n"


@pytest_asyncio.fixture(loop_scope="module")
async def bus(server: Any, open_backstage: Callable[..., Any], document_id: str) -> AsyncIterator[Backstage]:
    """The other side, with a section of two versions."""
    async with open_backstage(server) as stage:
        drafts = [await stage.text(document_id, text) for text in (OLD, NEW)]
        drafted = [section_drafted("research", draft, number) for number, draft in enumerate(drafts, 1)]
        await stage.append(document_id, document_requested(), *drafted, review_requested("research", 2))
        await stage.list_research(document_id, version=2)
        yield stage


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_what_is_ticked_is_taken_back_and_every_other_word_of_the_version_stays(
    scheme: Any, browser: Browser, address: str, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    size: Any = {"width": 320, "height": 640}
    async with opened(browser, viewport=size, color_scheme=scheme) as page:
        await signed_in(page, address, token(), f"{section(document_id)}?old=1")
        assert await violations(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert await page.title() == "Research · Stemma"
        await page.get_by_label("line 3 5 6").check()
        await page.get_by_role("button", name="Take back").click()
        await expect(page.get_by_role("status")).to_contain_text("Take back")
    [(_, asked)] = bus.received
    assert isinstance(asked, EditSection)
    assert (asked.version, asked.text) == (2, NEW.replace("6", "5"))


async def test_a_version_that_came_meanwhile_is_not_overwritten_and_one_that_is_not_there_is_refused(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    here = f"{section(document_id)}/take-back"
    bus.problems = (Problem(field="version", message="version 2 is not current; version 3 is"),)
    async with caller(address) as http:
        refused = await http.post(here, data={"old": "1", "version": "2", "change": "0"})
        nowhere = await http.post(here, data={"old": "1", "version": "9", "change": "0"})
    assert "version 3 is" in refused.text
    assert nowhere.status_code == 422
