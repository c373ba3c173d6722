"""The requirement ledger on the desk, in a real Chromium."""

import html
import re
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from html import escape, unescape
from types import ModuleType
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import expect
from stemma_client import Client, overviews
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.bids import BidRule, BidRules
from stemma_contracts.v1.blocks import BlockIndex, IdentifiedBlock
from stemma_contracts.v1.deadlines import Deadline, DeadlineChange, Deadlines, DueTime
from stemma_contracts.v1.inputs import Anchor, Anchors, DrawnPage, DrawnPages, InputReading, PageWord, PageWords
from stemma_contracts.v1.ledger import (
    AnswersFound,
    ChangedRow,
    LedgerDifference,
    LedgerRow,
    LedgerRows,
    LedgerSummary,
    LedgerWarning,
    RequirementAnswer,
    RequirementDecision,
    SecondOpinion,
)
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.requests import DecideRequirements, ReadRequirements, SplitRequirements
from stemma_contracts.v1.validation import ValidationSummary
from stemma_gateway.desk import document, requirements, sources
from stemma_gateway.desk.requirements import ON_A_PAGE, Filter, coverage_of, listed
from stemma_gateway.desk.sources import LONG, MOST_WORDS, marked, part_at
from stemma_gateway.resources import documents
from stemma_provisioning import client_user
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .desk_pages import PNG, Desk, all_requested, plain, requested, section

pytestmark = pytest.mark.req("H2", "H4", "H5")
NAME = "rfp <i>.pdf"
BOX = r'<rect [^>]*x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"'
READ = "# Terms\n\nThe contractor shall train ten users.\n\n# Offers\n\nThe offeror must sign <b>form</b> A.\n"
DRAFT = "# Research\n\nWords.\n\nTen users are trained on site.\n"


def row(name: str, line: int, quote: str, **changes: Any) -> LedgerRow:
    about: dict[str, Any] = {"kind": "work", "obligation": "mandatory", "source": NAME, "headings": ("Terms",)}
    return LedgerRow(requirement_id=name, line=line, quote=quote, **{**about, **changes})


ROWS = (
    row("R1", 3, "The contractor shall train ten users.", place="p. 1"),
    row("R2", 7, "The offeror must sign <b>form</b> A.", kind="form", place="p. 2"),
    row("R3", 3, "It should be quick.", obligation="should", source="brief", found_by="model"),
)


DEADLINES = Deadlines(
    given=4,
    found=(
        Deadline(
            deadline_id="D1",
            kind="submission",
            due=DueTime(written="19 March 2099, 14:00", days=("2099-03-19",), time="14:00", zone="<b>CET</b>"),
            source=NAME,
            line=7,
            place="p. 2",
            quote="Offers are due 19 March 2099, 14:00 <b>CET</b>.",
            requirement_id="R2",
            changes=(DeadlineChange(before=DueTime(written="12 March <i>"), source=NAME, version=2, file="2.pdf"),),
        ),
        Deadline(
            deadline_id="D2",
            kind="questions",
            due=DueTime(written="03/04/2019", days=("2019-03-04", "2019-04-03"), doubts=("order",)),
            source=NAME,
            line=3,
            quote="Ask by 03/04/2019.",
        ),
        Deadline(deadline_id="D3", due=DueTime(written="30 days after award"), source="gone", line=1, quote="Later."),
        Deadline(deadline_id="D4", due=DueTime(written="12 March"), source=NAME, line=3, quote="X", replaced_by="D1"),
    ),
)


BID = BidRules(
    found=(
        BidRule(rule_id="B1", kind="page_limit", part="<i>plan", number=3, source=NAME, line=7, quote="Max. 3 pages."),
        BidRule(
            rule_id="B2", kind="paper", values=("A4", "letter"), source=NAME, line=8, quote="A4.", replaced_by="B3"
        ),
        BidRule(rule_id="B3", kind="validity", number=90, unit="days", source="gone", line=1, quote="90 days."),
    )
)


