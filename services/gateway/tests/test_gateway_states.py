"""States of pages of the desk that other tests do not come to, in a real Chromium: axe finds nothing in them."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import violations

from .desk_pages import Desk, section

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("H4", "H5")]
SIZE: Any = {"width": 320, "height": 640}
SEND = """([path, fields]) => {
  const form = document.createElement("form");
  form.method = "post";
  form.action = path;
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement("input"), {type: "hidden", name, value}));
  }
  document.body.append(form);
  form.submit();
}"""


async def check(page: Page, state: str) -> None:
    """What is shown now fits, and axe finds nothing in it."""
    assert await violations(page) == [], state
    assert await page.evaluate("document.documentElement.scrollWidth") <= SIZE["width"], state


@pytest.mark.parametrize(
    ("language", "scheme"),
    [
        ("de", "dark"),
        pytest.param("en", "light", marks=pytest.mark.full),
        pytest.param("en", "dark", marks=pytest.mark.full),
        pytest.param("de", "light", marks=pytest.mark.full),
    ],
)
async def test_axe_finds_nothing_in_pages_that_refuse_wait_or_have_nothing_to_show(
    desk: Desk, language: str, scheme: Any, address: str, bus: Backstage, document_id: str
) -> None:
    here, document = section(document_id), f"/desk/documents/{document_id}"
    async with desk("/desk?approved=1&refused=1", viewport=SIZE, color_scheme=scheme, locale=language) as page:
        await check(page, "inbox")
        for path in (
            f"{here}?done=approve",
            f"{document}/history",
            f"{document}/requirements",
            f"{document}/inputs",
            "/desk/keys",
        ):
            await page.goto(f"{address}{path}")
            await check(page, path)
        bus.problems = (Problem(field="version", message="version 3 is current"),)
        await page.goto(f"{address}{here}")
        await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        await page.locator(".side button.first").click()
        await expect(page.locator("[data-refused]")).to_be_visible()
        await page.evaluate("document.querySelectorAll('.notes .note').forEach((each) => (each.hidden = false))")
        await check(page, "refused, lost, ended and changed")
        async with page.expect_navigation():
            await page.evaluate(SEND, [f"{here}/approve", {"version": "2"}])
        await check(page, "refused without scripts")
        bus.problems = ()
        await page.goto(f"{address}{document}/sections/solution")
        await check(page, "nothing written")
        await bus.append(document_id, e.SectionApproved(section_id="research", version=2, starts=("solution",)))
        await expect(page.locator(".written")).to_be_attached()
        await check(page, "being written")
        await page.goto(f"{address}{document}")
        await check(page, "document being written")
        await page.goto(f"{address}/desk/documents/nothing")
        await check(page, "no document")
        await page.context.clear_cookies()
        await page.goto(f"{address}/sign-in")
        await check(page, "sign in")
