"""States of pages of the desk that other tests do not come to, in a real Chromium: axe finds nothing in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.needs import Need
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import opened, violations
from stemma_testkit.document_events import document_requested

from .desk_pages import section, signed_in

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


async def check_refused_forms(page: Page, address: str, bus: Backstage, document_id: str) -> None:
    """An edit, an answer and an upload that are refused: what was sent is still there, and the page leads to itself."""
    here, inputs, other = section(document_id), f"/desk/documents/{document_id}/inputs", f"{document_id}-asks"
    question = await bus.text(other, "Which budget?")
    need = Need(need_id="n1", kind="question", checkpoint_id="c1", question=question)
    asked = e.SectionNeedRaised(section_id="research", job_id="j1", thread_id="t1", need=need)
    await bus.append(other, document_requested(), asked)
    answering = f"{section(other)}/question"
    file: Any = {"name": "new.txt", "mimeType": "text/plain", "buffer": b"x"}
    await page.goto(f"{address}{answering}")
    await page.locator("main textarea").first.fill("Ten thousand.")
    await check_refused(page, address, answering)
    await expect(page.locator("main textarea").first).to_have_value("Ten thousand.")
    await page.goto(f"{address}{inputs}")
    await page.locator("#file").set_input_files(file)
    await check_refused(page, address, inputs)
    await page.goto(f"{address}{here}/edit")
    await page.locator(".cm-content").press_sequentially("Mine. ")
    await check_refused(page, address, f"{here}/edit")
    await expect(page.locator(".cm-content")).to_contain_text("Mine.")


async def check_refused(page: Page, address: str, path: str) -> None:
    """Send the form; what is shown then says why it is refused, and leads to the page that the form stands on."""
    async with page.expect_navigation():
        await page.locator("main .first").click()
    await expect(page.locator("main [role=alert]")).to_be_visible()
    await check(page, f"refused at {path}")
    links = await page.locator(".notes a").evaluate_all("links => links.map((each) => each.href)")
    assert links == [f"{address}{path}"] * 2


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
    language: str,
    scheme: Any,
    browser: Browser,
    address: str,
    bus: Backstage,
    token: Callable[..., str],
    document_id: str,
) -> None:
    here, document = section(document_id), f"/desk/documents/{document_id}"
    async with opened(browser, viewport=SIZE, color_scheme=scheme, locale=language) as page:
        await signed_in(page, address, token(), "/desk?approved=1&refused=1")
        await check(page, "inbox")
        for path in (f"{here}?done=approve", f"{document}/history", f"{document}/requirements", f"{document}/inputs"):
            await page.goto(f"{address}{path}")
            await check(page, path)
        bus.problems = (Problem(field="version", message="version 3 is current"),)
        await page.goto(f"{address}{here}")
        await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        await page.locator(".side button.first").click()
        await expect(page.locator("[data-refused]")).to_be_visible()
        await page.evaluate("document.querySelectorAll('.notes .note').forEach((each) => (each.hidden = false))")
        await check(page, "refused, lost, ended and changed")
        for path, fields in (
            (f"{here}/approve", {"version": "2"}),
            (f"{here}/nothing", {}),
            ("/desk/approve", {"seen": "x"}),
        ):
            async with page.expect_navigation():
                await page.evaluate(SEND, [path, fields])
            await check(page, path)
            await page.goto(f"{address}{here}")
        await check_refused_forms(page, address, bus, document_id)
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
