"""A fact on the desk: its places are shown, and those that are ticked are changed together."""

import httpx
import pytest
from stemma_contracts.v1.requests import ChangeFact
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import document_requested, section_drafted

from .conftest import PAGES
from .desk_pages import plain

pytestmark = pytest.mark.req("L5", "H2")

LONG = "so long that nobody looks for it " * 5


async def prepare(bus: Backstage, document_id: str) -> None:
    """A document."""
    drafted = [
        section_drafted(name, draft=await bus.text(document_id, text))
        for name, text in (
            ("research", "It <b>takes</b> 24 weeks, not 124 weeks.\n"),
            ("solution", f"All 24\nweeks.\n\n{LONG}\n"),
        )
    ]
    await bus.append(document_id, document_requested(), *drafted)
    await bus.list_research(document_id)


async def test_each_place_is_shown_and_what_is_ticked_is_changed(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = f"/desk/documents/{document_id}/fact"
    page = (await http.get(here, params={"written": "24 weeks", "instead": "<i>30"}, headers=PAGES)).text
    assert 'value="research/1/16" checked' in page
    assert not any(words in page for words in ("<b>takes", "<i>30"))
    assert "<i>30" in plain(page)
    form = {"written": "24 weeks", "instead": "30 weeks", "place": ["research/1/16", "solution/1/4"]}
    sent = await http.post(here, data=form, headers=PAGES)
    assert sent.status_code == 303
    assert "done=true" in sent.headers["location"]
    [asked] = [request for _, request in bus.received if isinstance(request, ChangeFact)]
    assert [(one.section_id, one.version, one.places) for one in asked.sections] == [
        ("research", 1, (16,)),
        ("solution", 1, (4,)),
    ]


async def test_nothing_ticked_and_a_forged_place_are_refused_on_the_page(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here, words = f"/desk/documents/{document_id}/fact", {"written": "24 weeks", "instead": "30 weeks"}
    for places in ([], ["research/x/1"], ["research"]):
        refused = await http.post(here, data={**words, "place": places}, headers=PAGES)
        assert refused.status_code == 422
        assert "24 weeks" in plain(refused.text)
    nowhere = await http.get(here, params={"written": "9 weeks"}, headers=PAGES)
    assert "No section says this." in plain(nowhere.text)
    long = await http.post(
        here, data={"written": LONG, "instead": "30 weeks", "place": ["solution/1/16"]}, headers=PAGES
    )
    assert (long.status_code, 'name="place"' in long.text) == (422, False)