async def prepare(bus: Backstage, document_id: str) -> None:
    """A ledger of three rows, one of which is answered, after an amendment."""
    read = await bus.text(document_id, READ)
    anchors = Anchors(
        anchors=(
            Anchor(offset=0, kind="page", label="p. 1"),
            Anchor(offset=READ.index("# Offers"), kind="page", label="p. 2"),
        )
    )
    reading = InputReading(
        text=read, anchors=await bus.text(document_id, anchors.model_dump_json()), drawn=await drawn(bus, document_id)
    )
    draft = await bus.text(document_id, DRAFT)
    await bus.append(
        document_id,
        document_requested(),
        e.DocumentInputAdded(
            input_id="input-1", file=InputFile(name=NAME, artifact=read, role="request"), to_read=True
        ),
        e.DocumentInputRead(input_id="input-1", version=1, job_id="j9", reading=reading),
        *await ledger_read(bus, document_id),
        section_drafted("research", draft, 1),
        await answered(bus, document_id),
    )
    await bus.list_research(document_id)


async def drawn(stage: Backstage, document_id: str) -> ArtifactRef:
    """The first page, on which the first row is divided over two lines."""
    lines = ((100.0, "1 Terms The contractor"), (112.0, "shall train ten us-"), (124.0, "ers."))
    words = [
        PageWord(text=word, left=100.0 + 50 * at, top=top, right=140.0 + 50 * at, bottom=top + 10)
        for top, line in lines
        for at, word in enumerate(line.split())
    ]
    image = await stage.artifacts.put("default", document_id, PNG, media_type="image/png", name="page-0.png")
    told = await stage.text(document_id, PageWords(words=tuple(words)).model_dump_json())
    page = DrawnPage(label="p. 1", width=595.0, height=842.0, image=image, words=told)
    return await stage.text(document_id, DrawnPages(pages=(page,)).model_dump_json())


async def ledger_read(stage: Backstage, document_id: str) -> list[Any]:
    before = row("R1", 3, "The contractor shall train five users.")
    difference = LedgerDifference(
        changed=(ChangedRow(requirement_id="R1", before=before, after=ROWS[0]),),
        withdrawn=(row("R9", 9, "Bring <i>cake</i>."),),
    )
    rows = await stage.text(document_id, LedgerRows(given=9, rows=ROWS, deadlines=DEADLINES, bid=BID).model_dump_json())
    told = await stage.text(document_id, difference.model_dump_json())
    warnings = tuple(LedgerWarning(code=code, source=NAME) for code in ("no_deadlines", "of_a_later_release"))
    about: dict[str, Any] = {"changed": ("R1",), "withdrawn": ("R9",), "warnings": warnings}
    summary = LedgerSummary(mandatory=("R1", "R2"), others=("R3",), **about)
    opinion = SecondOpinion(model="some/<b>model</b>", unfounded=2, failure="it was cut off")
    return [
        e.RequirementsRequested(sources=(NAME,), second_opinion=True),
        e.RequirementsRead(job_id="j8", rows=rows, difference=told, summary=summary),
        e.RequirementsAdded(job_id="j7", opinion=opinion),
        e.RequirementsDecided(decisions=(RequirementDecision(requirement_id="R1", section_id="research"),)),
    ]


async def answered(stage: Backstage, document_id: str) -> e.SectionReviewRequested:
    at = DRAFT.index("Ten users")
    block = IdentifiedBlock(block_id="a" * 10, kind="paragraph", line=5, start=at, end=len(DRAFT))
    index = await stage.text(document_id, BlockIndex(scope="research", given=1, blocks=(block,)).model_dump_json())
    rows = await stage.text(document_id, LedgerRows(given=9, rows=ROWS, deadlines=DEADLINES, bid=BID).model_dump_json())
    found = AnswersFound(
        rows_digest=rows.digest,
        sought=("R1",),
        found=(RequirementAnswer(requirement_id="R1", block_id=block.block_id),),
    )
    told = ValidationSummary(
        passed=True, issue_count=0, engine="rumdl", engine_version="1", blocks=index, answers=found
    )
    return review_requested("research").model_copy(update={"validation": told})


@pytest_asyncio.fixture(loop_scope="session")
async def client(server: Any) -> AsyncIterator[Client]:
    """A program of the tenant."""
    user = client_user("default")
    async with Client.connect(server.url, tenant="default", user=user, password=server.passwords[user]) as connected:
        yield connected


def ledger(document_id: str) -> str:
    return f"/desk/documents/{document_id}/requirements"


