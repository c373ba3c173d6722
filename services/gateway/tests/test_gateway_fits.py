"""All pages of the desk fit 320 pixels, axe finds nothing in them, and nothing that is written there runs."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.ledger import RequirementDecision
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import section_drafted

from . import test_gateway_assigning as assigning
from . import test_gateway_commenting as commenting
from . import test_gateway_document as document
from . import test_gateway_editing as editing
from . import test_gateway_forms as forms
from . import test_gateway_library as library
from . import test_gateway_requirements as requirements
from . import test_gateway_returning as returning
from . import test_gateway_stale as stale
from . import test_gateway_starting as starting
from . import test_gateway_submitting as submitting
from .desk_pages import NARROW, Desk, check, reviewed, section

pytestmark = pytest.mark.req("H2", "H4", "H5", "H8")
Prepare = Callable[[Backstage, str], Awaitable[object]]


async def looked_at(bus: Backstage, document_id: str) -> None:
    await requirements.prepare(bus, document_id)
    looked = RequirementDecision(requirement_id="R1", looked=True)
    await bus.append(document_id, e.RequirementsDecided(decisions=(looked,)), section_drafted("research", version=2))


async def offered(bus: Backstage, document_id: str) -> None:
    await requirements.prepare(bus, document_id)
    await library.approved(bus)


async def returned(bus: Backstage, document_id: str) -> None:
    await returning.prepare(bus, document_id)
    await returning.read(bus, document_id)


async def read(bus: Backstage, document_id: str) -> None:
    await starting.prepare(bus, document_id)
    await starting.read(bus, document_id)


async def edited(bus: Backstage, document_id: str) -> None:
    await reviewed(bus, document_id)
    await editing.edited(bus, document_id, f"{editing.BASE}\n\u202eabc\n")


async def amended(bus: Backstage, document_id: str) -> None:
    await reviewed(bus, document_id)
    await editing.amended(bus, document_id, f"{'x' * 200}.md")


HERE, SECTION = "/desk/documents/{0}", "/desk/documents/{0}/sections/research"
SHOWN: tuple[tuple[Prepare, tuple[str, ...]], ...] = (
    (assigning.prepare, ("/desk", SECTION)),
    (commenting.prepare, (SECTION,)),
    (document.prepare, (HERE, f"{HERE}/history?all=true")),
    (edited, (f"{SECTION}/edit",)),
    (amended, ("/desk/new", f"{HERE}/inputs", f"{HERE}/inputs/input-9")),
    (forms.prepare, (f"{HERE}/inputs/input-1",)),
    (offered, ("/desk/library", f"{HERE}/library")),
    (returned, (f"{HERE}/returns/return-2",)),
    (stale.prepare, ("/desk/stale?item={0}/solution",)),
    (read, (f"{HERE}/reading",)),
    (submitting.prepare, (f"{HERE}/submission",)),
    (looked_at, (f"{HERE}/matrix", f"{HERE}/requirements", f"{HERE}/requirements/R1")),
    (looked_at, ("/desk/notifications", "/desk/documents", f"{HERE}/inputs/input-1/at?line=3&row=R1")),
)
"""What each page is shown with; {0} is the id of the document."""
OPENED: dict[Prepare, str] = {assigning.prepare: "s", commenting.prepare: "c"}
"""The key that opens the form which a page is about."""
ALL_OPEN = "document.querySelectorAll('details').forEach((each) => (each.open = true))"


@pytest_asyncio.fixture(loop_scope="session")
async def rule(http: httpx.AsyncClient) -> AsyncIterator[None]:
    """What the page of notifications shows; it is gone afterwards, whatever became of the test."""
    typed = {"rule_id": "mail", "receiver": "ops@example.com", "on": "assigned"}
    await http.post("/desk/notifications", data=typed, files={"none": ("", b"")})
    yield
    await http.post("/desk/notifications/mail/remove")


@pytest.mark.usefixtures("rule")
@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.full)])
async def test_each_page_fits_and_axe_finds_nothing_in_it(
    desk: Desk, scheme: Any, address: str, bus: Backstage, document_id: str
) -> None:
    async with desk("/desk", viewport=NARROW, color_scheme=scheme) as page:
        for number, (prepare, paths) in enumerate(SHOWN):
            await prepare(bus, one := f"{document_id}-{number}")
            for path in paths:
                await page.goto(f"{address}{path.format(one)}")
                if prepare in OPENED:
                    await page.keyboard.press(OPENED[prepare])
                await page.evaluate(ALL_OPEN)
                await check(page)
                assert not (await page.title()).startswith("run")
                if prepare is assigning.prepare:
                    await expect(page.get_by_text("overdue since").first).to_contain_text("2026")
        picture = await page.locator(".page svg").bounding_box()
        assert picture is not None
        assert 0 < picture["width"] <= NARROW["width"], "a page fits, and need not be moved to be read"


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


@pytest.mark.parametrize(("language", "scheme"), [("de", "dark"), pytest.param("en", "light", marks=pytest.mark.full)])
async def test_axe_finds_nothing_in_pages_that_refuse_wait_or_have_nothing_to_show(
    desk: Desk, language: str, scheme: Any, address: str, bus: Backstage, document_id: str
) -> None:
    here, whole = section(document_id), f"/desk/documents/{document_id}"
    async with desk("/desk?approved=1&refused=1", viewport=NARROW, color_scheme=scheme, locale=language) as page:

        async def checked(*paths: str) -> None:
            for path in paths:
                await page.goto(f"{address}{path}")
                await check(page, path)

        await check(page, "inbox")
        await checked(f"{here}?done=approve", *(f"{whole}/{each}" for each in ("history", "requirements", "inputs")))
        await refused(page, bus, address, here)
        await checked(f"{whole}/sections/solution")
        await bus.append(document_id, e.SectionApproved(section_id="research", version=2, starts=("solution",)))
        await expect(page.locator("[data-writing]")).to_be_attached()
        await check(page, "being written")
        await checked(whole, "/desk/documents/nothing")
        await page.context.clear_cookies()
        await checked("/sign-in")


async def refused(page: Page, bus: Backstage, address: str, here: str) -> None:
    bus.problems = (Problem(field="version", message="version 3 is current"),)
    await page.goto(f"{address}{here}")
    await page.evaluate(ALL_OPEN)
    await page.locator(".decisions button.first").click()
    await expect(page.locator("[data-refused]")).to_be_visible()
    await page.evaluate("document.querySelectorAll('.notes .note').forEach((each) => (each.hidden = false))")
    await check(page, "refused, lost, ended and changed")
    async with page.expect_navigation():
        await page.evaluate(SEND, [f"{here}/approve", {"version": "2"}])
    await check(page, "refused without scripts")
    bus.problems = ()
