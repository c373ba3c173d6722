"""Comments on the review desk, in a real Chromium."""

import gzip
import re
from html import unescape
from typing import Any

import httpx
import pytest
from playwright.async_api import expect
from stemma_contracts.suggestions import Suggestion, suggestion_in, with_suggestion
from stemma_contracts.v1 import events
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import MadeComment, Remark
from stemma_contracts.v1.requests import AcceptSuggestion, CommentSection, ReopenThread, ResolveThread, ReviseSection
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import violations
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .desk_pages import NARROW, Desk, all_requested, check, plain, requested, section

pytestmark = pytest.mark.req("H2", "H4", "H5")
TEXT = "# Costs\n\nThe **pilot** costs EUR 480,000.\n\nOperation costs EUR 90,000.\n"
SELECT = """() => {
  const paragraph = document.querySelectorAll(".rendered p")[0];
  getSelection().setBaseAndExtent(paragraph.firstChild, 4, paragraph.lastChild, 6);
  getSelection().setBaseAndExtent(paragraph, 1, paragraph.lastChild, 6);
}"""
HOSTILE = "<script>document.title='run'</script> \u202eabc " + "x" * 5000


async def prepare(bus: Backstage, document_id: str) -> None:
    """A section that has an open thread, one whose passage is gone, and a resolved one."""
    draft = await bus.text(document_id, TEXT)
    said = (("pilot costs", "sure?"), ("EUR 500,000", HOSTILE), ("", "Seen to."))
    made = []
    for number, (quote, text) in enumerate(said, 1):
        remark = await bus.text(document_id, Remark(text=text, quote=quote).model_dump_json())
        made.append(MadeComment(comment_id=f"c4-{number}", thread_id=f"c4-{number}", remark=remark))
    about: dict[str, Any] = {"section_id": "research", "actor": "bob"}
    commented = events.SectionCommented(**about, version=1, comments=tuple(made))
    resolved = events.SectionThreadResolved(**about, thread_id="c4-3")
    written = (document_requested(), section_drafted("research", draft), review_requested("research"))
    await bus.append(document_id, *written, commented, resolved)
    await bus.list_research(document_id, open_threads=2)


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
        await page.evaluate(SELECT)
        await page.keyboard.press("r")
        await page.keyboard.type("Say per year.")
        await page.keyboard.press("Control+Enter")
        await expect(page.get_by_role("status")).to_contain_text("Request changes")
    asked, replied, revised = all_requested(bus, CommentSection, CommentSection, ReviseSection)
    assert (revised.feedback, revised.version) == ("> pilot costs\n\nSay per year.", 1), "what is selected is quoted"
    assert (asked.version, replied.comments[0].thread_id) == (1, "c4-1")
    told = [(one.quote, one.text) for one in asked.comments]
    assert told == [("pilot costs", "From which budget?"), ("", "Good section.")]
    assert asked.comments[0].before.endswith("The ")