async def test_a_row_leads_to_its_words_and_to_its_answer_and_keys_alone_decide_about_one_or_all_that_are_ticked(
    desk: Desk, bus: Backstage, address: str, document_id: str
) -> None:
    async with desk(ledger(document_id)) as page:
        await page.get_by_role("link", name="Ten users are trained on site.").click()
        await page.wait_for_url(f"**{section(document_id)}#line-5")
        await expect(page.locator("#line-5")).to_have_text("Ten users are trained on site.")
        await page.go_back()
        await page.get_by_role("table").get_by_role("link", name=f"{NAME}, p. 2").click()
        await page.wait_for_url("**/text?line=7&row=R2#line-7")
        await expect(page.locator("#line-7")).to_have_text("The offeror must sign <b>form</b> A.")
        await expect(page.locator(".here-row")).to_contain_text("R2")
        assert await page.evaluate("[...CSS.highlights.get('comments')].map(String)") == [ROWS[1].quote]
        await page.keyboard.press("b")
        await expect(page.locator("h1")).to_contain_text("p. 1")
        await expect(page.locator(".rendered")).not_to_contain_text("offeror")
        await page.goto(f"{address}{ledger(document_id)}")
        await page.keyboard.press("j")
        await page.keyboard.press("j")
        await page.keyboard.press("x")
        await expect(page.get_by_role("status")).to_contain_text("Not applicable (1 requirement)")
        await expect(page.locator("#R2")).to_be_focused()
        await page.get_by_label("all 3 of this page").check()
        await page.keyboard.press("a")
        await expect(page.get_by_role("status")).to_contain_text("Confirm (3 requirements)")
        await page.get_by_role("button", name="Drop R3").click()
        await expect(page.get_by_role("status")).to_contain_text("Drop (1 requirement)")
    asked = all_requested(bus, *[DecideRequirements] * 3)
    assert [one.decisions for one in asked] == [
        (RequirementDecision(requirement_id="R2", status="not_applicable"),),
        tuple(RequirementDecision(requirement_id=name, confirmed=True) for name in ("R1", "R2", "R3")),
        (RequirementDecision(requirement_id="R3", dropped=True),),
    ]


