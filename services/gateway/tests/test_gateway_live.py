"""Pages that are open are renewed in place, in a real Chromium: nothing is missed, and nothing of a person is lost."""

import asyncio
import re
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, Page, Route, expect
from stemma_client import Client
from stemma_client.settings import ServerAddress
from stemma_contracts import subjects
from stemma_contracts.envelope import AT
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.comments import MadeComment, Remark
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.provenance import ProcessingMetadata
from stemma_contracts.v1.requests import CommentSection, ReviseSection
from stemma_gateway import followed
from stemma_provisioning import NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import opened
from stemma_testkit.document_events import document_requested, review_requested, section_drafted
from stemma_testkit.servers import admit, connected, connected_person, eventually
from stemma_testkit.serving import free_port

from .conftest import KEYS, PAGES
from .desk_pages import Desk, all_requested, requested, section, signed_in

pytestmark = pytest.mark.req("H2", "H3", "H5")
TEXT = "# Costs\n\nThe **pilot** costs EUR 480,000.\n\n" + "Operation costs EUR 90,000.\n\n" * 60
SELECTED = "() => getSelection().toString()"
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
MARKED = "() => [...(CSS.highlights.get('comments') ?? [])].map(String)"


async def written(bus: Backstage, document_id: str, text: str = TEXT, version: int = 3) -> None:
    """Another version of the section, which waits for review."""
    draft = await bus.text(document_id, text)
    await bus.append(document_id, section_drafted("research", draft, version), review_requested("research", version))


async def commented(bus: Backstage, document_id: str, quote: str, said: str, number: int = 1, version: int = 3) -> None:
    """What somebody else says about words of the current version."""
    remark = await bus.text(document_id, Remark(text=said, quote=quote).model_dump_json())
    made = MadeComment(comment_id=f"c{number}", thread_id=f"c{number}", remark=remark)
    about: dict[str, Any] = {"section_id": "research", "actor": "bob", "version": version}
    await bus.append(document_id, e.SectionCommented(**about, comments=(made,)))


async def follows(page: Page) -> None:
    """Wait until the page is told what happens."""
    await page.wait_for_function("() => document.getElementById('stream')._htmx?.sse?.status === 200")


