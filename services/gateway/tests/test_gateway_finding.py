"""Finding documents on the desk: the list, its filters, and the search over everything."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import httpx
import pytest
from playwright.async_api import expect
from stemma_client import Client
from stemma_client.settings import ServerAddress
from stemma_contracts import subjects
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.requests import CreateDocument
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.summary import DocumentSummary, SectionSummary
from stemma_gateway import followed
from stemma_provisioning import NatsServer
from stemma_provisioning.roles import Role
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import CREATED_AT, document_requested, section_drafted
from stemma_testkit.servers import admit

from .conftest import PAGES, at
from .desk_pages import NARROW, Desk, check, plain, requested

pytestmark = pytest.mark.req("H8", "H4", "H5")
HOSTILE = 'Tom <img src=x onerror="alert(1)"> & \u202ebob'


async def prepare(bus: Backstage, document_id: str) -> None:
    """A document for each state."""
    await bus.append(document_id, document_requested())
    await put(bus, document_id, f"Garden beside the library {document_id}", assignee="")


async def put(bus: Backstage, document_id: str, title: str, *sections: str, **about: Any) -> None:
    """A document of the list, whose sections wait for review unless something else is told."""
    status = about.pop("becomes", DocumentStatus.RUNNING)
    told = {"status": SectionStatus.AWAITING_REVIEW, "version": 1, **about}
    names = sections or ("Budget", "Schedule")
    await bus.summarise(
        DocumentSummary(
            document_id=document_id,
            kind="proposal",
            status=status,
            title=await bus.text(document_id, title),
            created_at=CREATED_AT,
            last_sequence=1,
            sections=tuple(
                SectionSummary(section_id=name.lower().replace(" ", "-"), title=name, **told) for name in names
            ),
        )
    )


async def listed(http: httpx.AsyncClient, query: str) -> list[str]:
    page = await http.get(f"/desk/documents{query}", headers=PAGES)
    assert page.status_code == 200, page.text
    return re.findall(r'id="document-([^"]+)"', page.text)


async def test_documents_are_found_by_words_of_their_titles_and_sections_and_by_their_state(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await put(bus, done := f"{document_id}-done", "Ferry", assignee="bob", becomes=DocumentStatus.COMPLETED)
    await put(bus, ended := f"{document_id}-ended", "Tram", becomes=DocumentStatus.CANCELLED)
    mine = {document_id, done, ended}

    async def found(query: str) -> set[str]:
        return mine & set(await listed(http, query))

    assert await found("?q=LIBRARY+garden") == {document_id}
    assert await found("?q=budget") == mine
    assert await found(f"?q={document_id}") == mine
    assert await found(f"?q={document_id}&state=waiting") == {document_id}
    assert await found(f"?q={document_id}&state=done") == {done}
    assert await found(f"?q={document_id}&state=ended") == {ended}
    assert await found("?q=nothing+of+that") == set()


async def test_the_list_always_tells_titles_and_how_much_of_each_document_is_settled(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await put(bus, document_id, HOSTILE, "Budget", "Schedule", status=SectionStatus.APPROVED)
    page = (await http.get(f"/desk/documents?q={document_id}", headers=PAGES)).text
    assert "<img src=x" not in page
    assert "Tom &lt;img src=x" in page
    assert '<progress max="2" value="2" aria-hidden="true">' in page
    assert "2 of 2 settled" in plain(page)
    assert "waiting: " not in plain(page)


async def test_a_long_list_has_pages_and_a_page_that_is_not_there_is_the_last(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    for number in range(26):
        await put(bus, f"{document_id}-{number}", "Long list")
    first, beyond = [await listed(http, f"?q={document_id}-&page={page}") for page in (1, 99)]
    assert (len(first), len(beyond)) == (25, 1)
    assert f"q={document_id}-&amp;page=2" in (await http.get(f"/desk/documents?q={document_id}-", headers=PAGES)).text


async def test_titles_are_read_once_however_many_documents_there_are(
    server: NatsServer, bus: Backstage, monkeypatch: pytest.MonkeyPatch, document_id: str
) -> None:
    monkeypatch.setattr(followed, "MOST_TITLES", 2)
    login = admit(server, "xena", Role.REVIEWER)
    titles = [f"Title {number}" for number in range(4)]
    refs = [await bus.text(document_id, title) for title in titles]
    same = DocumentSummary(
        document_id=document_id, kind="proposal", status=DocumentStatus.RUNNING, created_at=CREATED_AT, last_sequence=1
    )
    documents = [same.model_copy(update={"title": ref}) for ref in refs]
    async with Client.connect_to(ServerAddress(server.url, "default", "xena", login=login)) as client:
        kept = followed.Followed(client, "xena")
        assert await kept.titles(documents) == titles
        for ref in refs:
            await bus.js.purge_stream(subjects.ARTIFACTS, subject=subjects.artifact("default", document_id, ref.digest))
        assert await kept.titles([same, *documents]) == ["proposal", *titles]
        assert await kept.titles(documents[2:3]) == titles[2:3]
        another = same.model_copy(update={"title": await bus.text(document_id, "Another")})
        assert await kept.titles([another]) == ["Another"]
        assert await kept.titles(documents[:3]) == ["proposal", "proposal", "Title 2"], "what was asked for last stays"


async def hits(http: httpx.AsyncClient, query: str) -> list[tuple[str, str]]:
    page = (await http.get(f"/desk/search?{query}", headers=PAGES)).text
    return re.findall(r'<a href="([^"]+)" data-row><span class="line">([^<]+)</span>', page)


async def test_the_search_finds_documents_sections_and_commands_the_best_first_and_at_most_twenty(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"/desk/documents/{document_id}"
    unique = f"Zeppelin {document_id}"
    await put(bus, document_id, unique, "Budget", *(f"Appendix {number}" for number in range(30)))
    assert (await hits(http, f"q={unique}"))[0] == (here, "Document")
    assert (await hits(http, f"q=budget+{document_id}"))[0] == (f"{here}/sections/budget", "Section")
    assert len(await hits(http, f"q=appendix+{document_id}")) == 20
    assert (await hits(http, "q=new+doc"))[0] == ("/desk/new", "Go to")
    of_document = await hits(http, f"document={document_id}")
    assert (f"{here}/requirements", "Go to") in of_document
    assert (f"{here}/requirements", "Go to") not in await hits(http, "")


async def test_words_of_texts_are_found_at_their_place_and_shown_as_words(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await put(bus, document_id, "Zoo")
    text = await bus.text(
        document_id, f"# A\n\n{'word ' * 60}of **two** `<b>` gardens\nby the {document_id}.\n\n- no\n"
    )
    await bus.append(document_id, section_drafted("research", text))
    page = (await http.get(f"/desk/search?document={document_id}&q=GARDENS+{document_id}+two", headers=PAGES)).text
    [hit] = re.findall(r'<a href="([^"]+)" data-row><span class="line">In the text</span> <bdi>([^<]*)</bdi>', page)
    assert hit[0] == f"/desk/documents/{document_id}/sections/research#line-3"
    assert unescape(hit[1]).startswith("… word")
    assert f"of two <b> gardens by the {document_id}." in unescape(hit[1])
    missing = await hits(http, f"document={document_id}&q=gardens+{document_id}+no")
    assert "In the text" not in [kind for _, kind in missing]


async def test_keys_alone_lead_from_any_page_to_what_is_searched_and_no_letter_decides_anything(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    here = f"/desk/documents/{document_id}"
    async with desk("/desk/keys", viewport=NARROW, locale="en") as page:
        await page.keyboard.press("Control+k")
        await page.keyboard.type("libra")
        await expect(page.get_by_role("dialog").get_by_text("Garden beside the library").first).to_be_visible()
        await check(page, "search dialog")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("i")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.url.endswith("/desk/keys")
        await page.keyboard.press("/")
        await page.keyboard.press("Control+a")
        await page.keyboard.type(f"garden {document_id}")
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**{here}")
        await page.goto(page.url.removesuffix(here) + "/desk/search?q=garden")
        await check(page, "search page")
        await page.goto(page.url.partition("/desk")[0] + "/desk/documents?q=garden")
        await check(page, "documents")


async def test_a_first_visit_explains_the_words_of_the_desk_and_offers_a_sample(
    http: httpx.AsyncClient, bus: Backstage, address: str, caller: Callable[..., Any]
) -> None:
    async with caller(address, "garden") as newcomer:
        first = (await newcomer.get("/desk", headers=PAGES)).text
    assert first.count("<li>") == 5
    assert all(word in plain(first) for word in ("stale", "Keep", "Holds up", "Viewed"))
    assert '<span class="count">0' not in first
    assert 'class="filters"' not in first
    assert first.partition("<main")[2].count('class="first"') == 1
    assert "/desk/sample" not in (await http.get("/desk", headers=PAGES)).text
    done = await http.post("/desk/sample")
    assert done.headers["location"] == "/desk/documents/new-document?at_least=0"
    asked = requested(bus, CreateDocument)
    assert (asked.kind, bool(asked.brief), len(asked.inputs) > 5) == ("proposal", True, True)


async def test_a_filter_of_the_inbox_is_kept_under_a_name_for_one_person_and_dropped(
    http: httpx.AsyncClient, bus: Backstage, document_id: str, address: str, person: Any
) -> None:
    assert f"waits-{document_id}-budget" in (await http.get(f"/desk?q=budget+{document_id}", headers=PAGES)).text
    assert f"waits-{document_id}" not in (await http.get("/desk?q=zeppelin", headers=PAGES)).text
    wanted = {"why": "review", "q": f"budget {document_id}", "name": HOSTILE}
    kept = await http.post("/desk/filters", data=wanted)
    where = f"/desk?why=review&q=budget+{document_id}"
    assert kept.headers["location"] == where
    page = (await http.get(where, headers=PAGES)).text
    assert f'href="{where.replace("&", "&amp;")}" aria-current="page"><bdi>Tom &lt;img' in page
    async with at(address) as other:
        await other.post("/sign-in", json=person("filters-nobody"))
        assert "Tom &lt;img" not in (await other.get("/desk", headers=PAGES)).text
    nothing = await http.post("/desk/filters", data={"name": "All"}, headers=PAGES)
    assert nothing.status_code == 422
    await http.post("/desk/filters", data={"name": HOSTILE, "drop": "yes"})
    assert "Tom &lt;img" not in (await http.get("/desk", headers=PAGES)).text