@pytest.mark.req("L1")
async def test_the_history_says_why_requirements_are_read_that_nobody_asked_for(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = (await http.get(f"/desk/documents/{document_id}/history?all=true")).text
    assert "the requirements are being read, since a request changed" in plain(page)


@pytest.mark.req("L1")
async def test_a_warning_of_the_ledger_is_told_until_it_is_closed(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = (await http.get(ledger(document_id))).text
    assert "rfp &lt;i&gt;.pdf</bdi>: no deadline was found in more than a page" in page
    assert "rfp &lt;i&gt;.pdf</bdi>: of_a_later_release" in page
    opinion = plain(page).partition("Second opinion of a model ( some/<b>model</b> )")[2]
    assert ": more requirements: 0, made up and left out: 2. It is not whole: it was cut off" in opinion
    [warning] = re.findall('value="(no_deadlines=[^"]*)"', page)
    await http.post(f"{ledger(document_id)}/close", data={"warning": html.unescape(warning)})
    asked = requested(bus, DecideRequirements)
    assert asked.closed == (LedgerWarning(code="no_deadlines", source=NAME),)


async def test_the_page_that_a_row_stands_on_is_shown_with_its_words_marked_and_no_other_page(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    source = f"/desk/documents/{document_id}/inputs/input-1"
    http.follow_redirects = True
    row, other, text, one = [
        (await http.get(path)).text
        for path in (f"{ledger(document_id)}/R1", f"{ledger(document_id)}/R2", f"{source}/at?line=3&row=R1", source)
    ]
    assert f'href="{source}/text"' in one
    picture = await http.get(re.findall(f'href="({source}/pages/[^"]*)"', row)[0])
    missing = await http.get(f"{source}/pages/{'0' * 64}")
    assert "p. 1 of rfp &lt;i&gt;.pdf, with these words marked" in row
    boxes = [[round(float(edge)) for edge in found] for found in re.findall(BOX, row)]
    assert boxes == [[198, 99, 94, 12], [98, 111, 194, 12], [98, 123, 44, 12]]
    assert re.findall(BOX, text) == re.findall(BOX, row)
    assert (picture.status_code, picture.headers["content-type"], picture.content) == (200, "image/png", PNG)
    assert (missing.status_code, 'class="page"' in row, 'class="page"' in other) == (404, True, False)


async def test_a_passage_that_goes_on_elsewhere_is_marked_as_far_as_it_stands_on_a_page_and_another_is_not() -> None:
    words = [PageWord(text=text, left=0, top=0, right=9, bottom=9) for text in ("The", "contractor", "shall", "train")]
    told = [line.text for line in marked(words, "“The CONTRACTOR shall—train ten users on site.")]
    assert told == ["The contractor shall train"]
    assert marked(words, "The contractor may not train anybody.") == ()
    assert [line.text for line in marked(words, "Train")] == ["train"]
    assert marked([], "…") == marked(words * MOST_WORDS, "shall train nobody") == ()
    assert marked([*words[:1] * MOST_WORDS, *words], "shall train") == (), (
        "a page of more words is looked at no further"
    )


@pytest.mark.req("S6")
async def test_what_grows_with_a_document_is_worked_on_beside_the_event_loop(
    http: httpx.AsyncClient, bus: Backstage, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[str, bool]] = []

    def watch(module: ModuleType, name: str) -> None:
        function = getattr(module, name)

        def watched(*given: Any) -> Any:
            called.append((name, threading.current_thread() is threading.main_thread()))
            return function(*given)

        monkeypatch.setattr(module, name, watched)

    watch(requirements, "listed")
    watch(sources, "marked")
    watch(document, "drawn")
    watch(documents, "reference_of")
    watch(overviews, "sections_by_place")
    here = f"/desk/documents/{document_id}"
    paths = ("map", "requirements?text=x", "requirements/R1")
    pages = [await http.get(f"{here}/{path}") for path in paths]
    missing = await http.get(f"/documents/{document_id}/artifacts/{'0' * 64}")
    library = await http.get("/desk/library")
    assert [page.status_code for page in (*pages, missing, library)] == [200, 200, 200, 404, 200]
    beside = ("listed", "marked", "drawn", "reference_of", "sections_by_place")
    assert dict(called) == dict.fromkeys(beside, False)


async def test_what_an_amendment_changed_is_told_at_the_words_with_the_sections_that_it_makes_stale(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = (await http.get(ledger(document_id))).text
    box = page.partition('class="box amended"')[2].partition("</details>")[0]
    assert "new: 0, changed: 1, withdrawn: 1" in plain(box)
    assert ("<del>five</del>" in box, "<ins>ten</ins>" in box) == (True, True)
    assert "Bring &lt;i&gt;cake&lt;/i&gt;." in box
    assert f'href="{section(document_id)}"><bdi>Research</bdi>' in box
    assert "Mandatory and open 1 of 2" in plain(page)


async def test_deadlines_stand_by_their_days_with_what_is_past_open_and_changed_in_words(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = (await http.get(ledger(document_id), headers={"Accept-Language": "de"})).text
    box = page.partition('class="box deadlines"')[2].partition("</details>")[0]
    source = await http.get(unescape(re.findall('href="([^"]*line=7[^"]*)"', box)[0]), follow_redirects=True)
    past, coming, counted = [plain(row) for row in box.split("<li ")[1:]]
    assert "2019-03-04 oder 2019-04-03 vorbei Fragen" in past
    assert "Tag und Monat können vertauscht sein" in past
    assert "2099-03-19 14:00 <b>CET</b> in " in coming
    assert f"vorher 12 March <i> ( {NAME} , Version 2, 2.pdf )" in coming
    assert "ab einem Ereignis gerechnet Sonstiges" in counted
    assert f'href="{ledger(document_id)}/R2">R2</a>' in box
    assert (source.url.path.endswith("/text"), str(source.url).partition("?")[2]) == (True, "line=7&row=R2#line-7")
    told = (await http.get(f"/documents/{document_id}/deadlines")).json()
    nothing = await http.get("/documents/nothing/deadlines")
    assert [(one["deadline"]["deadline_id"], one["state"]) for one in told] == [
        ("D2", "past"), ("D1", "coming"), ("D3", "open"),
    ]  # fmt: skip
    assert told[1]["days_left"] > 26_000
    assert nothing.status_code == 404


@pytest.mark.req("B6")
async def test_the_desk_and_any_client_have_what_the_request_says_about_the_bid(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = (await http.get(ledger(document_id), headers={"Accept-Language": "de"})).text
    box = page.partition("bid-rules")[2].partition("</details>")[0]
    source = await http.get(unescape(re.findall('href="([^"]*line=7)"', box)[0]), follow_redirects=True)
    limit, paper, validity = [plain(row) for row in box.split("<li ")[1:]]
    assert "höchstens Seiten <i>plan 3 " in limit
    assert "Papier A4 oder letter ersetzt durch B3" in paper
    assert "Bindefrist 90 Tage" in validity
    assert source.status_code == 200
    told = (await http.get(f"/documents/{document_id}/bid-rules")).json()
    assert [(one["rule_id"], one["number"]) for one in told["found"]] == [("B1", 3), ("B2", None), ("B3", 90)]
    assert (await http.get("/documents/nothing/bid-rules")).status_code == 404


async def test_without_scripts_rows_are_assigned_merged_cut_and_read_again_by_forms_alone(
    http: httpx.AsyncClient, bus: Backstage, client: Client, document_id: str
) -> None:
    here, rows = ledger(document_id), (await client.ledger(document_id)).rows_digest
    http.follow_redirects = True
    page = (await http.get(here)).text
    assert f'name="rows" value="{rows}"' in page
    assert f"checked disabled> <bdi>{escape(NAME)}</bdi>" in page
    both = {"rows": rows, "row": ["R2", "R3"], "verb": "assign", "assign": "solution"}
    done = [await http.post(here, data=both)]
    done.append(await http.post(f"{here}/R3", data={"rows": rows, "verb": "merge", "merge": "R1"}))
    refused = await http.post(f"{here}/R2", data={"rows": rows, "verb": "cut", "cut": "nowhere"})
    done.append(await http.post(f"{here}/R2", data={"rows": rows, "verb": "cut", "cut": "must sign"}))
    done.append(await http.post(f"{here}/read", data={"second_opinion": "true"}))
    assert "begins nowhere" in refused.text.partition('role="alert">')[2]
    told = [plain(page.text.partition('class="note good" role="status">')[2].partition("</p>")[0]) for page in done]
    assert told == [f"Done: {each}" for each in ("Assign (2 requirements)", "Merge", "Split", "Read the requirements")]
    decided = (DecideRequirements, DecideRequirements, SplitRequirements, ReadRequirements)
    assigned, merged, cut, read = all_requested(bus, *decided)
    assert [(one.requirement_id, one.cuts) for one in cut.splits] == [("R2", (ROWS[1].quote.index("must sign"),))]
    assert assigned.decisions == tuple(
        RequirementDecision(requirement_id=name, section_id="solution") for name in ("R2", "R3")
    )
    assert merged.decisions == (RequirementDecision(requirement_id="R3", merged_into="R1"),)
    assert (read.sources, read.without_brief, read.second_opinion) == ((), True, True)


async def test_what_cannot_be_decided_is_refused_in_words_and_what_was_ticked_still_is(
    http: httpx.AsyncClient, bus: Backstage, client: Client, document_id: str
) -> None:
    known = (await client.document(document_id)).ledger
    assert known is not None
    assert known.rows is not None
    here, seen = ledger(document_id), {"rows": known.rows.digest}
    none = await http.post(here, data={**seen, "verb": "confirm"})
    nothing = await http.post(here, data={**seen, "row": "R1", "verb": "burn"})
    nowhere = await http.post(here, data={**seen, "row": "R1", "verb": "assign", "assign": "a b"})
    before = await http.post(here, data={"rows": "0" * 64, "row": "R1", "verb": "confirm"})
    bus.problems = (Problem(field="decisions.0", message="there is no row R8"),)
    refused = await http.post(f"{here}?status=open", data={**seen, "row": "R2", "verb": "confirm"})
    alone = await http.post(f"{here}/R1", data={**seen, "verb": "burn"})
    missing = await http.get(f"{here}/R8")
    unlike = await http.get(f"{here}?status=fine")
    assert [one.status_code for one in (none, nothing, nowhere, before)] == [422, 422, 422, 409]
    assert "there is no such decision" in alone.text
    assert "tick at least one requirement" in none.text
    assert "read again meanwhile" in before.text
    assert "there is no row R8" in refused.text
    assert 'value="R2" aria-label="Select R2" checked' in refused.text
    assert [missing.status_code, unlike.status_code] == [404, 422]


async def test_rows_are_listed_by_what_they_are_and_a_page_at_a_time(
    client: Client, bus: Backstage, document_id: str
) -> None:
    entries = (await client.ledger(document_id)).entries

    def ids(**wanted: Any) -> list[str]:
        return [entry.row.requirement_id for entry in listed(entries, Filter(**wanted)).entries]

    assert ids() == ["R1", "R2", "R3"]
    assert ids(status="addressed") == ids(section="research") == ids(text="TEN users") == ["R1"]
    assert ids(status="unanswered") == ["R2", "R3"]
    assert ids(section="-", obligation="mandatory") == ids(kind="form") == ["R2"]
    assert ids(decided="dropped") == []
    unsure = replace(entries[0], standing=entries[0].standing.model_copy(update={"status": "check"}))
    assert len(listed([unsure], Filter(status="unanswered")).entries) == 1
    assert coverage_of([unsure], ("R1",)).by_status["check"] == 1
    many = listed(entries * ON_A_PAGE, Filter(page=9))
    assert (many.page, many.pages, len(many.entries)) == (3, 3, ON_A_PAGE)


async def test_a_part_of_a_text_is_a_page_or_no_longer_than_is_shown_at_once() -> None:
    pages = [Anchor(offset=READ.index("# Offers") + 3, kind="page", label="p. 2")]
    assert [(part.label, part.line, part.before, part.after) for part in (part_at(READ, pages, n) for n in (1, 9))] == [
        ("", 1, 0, 5),
        ("p. 2", 5, 1, 0),
    ]
    long, parts, line = ("x" * (LONG - 1) + "\n\n") * 5, [], 1
    while line:
        parts.append(part_at(long, (), line))
        line = parts[-1].after
    assert "".join(part.text for part in parts) == long
    assert len(parts) == 3
    assert part_at("y" * 10 * LONG, (), 7).text == "y" * 10 * LONG


async def looked_and_changed(bus: Backstage, document_id: str) -> str:
    """Somebody looks at the row that research answers, then research gets another text; the address of the matrix."""
    decision = RequirementDecision(requirement_id="R1", looked=True)
    draft = await bus.text(document_id, "# Research\n\nTwelve users are trained.\n")
    edited = e.SectionEdited(section_id="research", version=2, draft=draft, origin=Origin.WRITTEN, actor="ana")
    await bus.append(document_id, e.RequirementsDecided(decisions=(decision,)), edited)
    return f"/desk/documents/{document_id}/matrix"


def row_of(page: str, name: str) -> str:
    return next(plain(f"<tr{row}") for row in page.split("<tr") if f"/requirements/{name}?" in row)


async def test_the_matrix_shows_demands_by_sections_with_holes_and_keeps_a_mark_until_somebody_looks(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = await looked_and_changed(bus, document_id)
    page = (await http.get(here)).text
    assert "1 section answers no demand: Solution" in plain(page)
    assert page.count('<th scope="col">') == 3
    assert row_of(page, "R1").endswith("open section changed")
    assert page.count('class="hole"') == 3
    assert page.count('name="row"') == 1
    only = (await http.get(f"{here}?suspect=true")).text
    assert [f"/requirements/{name}?" in only for name in ("R1", "R2", "R3")] == [True, False, False]
    assert (await http.post(here, data={"verb": "looked_at"})).status_code == 422, "nothing is ticked"
    seen = dict(re.findall('name="(rows|shown)" value="([^"]*)"', page))
    done = await http.post(here, data={**seen, "row": "R1", "verb": "looked_at"})
    assert done.headers["location"].startswith(f"{here}?done=looked_at")
    request = requested(bus, DecideRequirements)
    assert request.decisions == (RequirementDecision(requirement_id="R1", looked=True),)
    assert request.shown == (await http.get(f"/documents/{document_id}")).json()["last_sequence"]
    legend = plain((await http.get(ledger(document_id))).text.partition('class="legend"')[2].partition("</ul>")[0])
    assert "Suspect 1" in legend
    assert " 0 " not in legend, "what there is none of is not counted out"
    for path in (ledger(document_id), f"{ledger(document_id)}/R1"):
        assert f'name="shown" value="{request.shown}"' in (await http.get(path)).text
    await bus.append(document_id, e.RequirementsDecided(decisions=request.decisions))
    assert "section changed" not in (await http.get(here)).text
