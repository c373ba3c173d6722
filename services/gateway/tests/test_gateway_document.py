"""The page of a document and its history on the desk, in a real Chromium."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import date
from html import unescape
from typing import Any

import httpx
import pytest
from babel.dates import format_date
from playwright.async_api import expect
from stemma_client.overviews import Listed, Listing
from stemma_contracts import Envelope, Family, registry, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.bids import RuleCheck
from stemma_contracts.v1.budgets import Budget, BudgetQuestion, BudgetView
from stemma_contracts.v1.capabilities import Capabilities, DocumentKind
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.erasure import ErasedStore
from stemma_contracts.v1.exports import Cover, ExportFormat, ExportWarning, VersionPair
from stemma_contracts.v1.proofs import Proof, Statement
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.requests import AnswerBudget, EraseDocument, ExportDocument, PauseDocument, SetBudget
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.usage import Usage
from stemma_gateway.catalogues import LANGUAGES, words
from stemma_gateway.desk.shell import money, number
from stemma_gateway.followed import Waiting
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import CREATED_AT, document_requested, review_requested, section_drafted

from .conftest import PAGES
from .desk_pages import Desk, all_requested, plain, requested, section

pytestmark = pytest.mark.req("H2", "H4", "H5")
STALE = StaleMark(
    section_id="solution", reasons=(StaleReason(upstream_section_id="research", accepted_version=1, current_version=2),)
)


async def prepare(bus: Backstage, document_id: str) -> None:
    """A document that was exported before a person changed what another section rests on."""
    draft = await bus.text(document_id, "# Research\n")
    said = await bus.text(document_id, "Say <b>less</b>.")
    await bus.append(
        document_id,
        document_requested(),
        section_drafted("research", draft),
        review_requested("research"),
        section_drafted("solution", draft),
        e.SectionApproved(section_id="solution", version=1, actor="ada", actor_verified=True),
        e.ExportRequested(export_id="x7", format=ExportFormat.PDF, actor="ada"),
        e.DocumentExported(
            export_id="x7",
            format=ExportFormat.PDF,
            job_id="j7",
            artifact=draft,
            warnings=(ExportWarning(code="not_approved", section_id="research"),),
        ),
        e.SectionRevisionRequested(section_id="research", version=1, feedback=said, actor="bob"),
        e.SectionEdited(
            section_id="research", version=2, draft=said, origin=Origin.WRITTEN, actor="bob", makes_stale=(STALE,)
        ),
    )
    await bus.list_research(document_id, version=2)
    kind = DocumentKind(kind="proposal", title="Proposal of ours", sections=())
    told = Capabilities(kinds=(kind,)).model_dump_json().encode()
    await bus.js.publish("$KV.capabilities.orchestrator", told)


def document(document_id: str) -> str:
    return f"/desk/documents/{document_id}"


async def test_the_document_tells_what_each_section_cost(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = (await http.get(document(document_id))).text
    assert "Proposal of ours" in page.partition('class="facts"')[2].partition("</p>")[0]
    spent = page.partition('<table class="spent">')[2].partition("</table>")[0]
    first = spent.partition("<tbody>")[2].partition("</tr>")[0]
    cells = [plain(cell.partition("</td>")[0].partition(">")[2]) for cell in first.split("<td")[1:]]
    assert ("Research" in first, cells[1:]) == (True, ["15", "0", "0", "$0.00"])
    assert "30" in spent.partition("<tfoot>")[2]
    assert spent.count('<circle class="dot') == 3


@pytest.mark.req("E4")
async def test_a_document_at_work_tells_step_and_time_and_can_be_stopped(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = document(other := f"w{document_id}")
    await bus.append(other, document_requested())
    pages = [(await http.get(path)).text for path in (here, section(other))]
    assert [bool(re.search(r"Writing <time data-elapsed", page)) for page in pages] == [True, True]
    assert re.findall(r'name="how" value="(\w+)" class="quiet">([^<]+)', pages[0]) == [
        ("pause", "Pause: start nothing new"),
        ("cancel", "Cancel; texts stay"),
    ]
    assert (await http.post(f"{here}/work", data={"how": "pause"})).status_code == 303
    pause = bus.received[-1][1]
    assert isinstance(pause, PauseDocument)
    assert pause.document_id == other


async def test_an_export_and_a_redline_since_an_earlier_one_are_asked_for_and_seen_done(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    async def convert(request: Any) -> None:
        await bus.append(document_id, e.ExportRequested(export_id="x1", format=request.format, redline=request.redline))

    bus.on_request = convert
    async with desk(document(document_id)) as page:
        await expect(page.get_by_text("sections not approved 1")).to_be_visible()
        await page.keyboard.press("X")
        await page.keyboard.type("HTML")
        await page.get_by_label("with citations").check()
        await page.get_by_label("Client").fill("Harbour Office")
        async with page.expect_response("**/desk/live?**"):
            await page.get_by_role("button", name="Export").click()
        await expect(page.locator("[data-part=exports]")).to_contain_text("in progress")
        done = e.DocumentExported(
            export_id="x1", format=ExportFormat.HTML, job_id="j", artifact=await bus.text(document_id, "<p>")
        )
        await bus.append(document_id, done)
        await expect(page.locator("[data-part=exports]")).not_to_contain_text("in progress")
        async with page.expect_download() as downloading:
            await page.get_by_role("link", name="HTML x1").click()
        assert (await downloading.value).suggested_filename == "draft.md"
        bus.on_request = None
        await page.get_by_label("What changed since the export").select_option("x7")
        async with page.expect_response(lambda answer: answer.request.method == "POST"):
            await page.get_by_role("button", name="Redline").click()
        await expect(page.get_by_role("status").first).to_contain_text("was requested")
    exported, compared = all_requested(bus, ExportDocument, ExportDocument)
    assert (exported.format, exported.citations, exported.matrix) == (ExportFormat.HTML, True, False)
    assert (exported.cover, compared.cover) == (Cover(client="Harbour Office"), None)
    assert compared.redline == (
        VersionPair(section_id="research", from_version=1, to_version=2),
        VersionPair(section_id="solution", from_version=1, to_version=1),
    )


async def test_an_export_that_cannot_be_is_refused_in_words(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"{document(document_id)}/exports"
    bus.problems = (Problem(field="format", message="nothing is written"),)
    refused = await http.post(here, data={"format": "pdf"})
    unlike = await http.post(here, data={"format": "exe"})
    unknown = await http.post(here, data={"since": "x9"})
    numberless = await http.post(here, data={"section": "research", "old": "one", "new": "2"})
    assert "nothing is written" in refused.text
    assert [one.status_code for one in (unlike, unknown, numberless)] == [422, 422, 422]


async def test_the_history_tells_who_decided_what_and_pages_through_all_that_happened(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"{document(document_id)}/history"
    problem = Problem.of("version_old", "version", version=1, current_version=2)
    also = tuple(STALE.model_copy(update={"section_id": name}) for name in ("solution", "costs", "plan"))
    again = e.SectionKept(section_id="research", version=2, accepted=(), actor="eve", makes_stale=also)
    many = [e.SectionKept(section_id="research", version=2, accepted=(), actor="eve") for _ in range(60)]

    async def rows(path: str) -> list[str]:
        return re.split('<li class="item event">', (await http.get(path)).text)[1:]

    first, sent_back, *others = await rows(here)
    assert len(others) == 2
    assert "bob (claimed) changed the text: Research version 2" in plain(first)
    assert "Solution : based on Research in version 1" in plain(first)
    assert "requested changes" in sent_back
    assert '<q class="said-words"><bdi>Say &lt;b&gt;less&lt;/b&gt;.</bdi></q>' in sent_back
    late = e.DecisionRefused(section_id="research", request="any", problem=problem, actor="eve")
    await bus.append(document_id, late, again)
    kept, refused, *_ = await rows(here)
    assert "eve (claimed) was refused: Research" in plain(refused)
    assert "version 1 is not current; version 2 is" in refused
    assert "3 sections made stale" in kept.partition("<details")[2].partition("</summary>")[0]
    assert "Solution" in kept.partition("</summary>")[2].partition("</details>")[0]
    await bus.append(document_id, *many)
    page = (await http.get(f"{here}?section=research")).text
    assert page.count('class="item event"') == 50
    [earlier] = re.findall('data-key="f" href="([^"]*)"', page)
    last = await rows(unescape(earlier))
    assert (len(last), "requested changes" in last[-1]) == (14, True)


async def test_the_history_is_told_by_days_and_of_one_person_or_day_alone(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"{document(document_id)}/history"
    page = (await http.get(here)).text
    [day] = re.findall('<h2><time datetime="([^"]*)">', page)
    words = plain(page.partition(f'<h2><time datetime="{day}">')[2].partition("</time>")[0])
    assert words == format_date(date.fromisoformat(day), "full", locale="en")
    assert "<option>bob</option>" in page
    of_bob = (await http.get(here, params={"person": "bob", "section": "research", "on": day})).text
    assert [plain(row)[:14] for row in re.split('<div class="what">', of_bob)[1:]] == ["bob (claimed) "] * 2
    for nothing in ({"person": "<eve>"}, {"on": "1999-01-01"}, {"on": "x"}):
        assert "item event" not in (await http.get(here, params=nothing)).text


@pytest.mark.req("B6")
async def test_an_export_shows_how_its_file_holds_to_each_rule_for_the_bid(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    checks = (
        RuleCheck(rule_id="B1", kind="page_limit", state="broken", part="<plan>", wanted="5", measured="7"),
        RuleCheck(rule_id="B2", kind="paper", state="kept", wanted="A4", measured="A4"),
        RuleCheck(rule_id="B3", kind="later_rule", state="to_see"),
    )
    file = await bus.text(document_id, "%PDF-")
    asked = e.ExportRequested(export_id="x9", format=ExportFormat.PDF)
    proof = Proof(
        key="0" * 64, signature="0" * 128, statement=Statement(document_id="d", export_id="x9", rest="0" * 64)
    )
    stored = await bus.text(document_id, proof.model_dump_json())
    about = {"export_id": "x9", "format": ExportFormat.PDF, "job_id": "j9", "artifact": file, "proof": stored}
    await bus.append(document_id, asked, e.DocumentExported.model_validate({**about, "rules": checks}))
    text = (await http.get(document(document_id))).text
    assert f'/documents/{document_id}/exports/x9/proof" download' in text
    address = f"/documents/{document_id}/exports"
    assert Proof.model_validate((await http.get(f"{address}/x9/proof")).json()) == proof
    assert "stemma:file/d/x9" in (await http.get(f"{address}/x9/provenance")).json()["entity"]
    assert (await http.get(f"{address}/x7/proof")).status_code == 404
    page = plain(text)
    assert "rules for the bid broken 1" in page
    assert "About the bid 1 of 3" in page
    for told in ("broken page limit <plan> 5 · here 7", "kept paper A4 · here A4", "to see later_rule"):
        assert told in page


async def test_what_an_event_of_a_later_release_tells_is_left_out_and_all_else_is_shown(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    stored = await bus.text(document_id, "%PDF-")
    done = e.DocumentExported(export_id="later", format=ExportFormat.PDF, job_id="j8", artifact=stored)
    await bus.append(document_id, done)
    names = ("section-translated", "section-approved", "section-revised", "requirements-decided")
    reached = (await http.get(f"/documents/{document_id}/history")).json()[-1]["number"]
    for place, name in enumerate(names, reached + 1):
        later = Envelope(f"e{place}", "stemma.later.v9", "test", f"default/{document_id}", CREATED_AT, sequence=place)
        await bus.js.publish(subjects.event("default", document_id, name), b"{}", headers=later.headers())
    page = await http.get(f"{document(document_id)}/history?all=true")
    lines = [plain(row.partition("</time>")[2]) for row in page.text.split('<li class="item event">')[1:5]]
    assert lines == ["decided about requirements", "revised it", "approved", "section translated"]
    page = await http.get(document(document_id))
    assert "x7" in page.text.partition('name="since"')[2].partition("</select>")[0]
    assert ('value="later"' in page.text, "exports/later/content" in page.text) == (False, True)


async def test_every_event_has_words_in_every_language_and_numbers_are_written_as_there() -> None:
    tokens = {f"event_{entry.token}" for entry in registry.entries() if entry.family is Family.EVENT}
    assert [tokens - set(words(language)) for language in LANGUAGES] == [set(), set()]
    assert [number(12_345, language) for language in LANGUAGES] == ["12,345", "12.345"]
    assert [money(1234.5, language) for language in LANGUAGES] == ["$1,234.50", "1.234,50 $"]
    assert [money(0.001, language) for language in LANGUAGES] == ["< $0.01", "< 0,01 $"]


async def test_a_section_that_is_compared_is_asked_for_as_a_redline(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = await http.get(f"{section(document_id)}?old=1", headers={"Accept": "text/html"})
    await http.post(f"{document(document_id)}/exports", data={"section": "research", "old": "1", "new": "2"})
    assert "Export a redline (DOCX)" in page.text
    asked = requested(bus, ExportDocument)
    assert asked.redline == (VersionPair(section_id="research", from_version=1, to_version=2),)


@pytest.mark.req("O7")
async def test_what_would_go_is_shown_and_only_that_is_erased(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"/desk/documents/{document_id}"
    assert f'href="{here}/erase"' not in (await http.get(here)).text
    await bus.append(document_id, e.DocumentCancelled())
    assert f'href="{here}/erase"' in (await http.get(here)).text
    stores = (ErasedStore(store="model-calls", count=7), ErasedStore(store="artifacts", count=12))
    bus.accepted = {"would_erase": stores, "sequence": 41}
    page = await http.get(f"{here}/erase")
    assert "Records of model calls: 7 Texts and files: 12" in plain(page.text)
    done = await http.post(f"{here}/erase", data={"sequence": "41", "library": "on"})
    assert (done.status_code, done.headers["location"]) == (303, "/desk/documents")
    sent = bus.received[-1][1]
    assert isinstance(sent, EraseDocument)
    assert (sent.document_id, sent.sequence, sent.library) == (document_id, 41, True)


USAGE = Usage(calls=3, input_tokens=700, cost=1.5)


async def test_each_page_of_a_document_leads_back_to_it_by_its_title(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = document(other := f"t{document_id}")
    title, draft = await bus.text(other, "Lido <b>"), await bus.text(other, "# Research\n")
    begun = document_requested().model_copy(update={"title": title})
    await bus.append(other, begun, section_drafted("research", draft))
    for path in ("inputs", "requirements", "reading", "returns", "fact", "sections/research/edit"):
        page = (await http.get(f"{here}/{path}", headers=PAGES)).text
        assert re.search(f'href="{here}"[^>]*><bdi>Lido &lt;b&gt;</bdi></a>', page), path


@pytest.mark.req("L6")
async def test_a_question_about_the_budget_is_answered_and_the_budget_set_where_the_document_is_read(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    begun = document_requested().model_copy(update={"budget": Budget(cost=2.0)})
    names = (begun.sections[0].section_id,)
    question = BudgetQuestion(question="b2", bound="cost", sections=names, usage=USAGE, expected=USAGE)
    asked = e.DocumentBudgetReached.model_validate({**dict(question), "budget": Budget(cost=2.0)})
    here = document(other := f"b{document_id}")
    await bus.append(other, begun, asked)
    await bus.list_research(other, budget=BudgetView(budget=Budget(cost=2.0), question=question))
    page = plain((await http.get(here, headers=PAGES)).text)
    german = plain((await http.get(here, headers={**PAGES, "Accept-Language": "de"})).text)
    inbox = (await http.get("/desk", headers=PAGES)).text
    for form in ({"question": "b2", "answer": "once"}, {"calls": "40", "cost": " 2.5 ", "tokens": ""}):
        done = await http.post(f"{here}/budget", data=form)
        assert done.headers["location"].startswith(f"{here}?done=budget")
    wrongs = [await http.post(f"{here}/budget", data={"calls": calls}, headers=PAGES) for calls in ("few", "9" * 5000)]
    bus.problems = (Problem.of("budget_question_closed", "question"),)
    late = await http.post(f"{here}/budget", data={"question": "b1", "answer": "once"}, headers=PAGES)
    assert 'name="cost" inputmode="decimal" value="2.0"' in late.text, "who answers types no bounds"
    assert "would pass the budget (cost), so they wait for you: Research" in page
    assert "About 700 tokens, $1.50." in page
    assert (
        f'action="{here}/budget"><p>To write these would pass the budget (cost), so they wait for you: <bdi>' in inbox
    )
    assert (
        '<input type="hidden" name="question" value="b2"><p class="buttons"><button name="answer" value="once">'
        in inbox
    )
    assert "überschritte das Budget (Kosten)" in german
    assert [(wrong.status_code, 'role="alert"' in wrong.text) for wrong in wrongs] == [(422, True)] * 2
    assert 'name="calls" inputmode="numeric" pattern="[0-9]*" value="few"' in wrongs[0].text, "what was typed stays"
    answered, raised, _ = all_requested(bus, AnswerBudget, SetBudget, AnswerBudget)
    assert (answered.question, answered.answer) == ("b2", "once")
    assert raised.budget == Budget(calls=40, cost=2.5)


def asks(document_id: str) -> DocumentSummary:
    """A document of which nothing waits but the question of its budget."""
    question = BudgetQuestion(question="b2", bound="cost", sections=("research",), usage=USAGE)
    about: dict[str, Any] = {"kind": "proposal", "status": DocumentStatus.RUNNING, "created_at": CREATED_AT}
    return DocumentSummary(document_id=document_id, last_sequence=1, budget=BudgetView(question=question), **about)


@pytest.mark.req("L6", "H3")
async def test_a_budget_that_asks_is_in_the_inbox_unless_that_is_limited_to_something_else(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await bus.summarise(asks(other := f"a{document_id}"))
    queries = ("", "?whose=nobodys", "?q=proposal", "?whose=mine", "?why=review", "?q=zeppelin")
    pages = [(await http.get(f"/desk{query}", headers=PAGES)).text for query in queries]
    assert [f'action="{document(other)}/budget"' in page for page in pages] == [True, True, True, False, False, False]


@pytest.mark.req("L6", "H3")
async def test_a_budget_that_asks_is_counted_with_what_waits_until_it_is_answered() -> None:
    answered = asyncio.Event()

    class Told:
        async def listing(self) -> Listing:
            return Listing([asks("d1")], 7)

        async def follow_listing(self, from_sequence: int) -> AsyncIterator[Listed]:
            await answered.wait()
            yield Listed(from_sequence, "d1", asks("d1").model_copy(update={"budget": BudgetView()}))
            await asyncio.Event().wait()

    client: Any = Told()
    waiting = Waiting(client, "ada")
    async with aclosing(waiting.follow()) as counted:
        asked = await anext(counted)
        answered.set()
        assert (asked.total, (await anext(counted)).total) == (1, 0)
    await waiting.stop()
