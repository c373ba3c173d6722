"""Comments on the review desk, in a real Chromium."""

import gzip
import re
from collections.abc import AsyncIterator, Callable
from html import unescape
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from stemma_contracts.suggestions import Suggestion, suggestion_in, with_suggestion
from stemma_contracts.v1 import events
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import MadeComment, Remark
from stemma_contracts.v1.requests import AcceptSuggestion, CommentSection, ReopenThread, ResolveThread, ReviseSection
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import violations
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .conftest import Caller
from .desk_pages import NARROW, Desk, check, plain, section

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("H2", "H4", "H5")]
TEXT = "# Costs\n\nThe **pilot** costs EUR 480,000.\n\nOperation costs EUR 90,000.\n"
SELECT = """() => {
  const paragraph = document.querySelectorAll(".rendered p")[0];
  getSelection().setBaseAndExtent(paragraph.firstChild, 4, paragraph.lastChild, 6);
  getSelection().setBaseAndExtent(paragraph, 1, paragraph.lastChild, 6);
}"""
HOSTILE = "<script>document.title='run'</script> \u202eabc " + "x" * 5000


@pytest_asyncio.fixture(loop_scope="session")
async def bus(server: Any, open_backstage: Callable[..., Any], document_id: str) -> AsyncIterator[Backstage]:
    """The other side, with a section that has an open thread, one whose passage is gone, and a resolved one."""
    async with open_backstage(server) as stage:
        draft = await stage.text(document_id, TEXT)
        said = (("pilot costs", "sure?"), ("EUR 500,000", HOSTILE), ("", "Seen to."))
        made = []
        for number, (quote, text) in enumerate(said, 1):
            remark = await stage.text(document_id, Remark(text=text, quote=quote).model_dump_json())
            made.append(MadeComment(comment_id=f"c4-{number}", thread_id=f"c4-{number}", remark=remark))
        about: dict[str, Any] = {"section_id": "research", "actor": "bob"}
        commented = events.SectionCommented(**about, version=1, comments=tuple(made))
        resolved = events.SectionThreadResolved(**about, thread_id="c4-3")
        written = (document_requested(), section_drafted("research", draft), review_requested("research"))
        await stage.append(document_id, *written, commented, resolved)
        await stage.list_research(document_id, open_threads=2)
        yield stage


async def highlighted(page: Page) -> list[str]:
    """The passages that are marked in the text."""
    found: list[str] = await page.evaluate("() => [...(CSS.highlights.get('comments') ?? [])].map(String)")
    return found


@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.full)])
async def test_threads_stand_beside_their_passages_fit_320_pixels_and_hold_harmless_text(
    desk: Desk, scheme: Any, address: str, bus: Backstage, document_id: str
) -> None:
    async with desk(section(document_id), viewport=NARROW, color_scheme=scheme) as page:
        await expect(page.locator(".thread:visible")).to_have_count(2)
        await expect(page.get_by_text("this passage is not in the text any more")).to_be_visible()
        assert await highlighted(page) == ["pilot costs"]
        await page.get_by_text("Resolved: 1").click()
        await page.keyboard.press("c")
        await check(page)
        assert (await page.title()).endswith("Research · Stemma")
        await page.goto(f"{address}/desk")
        await expect(page.get_by_text("2 comments").first).to_be_visible()
        assert await violations(page) == []


