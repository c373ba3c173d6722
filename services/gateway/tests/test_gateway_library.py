"""The library on the desk: what people approved, what is offered to demands, and what is taken by a decision alone."""

from typing import Any
from uuid import uuid4

import httpx
import pytest
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.library import EntryRef
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.summary import DocumentSummary
from stemma_testkit.backstage import Backstage
from stemma_testkit.document_events import CREATED_AT, TENANT, document_requested, view_after

from .desk_pages import plain, requested
from .test_gateway_requirements import prepare

__all__ = ["prepare"]
pytestmark = pytest.mark.req("L8", "H2")
TEXT = "# Research\n\nTwo directors of the offeror sign the form.\n\nLunch is served at noon.\n"


async def approved(bus: Backstage) -> str:
    """Another document, in which a person wrote a section, as the read model has it."""
    source = f"source-{uuid4().hex[:8]}"
    edited = e.SectionEdited(
        section_id="research", version=1, draft=await bus.text(source, TEXT), origin=Origin.WRITTEN, actor="ana"
    )
    view = view_after(document_requested(), edited)
    key = f"$KV.{subjects.VIEWS_BUCKET}.{subjects.section_view_key(TENANT, source, 'research')}"
    await bus.js.publish(key, view.sections["research"].stored(source))
    about: dict[str, Any] = {"kind": "proposal", "status": DocumentStatus.RUNNING, "created_at": CREATED_AT}
    await bus.summarise(DocumentSummary(document_id=source, last_sequence=3, outcome="won", language="en", **about))
    return source


async def test_an_approved_text_is_listed_offered_to_the_demand_it_fits_and_taken_by_a_person(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    source = await approved(bus)
    here = f"/desk/documents/{document_id}/library"
    listed = (await http.get("/desk/library")).text
    assert source in listed
    found = plain((await http.get("/desk/library?q=lunch+noon")).text)
    assert ("Lunch is served" in found, "Two directors" in found) == (True, False)
    offers = (await http.get(here)).text
    assert "Two directors of the offeror sign the form." in plain(offers)
    assert "won" in plain(offers)
    assert [f'value="{row} {source} research 1"' in offers for row in ("R1", "R2", "R3")] == [False, True, False]
    [row] = (await http.get(f"/documents/{document_id}/offers")).json()
    assert (row["demand"]["id"], row["offers"][0]["entry"]["outcome"]) == ("R2", "won")
    taken = await http.post(here, data={"take": f"R2 {source} research 1"})
    assert taken.headers["location"].startswith(f"{here}?done=take_entry")
    asked = requested(bus, r.ReuseEntry)
    assert asked.entry == EntryRef(document_id=source, section_id="research", version=1)
    assert asked.requirement_ids == ("R2",)
    assert (await http.post(here, data={"take": "R1 ../x research"})).status_code == 422


async def test_what_became_of_a_bid_and_how_long_a_text_holds_are_said_on_the_desk(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    await http.post(f"/desk/documents/{document_id}/library", data={"outcome": "won"})
    about = {"document": document_id, "section": "research"}
    await http.post("/desk/library", data={**about, "owner": "bea", "expires": "2099-06-30", "withheld": "true"})
    [won, described] = [request for _, request in bus.received]
    assert isinstance(won, r.RecordOutcome)
    assert won.outcome == "won"
    assert isinstance(described, r.DescribeEntry)
    assert described.expires is not None
    assert (described.owner, described.withheld, described.expires.isoformat()) == (
        "bea",
        True,
        "2099-06-30T23:59:59+00:00",
    )
    wrong = {"document": await approved(bus), "section": "research", "owner": "<bea>", "expires": "soon"}
    refused = await http.post("/desk/library", data=wrong)
    assert (refused.status_code, "<details open>" in refused.text) == (422, True)
    assert all(f'value="{typed}"' in refused.text for typed in ("&lt;bea&gt;", "soon")), "nothing typed is lost"
    nothing = await http.post(f"/desk/documents/{document_id}/library", data={"outcome": "sold"})
    assert (nothing.status_code, 'value="open" checked' in nothing.text) == (422, False)
