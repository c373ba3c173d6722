"""The matrix of demands by sections: its holes, and what is suspect until somebody looked."""

import httpx
import pytest
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.ledger import RequirementDecision
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.requests import DecideRequirements
from stemma_testkit.backstage import Backstage

from .desk_pages import plain
from .test_gateway_requirements import bus

__all__ = ["bus"]
pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("H2", "L1")]


async def changed(bus: Backstage, document_id: str) -> str:
    """Somebody looks at the row that research answers, then research gets another text; the address of the matrix."""
    decision = RequirementDecision(requirement_id="R1", looked=True)
    draft = await bus.text(document_id, "# Research\n\nTwelve users are trained.\n")
    edited = e.SectionEdited(section_id="research", version=2, draft=draft, origin=Origin.WRITTEN, actor="ana")
    await bus.append(document_id, e.RequirementsDecided(decisions=(decision,)), edited)
    return f"/desk/documents/{document_id}/matrix"


def row_of(page: str, name: str) -> str:
    return next(plain(f"<tr{row}") for row in page.split("<tr") if f"/requirements/{name}?" in row)


async def test_the_matrix_shows_demands_by_sections_with_holes_and_keeps_a_mark_until_somebody_looks(
    web: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    here = await changed(bus, document_id)
    page = (await web.get(here)).text
    assert "1 section answers no demand: Solution" in plain(page)
    assert page.count('<th scope="col">') == 3
    assert row_of(page, "R1").endswith("open section changed")
    assert page.count('class="hole"') == 3
    assert page.count('name="row"') == 1
    only = (await web.get(f"{here}?suspect=true")).text
    assert [f"/requirements/{name}?" in only for name in ("R1", "R2", "R3")] == [True, False, False]
    assert (await web.post(here, data={"verb": "looked_at"})).status_code == 422, "nothing is ticked"
    rows = page.partition('name="rows" value="')[2].partition('"')[0]
    done = await web.post(here, data={"rows": rows, "row": "R1", "verb": "looked_at"})
    assert done.headers["location"].startswith(f"{here}?done=looked_at")
    [(_, request)] = bus.received
    assert isinstance(request, DecideRequirements)
    assert request.decisions == (RequirementDecision(requirement_id="R1", looked=True),)
    await bus.append(document_id, e.RequirementsDecided(decisions=request.decisions))
    assert "section changed" not in (await web.get(here)).text