async def test_selected_words_and_others_become_one_review_that_survives_a_closed_tab_and_a_reply(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(section(document_id)) as page:
        await page.evaluate(SELECT)
        await page.keyboard.press("c")
        await page.keyboard.type("From which budget?")
        await page.get_by_role("button", name="Add another comment").click()
        await page.keyboard.type("Good section.")
        await page.reload()
        await expect(page.get_by_label("Your comment").nth(1)).to_have_value("Good section.")
        await page.get_by_role("button", name="Send all comments").click()
        await expect(page.get_by_role("status")).to_contain_text("Comment")
        await expect(page.get_by_label("Your comment").first).to_have_value("")
        await page.keyboard.press("c")
        await page.keyboard.type("Not sent yet.")
        await page.locator("#thread-c4-1").get_by_text("Reply").first.click()
        await page.locator("#reply-c4-1").fill("Yes.")
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url("**/research?done=comment**")
        await page.reload()
        await expect(page.get_by_label("Your comment").first).to_have_value("Not sent yet.")
    (_, asked), (_, replied) = bus.received
    assert isinstance(asked, CommentSection)
    assert isinstance(replied, CommentSection)
    assert (asked.version, replied.comments[0].thread_id) == (1, "c4-1")
    told = [(one.quote, one.text) for one in asked.comments]
    assert told == [("pilot costs", "From which budget?"), ("", "Good section.")]
    assert asked.comments[0].before.endswith("The ")


@pytest.mark.full
async def test_what_is_to_be_revised_quotes_the_words_that_are_selected(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(section(document_id)) as page:
        await page.evaluate(SELECT)
        await page.keyboard.press("r")
        await page.keyboard.type("Say per year.")
        await page.keyboard.press("Control+Enter")
        await expect(page.get_by_role("status")).to_contain_text("Request changes")
    [(_, asked)] = bus.received
    assert isinstance(asked, ReviseSection)
    assert (asked.feedback, asked.version) == ("> pilot costs\n\nSay per year.", 1)


async def test_a_thread_is_answered_resolved_and_reopened(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    here = section(document_id)
    async with caller(address, follow_redirects=True) as http:
        reply = await http.post(f"{here}/comments", data={"version": "1", "thread_id": "c4-1", "text": "Yes."})
        reading = await http.post(f"{here}/threads/c4-3/reopen?in_document=true")
        marked = [await http.post(f"{here}/threads/{each}") for each in ("c4-1/resolve", "c4-3/reopen")]
    assert [plain(page.text).partition("Done: ")[2][:7] for page in (reply, *marked)] == [
        "Comment",
        "Resolve",
        "Reopen ",
    ]
    assert f'action="{here}/threads/c4-3/resolve"' in reading.text.partition('role="status"')[2]
    answered, _, resolved, reopened = (request for _, request in bus.received)
    assert isinstance(answered, CommentSection)
    assert isinstance(resolved, ResolveThread)
    assert isinstance(reopened, ReopenThread)
    assert (answered.comments[0].thread_id, answered.comments[0].text) == ("c4-1", "Yes.")
    assert (resolved.thread_id, reopened.thread_id) == ("c4-1", "c4-3")


@pytest.mark.full
async def test_a_suggestion_is_typed_beside_its_comment_and_goes_into_its_words(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(section(document_id)) as page:
        await page.evaluate(SELECT)
        await page.keyboard.press("c")
        await page.locator("[data-suggest]").click()
        await page.get_by_label("Suggested text (optional)").fill("trial costs")
        await page.reload()
        await expect(page.get_by_label("Suggested text (optional)")).to_have_value("trial costs")
        await page.get_by_role("button", name="Send all comments").click()
        await expect(page.get_by_role("status")).to_contain_text("Comment")
    [(_, asked)] = bus.received
    assert isinstance(asked, CommentSection)
    [made] = asked.comments
    assert (made.quote, suggestion_in(made.text)) == ("pilot costs", Suggestion("trial costs", ""))


async def suggested(bus: Backstage, document_id: str, quote: str, text: str) -> None:
    """Somebody comments on words, in a thread of its own."""
    remark = await bus.text(document_id, Remark(text=text, quote=quote).model_dump_json())
    made = MadeComment(comment_id="c5-1", thread_id="c5-1", remark=remark)
    await bus.append(
        document_id, events.SectionCommented(section_id="research", actor="bob", version=1, comments=(made,))
    )


async def test_an_accepted_suggestion_is_an_edit_of_whoever_accepts_it_and_resolves_its_thread(
    address: str, caller: Caller, bus: Backstage, document_id: str
) -> None:
    await suggested(bus, document_id, "pilot costs", with_suggestion("Shorter.", "trial <b>costs</b>"))
    here = section(document_id)
    async with caller(address, follow_redirects=True) as http:
        page = (await http.get(here)).text
        done = await http.post(f"{here}/threads/c5-1/accept", data={"version": "1", "comment_id": "c5-1"})
    thread = page.partition("Shorter.")[2].partition("</article>")[0]
    assert "<del>**pilot** costs</del> <ins>trial &lt;b&gt;costs&lt;/b&gt;</ins>" in thread
    assert ("```" in thread, f'action="{here}/threads/c5-1/accept"' in thread) == (False, True)
    assert "Done: Accept the suggestion" in plain(done.text)
    [(_, asked)] = bus.received
    assert isinstance(asked, AcceptSuggestion)
    assert (asked.version, asked.thread_id, asked.comment_id) == (1, "c5-1", "c5-1")


async def test_a_suggestion_for_words_that_are_gone_or_of_another_version_changes_nothing(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await suggested(bus, document_id, "EUR 480,000", with_suggestion("", "nothing"))
    here = f"{section(document_id)}/threads/c5-1/accept"
    sent = {"version": "1", "comment_id": "c5-1"}
    bus.problems = (Problem.of("version_old", "version", version=1, current_version=2),)
    refused = await web.post(here, data=sent)
    nameless = [await web.post(here, data=sent | wrong) for wrong in ({"version": "x"}, {"comment_id": "<c9>"})]
    other = await bus.text(document_id, "# Costs\n\nIt is free.\n")
    await bus.append(document_id, section_drafted("research", other, 2))
    bus.problems = (Problem.of("suggestion_outdated", "comment_id"),)
    gone = await web.post(here, data=sent | {"version": "2"})
    page = await web.get(section(document_id), headers={"Accept": "text/html"})
    assert "version 1 is not current; version 2 is" in refused.text
    assert [answer.status_code for answer in (*nameless, gone)] == [422, 422, 422]
    assert "not in the text any more" in gone.text
    assert "Accept the suggestion" not in page.text
    assert [type(request) for _, request in bus.received] == [AcceptSuggestion] * 2


async def test_a_suggestion_names_the_words_that_it_replaces(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    asked = {"version": "1", "quote": "", "before": "", "text": "So?", "instead": "Keep me."}
    refused = await web.post(f"{section(document_id)}/comments", data=asked)
    assert "name the words that are to be replaced" in refused.text
    assert "Keep me." in refused.text


async def test_what_is_refused_of_comments_is_told_and_nothing_that_was_typed_is_lost(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"{section(document_id)}/comments"
    nowhere = await web.post(here, data={"version": "1", "quote": "EUR 5", "before": "", "text": "Keep me."})
    nothing = await web.post(here, data={"version": "1", "quote": "", "before": "", "text": " "})
    bus.problems = (Problem(field="version", message="version 2 is current"),)
    refused = await web.post(here, data={"version": "1", "quote": "", "before": "", "text": "Keep me."})
    odd = await web.post(f"{section(document_id)}/threads/c4-1/burn")
    assert [answer.status_code for answer in (nowhere, nothing, odd)] == [422, 422, 422]
    assert "these words do not stand in the version" in nowhere.text
    assert "version 2 is current" in refused.text
    assert all("Keep me." in answer.text for answer in (nowhere, refused))


async def test_all_threads_are_read_over_http_with_their_places(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    told = (await web.get(f"/documents/{document_id}/sections/research/comments")).json()
    assert [(one["line"], one["gone"], one["view"]["resolved"]) for one in told] == [
        (3, False, False),
        (None, True, False),
        (None, False, True),
    ]
    assert told[0]["comments"][0]["text"] == "sure?"


ACROSS = """() => {
  const paragraphs = document.querySelectorAll("#section-research .rendered > p");
  getSelection().setBaseAndExtent(paragraphs[0].querySelector("strong"), 0, paragraphs[1], 1);
}"""
BESIDE = """() => {
  const [range] = CSS.highlights.get("comments");
  return document.querySelector("#thread-c4-1").getBoundingClientRect().top - range.getBoundingClientRect().top;
}"""


async def whole(bus: Backstage, document_id: str) -> str:
    """The address of the page of the document, which has another section with a text."""
    solution = section_drafted("solution", await bus.text(document_id, "# Solution\n\nA bicycle.\n"))
    await bus.append(document_id, solution, review_requested("solution"))
    return f"/desk/documents/{document_id}"


@pytest.mark.req("H8")
async def test_selected_words_are_commented_in_three_steps_beside_their_section_in_the_document(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(await whole(bus, document_id), viewport={"width": 1400, "height": 800}) as page:
        await expect(page.locator("#section-solution .rendered")).to_contain_text("A bicycle.")
        assert abs(await page.evaluate(BESIDE)) < 2
        await page.evaluate(SELECT)
        await page.get_by_role("button", name="Suggest other words").and_(page.locator("[data-floating] *")).click()
        await expect(page.locator('#section-research [name="instead"]')).to_have_value("pilot costs")
        assert await violations(page) == []
        await page.keyboard.type("trial costs")
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url("**?**#section-research")
        await expect(page.get_by_role("status")).to_contain_text("Comment")
    [(_, asked)] = bus.received
    assert isinstance(asked, CommentSection)
    [made] = asked.comments
    assert (asked.section_id, made.quote, suggestion_in(made.text)) == (
        "research",
        "pilot costs",
        Suggestion("trial costs", ""),
    )


@pytest.mark.req("H8")
async def test_on_a_phone_comments_stand_below_their_paragraph_and_keys_are_of_the_section_that_is_read(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(await whole(bus, document_id), viewport=NARROW) as page:
        await expect(page.locator(".rendered p + #thread-c4-1")).to_be_visible()
        await check(page)
        await page.evaluate(ACROSS)
        await page.locator("[data-floating] [data-begin=text]").click()
        await expect(page.locator('#section-research [name="quote"]')).to_have_value(
            re.compile(r"^pilot[^?]*90,000\.$")
        )
        await page.evaluate("document.querySelector('#section-solution .decisions [data-begin]').click()")
        await expect(page.locator('#section-solution [name="text"]:focus')).to_have_count(1)
        await page.locator("#section-solution h2 a").focus()
        await page.keyboard.press("r")
        await page.keyboard.type("Say more.")
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url("**?**#section-solution")
    [(_, asked)] = bus.received
    assert isinstance(asked, ReviseSection)
    assert (asked.section_id, asked.feedback) == ("solution", "Say more.")


@pytest.mark.req("H8")
async def test_a_long_document_begins_small_and_is_there_whole_to_be_found_and_printed(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = await whole(bus, document_id)
    long = section_drafted("solution", await bus.text(document_id, "# Solution\n\n" + "word " * 12_000), 2)
    await bus.append(document_id, long)
    first, all_of_it = [(await web.get(path)).text for path in (here, f"{here}?whole=true")]
    [part] = re.findall('data-later="([^"]*)"', first)
    assert ("pilot" in first, "word word" in first, "word word" in all_of_it) == (True, False, True)
    assert len(gzip.compress(first.encode())) < 60_000
    assert "word word" in (await web.get(unescape(part))).text
    await bus.append(document_id, events.SectionAssigned(section_id="solution", actor="bob", assignee="ida"))
    assert part not in (await web.get(here)).text
    assert "<details open" not in first  # without scripts too a phone shows the text first


@pytest.mark.req("H8")
async def test_a_document_counts_as_settled_what_is_not_stale_as_the_list_does(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = await whole(bus, document_id)
    await bus.append(
        document_id, *(events.SectionApproved(section_id=one, version=1) for one in ("research", "solution"))
    )
    before = plain((await web.get(here)).text)
    revised = section_drafted("research", await bus.text(document_id, "# Costs\n\nIt is free.\n"), 2)
    approved = events.SectionApproved(section_id="research", version=2)
    await bus.append(document_id, revised, review_requested("research", 2), approved)
    after = plain((await web.get(here)).text)
    assert ("2 of 2 settled" in before, "1 of 2 settled" in after) == (True, True)


async def test_of_words_that_stand_twice_in_a_paragraph_those_are_marked_that_were_meant(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    text = await bus.text(document_id, "# Costs\n\nThe pilot costs *much*, the **second** pilot costs less.\n")
    await bus.append(document_id, section_drafted("research", text, 2), review_requested("research", 2))
    remark = await bus.text(document_id, Remark(text="?", quote="pilot costs", before="the second ").model_dump_json())
    made = MadeComment(comment_id="c5-1", thread_id="c5-1", remark=remark)
    await bus.append(
        document_id, events.SectionCommented(section_id="research", actor="bob", version=2, comments=(made,))
    )
    async with desk(section(document_id)) as page:
        await expect(page.locator("#thread-c5-1")).to_be_visible()
        behind = """() => {
          const range = [...CSS.highlights.get("comments")].at(-1);
          range.setEndAfter(range.endContainer.parentElement.lastChild);
          return String(range);
        }"""
        assert await page.evaluate(behind) == "pilot costs less."
