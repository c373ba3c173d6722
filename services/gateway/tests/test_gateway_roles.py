"""Each page of the desk offers what the role of its reader allows; what is refused all the same comes back as typed."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.budgets import BudgetQuestion, BudgetView
from stemma_contracts.v1.capabilities import Capabilities, DocumentKind
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.requests import ApproveSection, WithdrawApproval
from stemma_contracts.v1.section import Activity, SectionStatus
from stemma_contracts.v1.usage import Usage
from stemma_provisioning.roles import Role
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, review_requested, section_drafted

from .conftest import PAGES, Person, at
from .desk_pages import plain

pytestmark = pytest.mark.req("H8")
DOCUMENT, SECTION = "/desk/documents/{}", "/desk/documents/{}/sections/research"
REVIEWS = {"approve", "revise", "assign", "comments"}
WRITES = {"edit", "instruct", "regenerate", "restore"}
WRITTEN = REVIEWS | WRITES | {"retry", "exports"}
OFFERED: dict[str, dict[Role, set[str]]] = {
    "/desk": {
        Role.REVIEWER: {"approve", "assign", "stale"},
        Role.AUTHOR: {"approve", "assign", "stale", "new", "budget"},
    },
    "/desk/documents": {Role.REVIEWER: set(), Role.AUTHOR: {"new"}},
    DOCUMENT: {Role.REVIEWER: REVIEWS, Role.AUTHOR: WRITTEN | {"budget"}, Role.OWNER: WRITTEN | {"budget", "work"}},
    f"{DOCUMENT}/map": {Role.REVIEWER: set(), Role.AUTHOR: {"retry"}, Role.OWNER: {"retry", "work"}},
    SECTION: {Role.REVIEWER: REVIEWS, Role.AUTHOR: REVIEWS | WRITES},
    f"{SECTION}?old=1": {Role.REVIEWER: REVIEWS | {"changes"}, Role.AUTHOR: REVIEWS | WRITES | {"changes", "exports"}},
    f"{SECTION}/edit": {Role.REVIEWER: set(), Role.AUTHOR: {"edit", "edit/look"}},
    f"{DOCUMENT}/inputs": {Role.REVIEWER: set(), Role.AUTHOR: {"inputs", "role"}},
    f"{DOCUMENT}/inputs/input-1": {Role.REVIEWER: set(), Role.AUTHOR: {"confidential", "withdraw"}},
    f"{DOCUMENT}/requirements": {Role.REVIEWER: set(), Role.AUTHOR: {"read"}},
    f"{DOCUMENT}/reading": {Role.REVIEWER: set(), Role.AUTHOR: set()},
    f"{DOCUMENT}/submission": {Role.REVIEWER: set(), Role.AUTHOR: {"exports"}},
    "/desk/new": {Role.REVIEWER: set(), Role.AUTHOR: {"new"}},
    "/desk/people": {Role.REVIEWER: set(), Role.AUTHOR: set()},
    "/desk/notifications": {Role.REVIEWER: {"notifications"}, Role.AUTHOR: {"notifications"}},
}
"""What each page offers to whom; to an owner as to an author, if not said."""


async def prepare(bus: Backstage, document_id: str) -> None:
    """A document whose section `research` waits for review, in version 2."""
    drafts = [await bus.text(document_id, text) for text in ("# Research\n\nOld.\n", "# Research\n\nNew.\n")]
    events = [section_drafted("research", draft, number) for number, draft in enumerate(drafts, 1)]
    prices = e.DocumentInputAdded(input_id="input-1", file=InputFile(name="prices.md", artifact=drafts[0]))
    failed = e.SectionJobDead(
        section_id="solution", job_id="j-9", activity=Activity.GENERATE, status=SectionStatus.FAILED
    )
    await bus.append(document_id, document_requested(), prices, *events, review_requested("research", 2), failed)
    question = BudgetQuestion(question="b1", bound="cost", sections=("research",), usage=Usage())
    await bus.list_research(document_id, version=2, stale=True, budget=BudgetView(question=question))
    told = Capabilities(kinds=(DocumentKind(kind="proposal", title="Proposal", sections=()),))
    await bus.js.publish("$KV.capabilities.orchestrator", told.model_dump_json().encode())


@pytest_asyncio.fixture(loop_scope="session")
async def browser(address: str, person: Person) -> AsyncIterator[Callable[[Role], Any]]:
    """A browser in which somebody with a role has signed in by a password, which says nothing of the role."""
    async with at(address) as client:

        async def of(role: Role) -> httpx.AsyncClient:
            client.headers.update(PAGES)
            assert (await client.post("/sign-in", json=person(f"it-{role}", role))).status_code < 400
            return client

        yield of


def offered(page: httpx.Response) -> set[str]:
    """The last parts of the addresses to which a page sends something, or leads to send something."""
    main = page.text.partition("<main")[2].replace("/edit/look", "/edit_look")
    sent = re.findall(r'(?:method="post" action|formaction)="[^"?]*?([^"?/]+)["?]', main)
    led = re.findall(r'class="button" href="[^"]*?/(edit|new|question)"', main)
    return {each.replace("_look", "/look") for each in (*sent, *led)}


@pytest.mark.parametrize("role", list(Role))
async def test_a_page_offers_what_the_role_allows_and_nothing_else(
    role: Role, browser: Callable[[Role], Any], bus: Backstage, document_id: str
) -> None:
    who = await browser(role)
    for path, by_role in OFFERED.items():
        page = await who.get(path.format(document_id))
        assert page.status_code == 200, page.text
        wanted = set() if role is Role.READER else by_role.get(role, by_role[Role.AUTHOR])
        assert offered(page) == wanted, (path, role)
        assert role is not Role.READER or "data-decides" not in page.text  # else it would wait for a decision


@pytest.mark.parametrize(
    ("role", "verb", "typed", "request_name"),
    [
        (Role.READER, "comments", {"version": "2", "text": "Which <prices>?"}, "comment-section"),
        (Role.READER, "revise", {"version": "2", "feedback": "Which <prices>?"}, "revise-section"),
        (Role.REVIEWER, "instruct", {"version": "2", "instruction": "Which <prices>?"}, "edit-section"),
    ],
)
async def test_what_a_role_forbids_comes_back_with_its_words_and_the_reason(
    role: Role, verb: str, typed: dict[str, str], request_name: str, browser: Callable[[Role], Any],
    bus: Backstage, document_id: str,
) -> None:  # fmt: skip
    who = await browser(role)
    answer = await who.post(f"{SECTION.format(document_id)}/{verb}", data=typed)
    assert answer.status_code == 403
    assert f"your role does not allow {request_name}" in plain(answer.text.partition('role="alert">')[2])
    assert "Which &lt;prices&gt;?" in answer.text


async def test_a_reader_sees_why_nothing_can_be_decided_and_may_tick_what_was_viewed(
    browser: Callable[[Role], Any], bus: Backstage, document_id: str
) -> None:
    who = await browser(Role.READER)
    page = await who.get(SECTION.format(document_id))
    assert "Your role reads." in plain(page.text)
    ticked = await who.post(f"{DOCUMENT.format(document_id)}/viewed", data={"section": "research", "version": 2})
    assert ticked.status_code == 204
    assert 'data-seen-version="2"' in (await who.get(SECTION.format(document_id))).text


async def test_an_approval_leads_to_what_waits_next_with_a_way_to_take_it_back(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here, gone = SECTION.format(document_id), f"{document_id}-gone"
    await bus.list_research(gone, assignee="ada")  # the read model is behind: its log has nothing of it
    sent = await http.post(f"{here}/approve", data={"version": "2", "next": "yes"})
    await bus.append(document_id, e.SectionApproved(section_id="research", version=2, actor="ada"))
    on = await http.get(sent.headers["location"])
    assert on.status_code == 303, on.text
    path, _, query = on.headers["location"].partition("?")
    assert query == f"done=approve&of={document_id}/research/2"
    assert path not in (here, SECTION.format(gone))
    told = ""
    async with asyncio.timeout(20):  # the gateway hears of the event by itself, as no request of its own made it
        while not told:
            shown = await http.get(on.headers["location"])
            assert shown.status_code == 200
            page = shown.text
            told = page.partition('class="note good" role="status">')[2].partition("</div>")[0]
    assert plain(told) == "Done: Approve, Research Undo x"
    assert f'action="{here}/withdraw_approval"' in told
    await http.post(f"{here}/withdraw_approval", data={"version": "2"})
    assert [type(request) for _, request in bus.received] == [ApproveSection, WithdrawApproval]


async def test_a_result_that_is_not_what_is_there_is_not_told(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    for of in ("{}/research/1", "{}/nowhere/2", "nothing/research/2", "<script>", "{}/research/2/2"):
        page = await http.get(SECTION.format(document_id), params={"done": "approve", "of": of.format(document_id)})
        assert page.status_code == 200
        assert 'class="note good" role="status"' not in page.text
    for done in ("nothing", "%25s", "x" * 5000):
        assert (await http.get(f"{SECTION.format(document_id)}?done={done}")).status_code == 200


async def test_a_version_that_was_made_can_be_taken_back_by_who_may_restore(
    browser: Callable[[Role], Any], bus: Backstage, document_id: str
) -> None:
    for role, offers in ((Role.REVIEWER, False), (Role.AUTHOR, True)):
        page = await (await browser(role)).get(SECTION.format(document_id), params={"done": "edit"})
        told = page.text.partition('class="note good" role="status">')[2].partition("</div>")[0]
        assert told.count('name="restore_version" value="1"') == offers


async def test_a_reviewer_is_told_what_another_role_may_and_gets_back_what_was_typed_for_a_document(
    browser: Callable[[Role], Any], bus: Backstage, document_id: str
) -> None:
    who = await browser(Role.REVIEWER)
    told = plain((await who.get(SECTION.format(document_id))).text)
    assert "Your role does not allow: Edit" in told
    assert "Your role begins no documents." in plain((await who.get("/desk/new")).text)
    typed = {"kind": "proposal", "title": "Rack", "brief": "Which <prices>?", "outline": "# Costs & dates"}
    refused = await who.post("/desk/new", data=typed, files={"x": b""})
    assert refused.status_code == 403
    assert re.findall(r"<textarea readonly[^>]*>\n(.*)</textarea>", refused.text) == [
        "Rack",
        "Which &lt;prices&gt;?",
        "# Costs &amp; dates",
    ]


async def test_everybody_sees_what_each_role_may_and_how_people_are_added_and_removed(
    browser: Callable[[Role], Any], bus: Backstage, document_id: str
) -> None:
    page = (await (await browser(Role.READER)).get("/desk/people")).text
    rows = dict(re.findall(r'<th scope="row">([^<]+)</th>(.*?)</tr>', page))
    assert {name: row.count("yes") for name, row in rows.items()}.items() >= {
        ("Approve", 3),
        ("Comment", 3),
        ("Edit text", 2),
        ("Pause: start nothing new", 1),
    }
    assert "stemma user remove ida --tenant default" in page
    assert "it-reader" in page


async def test_an_answer_comes_back_also_where_its_question_is_no_more(
    browser: Callable[[Role], Any], bus: Backstage, document_id: str
) -> None:
    who = await browser(Role.READER)
    typed = {"need_id": "n1", "answer": "Blue <bikes>"}
    answer = await who.post(f"{SECTION.format(document_id)}/question", files={"x": b""}, data=typed)
    assert answer.status_code >= 400
    assert "Blue &lt;bikes&gt;" in answer.text