async def test_a_thread_is_answered_resolved_and_reopened(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = section(document_id)
    http.follow_redirects = True
    reply = await http.post(f"{here}/comments", data={"version": "1", "thread_id": "c4-1", "text": "Yes."})
    reading = await http.post(f"{here}/threads/c4-3/reopen?in_document=true")
    marked = [await http.post(f"{here}/threads/{each}") for each in ("c4-1/resolve", "c4-3/reopen")]
    assert [plain(page.text).partition("Done: ")[2][:7] for page in (reply, *marked)] == [
        "Comment",
        "Resolve",
        "Reopen ",
    ]
    assert f'action="{here}/threads/c4-3/resolve"' in reading.text.partition('role="status"')[2]
    answered, _, resolved, reopened = all_requested(bus, CommentSection, ReopenThread, ResolveThread, ReopenThread)
    assert (answered.comments[0].thread_id, answered.comments[0].text) == ("c4-1", "Yes.")
    assert (resolved.thread_id, reopened.thread_id) == ("c4-1", "c4-3")


async def suggested(bus: Backstage, document_id: str, quote: str, text: str) -> None:
    """Somebody comments on words, in a thread of its own."""
    remark = await bus.text(document_id, Remark(text=text, quote=quote).model_dump_json())
    made = MadeComment(comment_id="c5-1", thread_id="c5-1", remark=remark)
    await bus.append(
        document_id, events.SectionCommented(section_id="research", actor="bob", version=1, comments=(made,))
    )


async def test_an_accepted_suggestion_is_an_edit_of_whoever_accepts_it_and_resolves_its_thread(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await suggested(bus, document_id, "pilot costs", with_suggestion("Shorter.", "trial <b>costs</b>"))
    here = section(document_id)
    page = (await http.get(here)).text
    sent = {"version": "1", "comment_id": "c5-1"}
    done = await http.post(f"{here}/threads/c5-1/accept", data=sent, follow_redirects=True)
    thread = page.partition("Shorter.")[2].partition("</article>")[0]
    assert "<del>**pilot** costs</del> <ins>trial &lt;b&gt;costs&lt;/b&gt;</ins>" in thread
    assert ("```" in thread, f'action="{here}/threads/c5-1/accept"' in thread) == (False, True)
    assert "Done: Accept the suggestion" in plain(done.text)
    asked = requested(bus, AcceptSuggestion)
    assert (asked.version, asked.thread_id, asked.comment_id) == (1, "c5-1", "c5-1")


async def test_a_suggestion_for_words_that_are_gone_or_of_another_version_changes_nothing(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await suggested(bus, document_id, "EUR 480,000", with_suggestion("", "nothing"))
    here = f"{section(document_id)}/threads/c5-1/accept"
    sent = {"version": "1", "comment_id": "c5-1"}
    bus.problems = (Problem.of("version_old", "version", version=1, current_version=2),)
    refused = await http.post(here, data=sent)
    nameless = [await http.post(here, data=sent | wrong) for wrong in ({"version": "x"}, {"comment_id": "<c9>"})]
    other = await bus.text(document_id, "# Costs\n\nIt is free.\n")
    await bus.append(document_id, section_drafted("research", other, 2))
    bus.problems = (Problem.of("suggestion_outdated", "comment_id"),)
    gone = await http.post(here, data=sent | {"version": "2"})
    page = await http.get(section(document_id), headers={"Accept": "text/html"})
    assert "version 1 is not current; version 2 is" in refused.text
    assert [answer.status_code for answer in (*nameless, gone)] == [422, 422, 422]
    assert "not in the text any more" in gone.text
    assert "Accept the suggestion" not in page.text
    assert [type(request) for _, request in bus.received] == [AcceptSuggestion] * 2


async def test_what_is_refused_of_comments_is_told_and_nothing_that_was_typed_is_lost(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"{section(document_id)}/comments"
    nowhere = await http.post(here, data={"version": "1", "quote": "EUR 5", "before": "", "text": "Keep me."})
    nothing = await http.post(here, data={"version": "1", "quote": "", "before": "", "text": " "})
    asked = {"version": "1", "quote": "", "before": "", "text": "So?", "instead": "Keep me."}
    nameless = await http.post(here, data=asked)
    bus.problems = (Problem(field="version", message="version 2 is current"),)
    refused = await http.post(here, data={"version": "1", "quote": "", "before": "", "text": "Keep me."})
    odd = await http.post(f"{section(document_id)}/threads/c4-1/burn")
    assert [answer.status_code for answer in (nowhere, nothing, odd)] == [422, 422, 422]
    assert "these words do not stand in the version" in nowhere.text
    assert "name the words that are to be replaced" in nameless.text
    assert "version 2 is current" in refused.text
    assert all("Keep me." in answer.text for answer in (nowhere, nameless, refused))


async def test_all_threads_are_read_with_their_places_over_http_and_on_pages(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    told = (await http.get(f"/documents/{document_id}/sections/research/comments")).json()
    assert [(one["line"], one["gone"], one["view"]["resolved"]) for one in told] == [
        (3, False, False),
        (None, True, False),
        (None, False, True),
    ]
    assert told[0]["comments"][0]["text"] == "sure?"
    said = plain((await http.get(section(document_id))).text)
    assert "this passage is not in the text any more" in said
    assert "Resolved: 1" in said
    assert "2 comments" in plain((await http.get("/desk")).text)


ACROSS = """() => {
  const paragraphs = document.querySelectorAll("#section-research .rendered > p");
  getSelection().setBaseAndExtent(paragraphs[0].querySelector("strong"), 0, paragraphs[1], 1);
}"""
BESIDE = """() => {
  const [range] = CSS.highlights.get("comments");
  return document.querySelector("#thread-c4-1").getBoundingClientRect().top - range.getBoundingClientRect().top;
}"""


BEHIND = """() => {
  const range = [...CSS.highlights.get("comments")].at(-1);
  range.setEndAfter(range.endContainer.parentElement.lastChild);
  return String(range);
}"""


async def whole(bus: Backstage, document_id: str) -> str:
    """The address of the page of the document, which has another section with a text."""
    text = "# Solution\n\nThe bicycle costs *much*, the **second** bicycle costs less.\n"
    solution = section_drafted("solution", await bus.text(document_id, text))
    remark = Remark(text="?", quote="bicycle costs", before="the second ")
    made = MadeComment(
        comment_id="c6-1", thread_id="c6-1", remark=await bus.text(document_id, remark.model_dump_json())
    )
    said = events.SectionCommented(section_id="solution", actor="bob", version=1, comments=(made,))
    await bus.append(document_id, solution, review_requested("solution"), said)
    return f"/desk/documents/{document_id}"


@pytest.mark.req("H8")
async def test_selected_words_are_commented_in_three_steps_beside_their_section_in_the_document(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async with desk(await whole(bus, document_id), viewport={"width": 1400, "height": 800}) as page:
        await expect(page.locator("#section-solution .rendered")).to_contain_text("bicycle")
        assert abs(await page.evaluate(BESIDE)) < 2
        assert await page.evaluate(BEHIND) == "bicycle costs less.", "of words that stand there twice, those meant"
        await page.evaluate(SELECT)
        await page.get_by_role("button", name="Suggest other words").and_(page.locator("[data-floating] *")).click()
        await expect(page.locator('#section-research [name="instead"]')).to_have_value("pilot costs")
        assert await violations(page) == []
        await page.keyboard.type("trial costs")
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url("**?**#section-research")
        await expect(page.get_by_role("status")).to_contain_text("Comment")
    asked = requested(bus, CommentSection)
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
    asked = requested(bus, ReviseSection)
    assert (asked.section_id, asked.feedback) == ("solution", "Say more.")


@pytest.mark.req("H8")
async def test_a_long_document_begins_small_and_is_there_whole_to_be_found_and_printed(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = await whole(bus, document_id)
    long = section_drafted("solution", await bus.text(document_id, "# Solution\n\n" + "word " * 12_000), 2)
    await bus.append(document_id, long)
    first, all_of_it = [(await http.get(path)).text for path in (here, f"{here}?whole=true")]
    [part] = re.findall('data-later="([^"]*)"', first)
    assert ("pilot" in first, "word word" in first, "word word" in all_of_it) == (True, False, True)
    assert len(gzip.compress(first.encode())) < 60_000
    assert "word word" in (await http.get(unescape(part))).text
    await bus.append(document_id, events.SectionAssigned(section_id="solution", actor="bob", assignee="ida"))
    assert part not in (await http.get(here)).text
    assert "<details open" not in first  # without scripts too a phone shows the text first


@pytest.mark.req("H8")
async def test_a_document_counts_as_settled_what_is_not_stale_as_the_list_does(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = await whole(bus, document_id)
    await bus.append(
        document_id, *(events.SectionApproved(section_id=one, version=1) for one in ("research", "solution"))
    )
    before = plain((await http.get(here)).text)
    revised = section_drafted("research", await bus.text(document_id, "# Costs\n\nIt is free.\n"), 2)
    approved = events.SectionApproved(section_id="research", version=2)
    await bus.append(document_id, revised, review_requested("research", 2), approved)
    after = plain((await http.get(here)).text)
    assert ("2 of 2 settled" in before, "1 of 2 settled" in after) == (True, True)