async def test_a_section_is_renewed_under_a_person_who_loses_neither_words_nor_place_nor_selection(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    await written(bus, document_id)
    async with desk(section(document_id), viewport={"width": 400, "height": 700}) as page:
        await expect(page.locator(".outline li").first).to_be_hidden()
        await page.set_viewport_size({"width": 1200, "height": 700})
        await expect(page.locator(".outline li").first).to_be_visible()
        await page.keyboard.press("c")
        await page.keyboard.type("Kept as well.")
        await page.get_by_role("button", name="Add another comment").click()
        await page.keyboard.press("Escape")
        await page.keyboard.press("r")
        await page.keyboard.type("Half a sen")
        await page.evaluate("document.querySelector('details:not(.verb)').open = true; scrollTo(0, 400)")
        await commented(bus, document_id, "pilot costs", "Sure?")
        await expect(page.locator(".thread")).to_contain_text("Sure?")
        assert await page.evaluate(MARKED) == ["pilot costs"]
        assert await page.evaluate("scrollY") == 400
        assert await page.evaluate("document.querySelector('details:not(.verb)').open")
        await expect(page.get_by_label("Your comment")).to_have_count(2)
        await expect(page.get_by_label("Your comment").first).to_have_value("Kept as well.")
        await page.keyboard.type("tence.")
        await expect(page.get_by_label("What should change").first).to_have_value("Half a sentence.")
        await page.evaluate("getSelection().selectAllChildren(document.querySelector('.rendered strong'))")
        await commented(bus, document_id, "Operation", "And this?", 2)
        await expect(page.locator(".thread")).to_have_count(2)
        assert await page.evaluate(SELECTED) == "pilot"
        assert await page.evaluate(MARKED) == ["pilot costs", "Operation"]
        await page.set_viewport_size({"width": 400, "height": 700})
        await page.get_by_label("Your comment").first.click()
        await page.keyboard.press("End")
        await page.keyboard.type(" And")
        await commented(bus, document_id, "Operation", "?" + "\n" * 9_000 + "!", 3)
        await expect(page.locator("#thread-c3")).to_contain_text("!")
        assert await page.locator("#thread-c3").evaluate("each => each.offsetHeight") <= 700, (
            "no card grows without end"
        )
        await page.set_viewport_size({"width": 1200, "height": 700})
        await page.keyboard.type(" on.")
        await expect(page.get_by_label("Your comment").first).to_have_value("Kept as well. And on.")


@pytest.mark.full
async def test_a_section_is_viewed_until_it_has_another_version_and_by_one_person_alone(
    browser: Browser,
    address: str,
    bus: Backstage,
    person: Callable[..., dict[str, str]],
    token: Callable[..., str],
    document_id: str,
) -> None:
    await written(bus, document_id)
    here, ida = f"/desk/documents/{document_id}", person("ida")
    async with opened(browser) as page, opened(browser) as elsewhere, opened(browser) as somebody:
        await signed_in_by_name(page, address, ida, section(document_id))
        tick = page.locator("[data-viewed]")
        async with page.expect_response("**/viewed"):
            await page.keyboard.press("v")
        await expect(tick).to_be_checked()
        await signed_in_by_name(elsewhere, address, ida, here)
        await expect(elsewhere.locator("[data-viewed-count]")).to_have_text("viewed: 1 of 1")
        await signed_in(somebody, address, token(), here)
        await expect(somebody.locator("[data-viewed-count]")).to_have_text("viewed: 0 of 1")
        await follows(elsewhere)
        draft = await bus.text(document_id, "# Anew\n")
        await bus.append(document_id, section_drafted("research", draft, 4), review_requested("research", 4))
        await elsewhere.get_by_role("link", name="Show", exact=True).click()
        await expect(elsewhere.locator("[data-viewed-count]")).to_have_text("viewed: 0 of 1")
        async with elsewhere.expect_response("**/viewed"):
            await elsewhere.locator("[data-viewed]").check()
        await page.reload()
        await expect(tick).to_be_checked()
        async with page.expect_response("**/viewed"):
            await tick.uncheck()
        await elsewhere.reload()
        await expect(elsewhere.locator("[data-viewed]")).not_to_be_checked()
        await elsewhere.route("**/viewed", lambda route: route.fulfill(status=503))
        async with elsewhere.expect_response("**/viewed"):
            await elsewhere.locator("[data-viewed]").click()
        await expect(elsewhere.locator("[data-viewed]")).not_to_be_checked()  # what is not kept is taken back


@pytest.mark.full
async def test_what_happens_before_a_page_is_connected_or_while_its_renewal_is_cut_off_is_not_missed(
    browser: Browser, address: str, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    await written(bus, document_id)

    async def held(route: Route) -> None:
        await commented(bus, document_id, "", "Said in between.")
        await route.continue_()

    async with opened(browser) as page:
        await page.route("**/desk/live?**", held, times=1)
        await signed_in(page, address, token(), section(document_id))
        await expect(page.locator(".thread")).to_contain_text("Said in between.")
        await follows(page)
        await page.evaluate(CUT_OFF_ONCE)
        await commented(bus, document_id, "", "Said while it was cut off.", 2)
        await expect(page.locator("#thread-c2")).to_contain_text("Said while it was cut off.", timeout=15_000)


CUT_OFF_ONCE = """() => {
  const asked = window.fetch;
  window.fetch = async (...given) => {
    const answer = await asked(...given);
    if (given[0] !== location.href) return answer;
    window.fetch = asked;
    return new Response(new ReadableStream({ start: (body) => body.error(new Error("cut off")) }));
  };
}"""


async def test_another_version_is_put_under_no_decision_before_a_person_says_so(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(section(document_id)) as page:
        await follows(page)
        await page.keyboard.press("r")
        await page.keyboard.type("Mine.")
        await written(bus, document_id, "# Third\n")
        await expect(page.get_by_text("This page is out of date.")).to_be_visible()
        await expect(page.locator(".rendered")).not_to_contain_text("Third")
        assert await page.locator(".decisions [name=version]").first.get_attribute("value") == "2"
        await page.get_by_role("link", name="Show").click()
        await expect(page.locator(".rendered")).to_contain_text("Third")
        await expect(page.get_by_text("This page is out of date.")).to_be_hidden()
        await expect(page.get_by_label("What should change").first).to_have_value("Mine.")
        await expect(page.get_by_role("link", name="What changed since you last looked")).to_be_visible()


async def test_words_are_shown_as_they_are_written_and_none_is_missed_or_doubled_by_a_lost_connection(
    browser: Browser, address: str, server: Any, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    await bus.append(document_id, e.SectionApproved(section_id="research", version=2, starts=("solution",)))
    async with opened(browser) as page, connected(server, subjects.GENERATION) as author:

        async def says(words: str, at: int) -> None:
            live = subjects.live("default", document_id, "solution")
            await author.publish(live, words.encode(), headers={AT: str(at)})

        async def is_shown() -> bool:
            await says("*One* ", 0)
            return "*One*" in await page.locator("[data-writing]").inner_text()

        await page.route("**/edit/preview", lambda refused: refused.fulfill(status=403))
        await signed_in(page, address, token(), f"/desk/documents/{document_id}/sections/solution")
        await eventually(is_shown)
        await page.unroute("**/edit/preview")
        await page.context.set_offline(True)
        await page.evaluate("document.getElementById('stream')._htmx.sse.reader.cancel()")
        await expect(page.get_by_text("The connection is lost.")).to_be_visible()
        await says("two <b>", 6)
        await page.context.set_offline(False)
        await expect(page.locator("[data-writing]")).to_have_text("One two <b>")
        await says("four.", 22)
        await expect(page.locator("[data-writing]")).to_have_text("One two <b>[…] four.")
        await bus.append(document_id, e.DocumentPaused())
        await expect(page.locator("[data-writing]")).to_have_text("One two <b>[…] four.")
        await says("Anew.", 0)
        await expect(page.locator("[data-writing]")).to_have_text("Anew.")
        await says("\n\n## Costs\n\n**Ten** <img src=x onerror=alert(1)>", 5)
        await expect(page.locator("[data-writing]").get_by_role("heading", name="Costs")).to_be_visible()
        await expect(page.locator("[data-writing] strong")).to_have_text("Ten")
        assert await page.locator("[data-writing] img").count() == 0
        await page.goto(f"{address}/desk/documents/{document_id}")
        await expect(page.locator("#section-solution [data-writing]")).to_contain_text("Anew.")
        draft = await bus.text(document_id, "# Solution\n\nAnew.\n")
        await bus.append(document_id, section_drafted("solution", draft), review_requested("solution"))
        await expect(page.locator("#section-solution .status").first).to_have_text("waiting for review")
        await expect(page.locator("[data-writing]")).to_have_count(0)


@pytest.mark.full
@pytest.mark.req("H1")
async def test_a_page_says_that_its_session_has_ended_and_keeps_what_was_typed(
    browser: Browser, gateway: Any, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    async with opened(browser) as page, gateway() as url:
        await signed_in(page, url, token(), section(document_id))
        await follows(page)
        await page.keyboard.press("r")
        await page.keyboard.type("Mine.")
        await page.context.clear_cookies()
        await commented(bus, document_id, "", "Unseen.")
        await expect(page.get_by_role("alert")).to_contain_text("Your session has ended.")
        await expect(page.locator(".thread")).to_have_count(0)
        await expect(page.get_by_label("What should change").first).to_have_value("Mine.")


@pytest.mark.req("H1")
async def test_a_page_that_asks_by_itself_is_not_led_to_the_sign_in(visitor: httpx.AsyncClient) -> None:
    by_itself = await visitor.get("/desk", headers=PAGES | {"HX-Request": "true"})
    somebody = await visitor.get("/desk", headers=PAGES)
    assert (by_itself.status_code, somebody.status_code) == (401, 303)


async def test_the_place_that_a_page_was_made_at_is_a_number(http: httpx.AsyncClient) -> None:
    for query in ("document=d1&after=-1", "document=d1&after=x", "document=../x&after=1", f"after={'9' * 40}"):
        assert (await http.get(f"/desk/live?{query}")).status_code == 422, query


async def signed_in_by_name(page: Page, address: str, typed: dict[str, str], path: str) -> None:
    """Sign in as a person, and come to a page."""
    await page.goto(f"{address}{path}")
    await page.get_by_label("Name").fill(typed["user"])
    await page.get_by_label("Password").fill(typed["password"])
    await page.get_by_role("button", name="Sign in").first.click()
    await page.wait_for_url(f"**{path}")


@pytest.mark.full
@pytest.mark.req("S4")
async def test_who_else_has_the_editor_open_is_shown_until_they_leave_it(
    browser: Browser, address: str, bus: Backstage, person: Callable[..., dict[str, str]], document_id: str
) -> None:
    ada, bob = person("adele", Role.AUTHOR), person("bruno", Role.AUTHOR)
    async with opened(browser) as writes, opened(browser) as reads:
        await signed_in_by_name(reads, address, bob, section(document_id))
        await signed_in_by_name(writes, address, ada, f"{section(document_id)}/edit")
        told = reads.get_by_text("being edited by adele")
        await expect(told).to_be_visible()
        await bus.append(document_id, e.DocumentPaused())
        await expect(told).to_be_visible()
        await expect(writes.locator("[data-editors]")).to_be_hidden()
        await reads.keyboard.press("e")
        await expect(told).to_be_visible()
        await expect(writes.get_by_text("being edited by bruno")).to_be_visible()
        await writes.goto(f"{address}/desk/keys")
        await expect(told).to_be_hidden()


@pytest.mark.req("S4")
async def test_who_says_nothing_any_more_is_forgotten_and_what_the_server_was_made_to_send_is_nobody(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch, document_id: str
) -> None:
    monkeypatch.setattr(followed, "SILENT_FOR_S", 0.5)
    monkeypatch.setattr(followed, "EVERY_S", 0.1)
    own, other = admit(server, "olga", Role.REVIEWER), admit(server, "paul", Role.AUTHOR)
    async with (
        asyncio.timeout(20),
        Client.connect_to(ServerAddress(server.url, "default", "olga", login=own)) as client,
        connected_person(other, asks=True) as paul,
        aclosing(followed.Editors(client, "olga", document_id).follow("research")) as names,
    ):
        assert await anext(names) == ()
        said = [subjects.presence("default", name, document_id, "research") for name in ("paul", "rita")]
        coming = asyncio.ensure_future(anext(names))
        while not coming.done():
            await paul.publish(subjects.request_of("default", "paul", "edit-section"), b"{}", reply=said[1])
            await paul.publish(said[0], b"here")
            await asyncio.wait({coming}, timeout=0.1)
        assert coming.result() == ("paul",)
        assert await anext(names) == ()


@pytest.mark.req("E4")
async def test_how_long_sections_take_is_known_from_the_first_that_is_written_though_an_earlier_document_is_gone(
    server: NatsServer, bus: Backstage, document_id: str
) -> None:
    login, other = admit(server, "wanda", Role.REVIEWER), f"u{document_id}"
    took = ProcessingMetadata(started_at=BEGAN, finished_at=BEGAN, seconds=40)
    await bus.list_research(f"gone-{other}", becomes=DocumentStatus.COMPLETED)
    async with Client.connect_to(ServerAddress(server.url, "default", "wanda", login=login)) as client:
        kept = followed.Followed(client, "wanda")
        drafted = section_drafted("research").model_copy(update={"processing_metadata": took})
        for event in (document_requested(), drafted):
            await bus.append(other, event)
            usual = await kept.usual(await client.document(other))
    assert usual == {"research": 40}


WAITS = "No answer yet."


@pytest.mark.timeout(120)
@pytest.mark.req("H2", "H5", "E1")
async def test_a_page_says_that_its_connection_is_lost_goes_on_where_it_was_and_does_what_was_decided_meanwhile(
    browser: Browser, gateway: Any, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    port = free_port()
    async with opened(browser) as page, opened(browser) as reads:
        async with gateway(port=port, cookie_keys=KEYS) as url:
            for each in (page, reads):
                await signed_in(each, url, token(), section(document_id))
                await follows(each)
                await each.keyboard.press("r")
                await each.keyboard.type("Shorter.")
        await expect(reads.get_by_text("The connection is lost.")).to_be_visible()
        await page.get_by_role("button", name="Request changes").click()
        await expect(page.get_by_text(WAITS)).to_be_visible()
        await expect(page.get_by_label("What should change").first).to_have_value("Shorter.")
        await commented(bus, document_id, "", "Said meanwhile.", version=2)
        async with gateway(port=port, cookie_keys=KEYS):
            await expect(page.get_by_text("Done: Request changes")).to_be_visible(timeout=20_000)
            await expect(reads.get_by_text("The connection is lost.")).to_be_hidden(timeout=20_000)
            await expect(reads.locator(".thread")).to_contain_text("Said meanwhile.")
            await expect(reads.get_by_label("What should change").first).to_have_value("Shorter.")
    asked = requested(bus, ReviseSection)
    assert (asked.feedback, asked.version) == ("Shorter.", 2)


@pytest.mark.req("H2", "H5", "E1")
@pytest.mark.full
async def test_a_decision_that_is_taken_and_never_answered_is_told_of_and_sent_again(
    browser: Browser, gateway: Any, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    port, taken = free_port(), asyncio.Queue[bytes]()

    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        if request.startswith(b"POST"):
            await taken.put(*re.findall(rb"(?i)idempotency-key: \S+", request))
        await reader.read()

    async with opened(browser) as page:
        await page.clock.install()
        async with gateway(port=port, cookie_keys=KEYS) as url:
            await signed_in(page, url, token(), section(document_id))
        async with await asyncio.start_server(silent, "127.0.0.1", port):
            await page.keyboard.press("a")
            first = await taken.get()
            await page.clock.fast_forward(4_000)
            await expect(page.get_by_text(WAITS)).to_be_visible()
            await page.clock.fast_forward(25_000)
            await page.clock.fast_forward(1_000)
            assert await taken.get() == first


@pytest.mark.req("H2", "H5", "E1")
async def test_what_is_sent_twice_under_one_key_is_asked_once_and_under_another_twice(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    form = {"version": "2", "quote": "", "before": "", "text": "Once."}
    for key in ("one", "one", "two"):
        sent = await http.post(f"{section(document_id)}/comments", data=form, headers={"Idempotency-Key": key})
        assert sent.status_code == 204, sent.text
        assert sent.headers["location"].startswith(section(document_id))
    asked = all_requested(bus, *[CommentSection] * len(bus.received))
    assert len({request.request_id for request in asked}) == 2


async def long_document(bus: Backstage, document_id: str) -> str:
    """The address of a page whose second section, of which nothing was said yet, is loaded later."""
    await written(bus, document_id, "# Costs\n\n" + "word " * 9_000)
    draft = await bus.text(document_id, "# Solution\n\nThe bicycle.\n\n" + "word " * 2_000)
    await bus.append(document_id, section_drafted("solution", draft), review_requested("solution"))
    return f"/desk/documents/{document_id}"


AWAY_ONCE = """() => {
  const asked = window.fetch;
  window.fetch = async (...given) => {
    if (!given[0].includes?.("/part?")) return asked(...given);
    window.fetch = asked;
    return new Response("", { status: 503 });
  };
}"""


@pytest.mark.req("H8")
async def test_words_typed_in_a_section_that_was_loaded_later_stay_when_somebody_else_approves_it(
    browser: Browser, address: str, bus: Backstage, token: Callable[..., str], document_id: str
) -> None:
    async with opened(browser) as page:
        await page.add_init_script(f"({AWAY_ONCE})()")
        await signed_in(page, address, token(), await long_document(bus, document_id))
        solution = page.locator("#section-solution")
        await expect(solution.locator(".rendered")).to_contain_text("The bicycle.")
        await follows(page)
        await solution.locator("#solution-revise-feedback").evaluate("each => (each.closest('details').open = true)")
        await solution.locator("#solution-revise-feedback").fill("Which one?")
        await bus.append(document_id, e.SectionApproved(section_id="solution", version=1, actor="bob"))
        await expect(page.get_by_text("This page is out of date.")).to_be_visible()
        await expect(solution.locator("#solution-revise-feedback")).to_have_value("Which one?")
        await page.get_by_role("link", name="Show", exact=True).click()
        await expect(solution.get_by_role("button", name="Withdraw")).to_be_attached()
        await expect(solution.locator("#solution-revise-feedback")).to_have_count(0)
