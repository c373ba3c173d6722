"""The map of a document: a list of sections with their work and cost, drawn as a graph where there is room."""

from typing import Any

import httpx
import pytest
from playwright.async_api import expect
from stemma_contracts.v1.provenance import ProcessingMetadata
from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.usage import Usage
from stemma_contracts.v1.views import DocumentView, StaleView
from stemma_gateway.desk.document import nodes_of
from stemma_testkit.backstage import Backstage
from stemma_testkit.browser import violations
from stemma_testkit.document_events import (
    CREATED_AT,
    document_requested,
    plan,
    review_requested,
    section_drafted,
    view_after,
)

from .desk_pages import NARROW, Desk, check, plain
from .test_gateway_document import document, prepare

__all__ = ["prepare"]
pytestmark = pytest.mark.req("H3")


def of(*sections: Any) -> DocumentView:
    return view_after(document_requested().model_copy(update={"sections": sections, "starts": ("s0",)}))


async def test_of_sections_that_rest_on_all_before_lines_to_the_last_are_drawn_and_others_counted() -> None:
    names = [f"s{number}" for number in range(200)]
    nodes = list(nodes_of(of(*(plan(name, *names[:number]) for number, name in enumerate(names))), {}))
    assert [[edge.upstream.section_id for edge in node.edges] for node in nodes[1:]] == [[name] for name in names[:-1]]
    assert sum(node.left_out for node in nodes) == 199 * 198 / 2


async def test_a_section_follows_all_that_it_rests_on_and_a_line_that_makes_it_stale_is_always_drawn() -> None:
    document = of(plan("end", "s0", "middle"), plan("middle", "s0"), plan("s0"))
    usage = {"end": Usage(input_tokens=7)}
    assert [(node.section.section_id, node.usage.tokens) for node in nodes_of(document, usage)] == [
        ("s0", 0),
        ("middle", 0),
        ("end", 7),
    ]
    sections = {**document.sections}
    reasons = (StaleReason(upstream_section_id="s0", accepted_version=1, current_version=2),)
    sections["end"] = sections["end"].model_copy(update={"stale": StaleView(reasons=reasons)})
    *_, end = nodes_of(document.model_copy(update={"sections": sections}), usage)
    assert [(edge.upstream.section_id, edge.reason is not None) for edge in end.edges] == [
        ("s0", True),
        ("middle", False),
    ]


async def test_the_map_tells_state_cost_and_why_a_line_is_stale_without_a_script(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    page = (await http.get(f"{document(document_id)}/map")).text
    solution = page.partition('id="node-solution"')[2].partition("</li>")[0]
    assert 'data-upstream="research" data-stale="research"' in solution
    assert "stale version 1 · 15 tokens · $0.00 Depends on Research version 1, now 2" in plain(solution)


@pytest.mark.req("E4")
async def test_the_map_tells_how_long_the_rest_takes(http: httpx.AsyncClient, bus: Backstage, document_id: str) -> None:
    other = f"l{document_id}"
    took = ProcessingMetadata(started_at=CREATED_AT, finished_at=CREATED_AT, seconds=40)
    drafted = section_drafted("research").model_copy(update={"processing_metadata": took})
    await bus.append(other, document_requested(), drafted)
    assert "About 40 seconds left." in plain((await http.get(f"{document(other)}/map")).text)


@pytest.mark.req("E3")
async def test_a_document_and_its_map_are_read_as_they_were_at_any_event_and_nothing_is_decided_there(
    http: httpx.AsyncClient, bus: Backstage, document_id: str
) -> None:
    address = f"/documents/{document_id}"
    history = (await http.get(f"{address}/history")).json()
    first, last = history[0]["sequence"], history[-1]["sequence"]
    then, now = [(await http.get(address, params={"at": at})).json() for at in (first, last)]
    assert (then["last_sequence"], {one["version"] for one in then["sections"].values()}) == (first, {0})
    assert now == (await http.get(address)).json()
    assert (await http.get(address, params={"at": first - 1})).status_code == 404
    past = (await http.get(f"{document(document_id)}/map", params={"at": first})).text
    assert "As it was on" in past
    assert f'/{document_id}/work"' not in past
    assert f'map?at={last}"' in (await http.get(f"{document(document_id)}/history?all=true")).text


async def test_the_map_is_drawn_where_there_is_room_and_follows_what_happens(
    desk: Desk, bus: Backstage, document_id: str
) -> None:
    other = f"m{document_id}"
    sections = (plan("s0"), *(plan(f"s{number}", "s0") for number in (1, 2)), plan("s3", "s1", "s2"))
    await bus.append(other, document_requested().model_copy(update={"sections": sections, "starts": ("s0",)}))
    async with desk(f"{document(other)}/map", viewport=NARROW) as page:
        await check(page)
        await expect(page.get_by_text("Depends on").first).to_be_visible()
        await page.set_viewport_size({"width": 1000, "height": 800})
        await expect(page.locator("[data-edges] path")).to_have_count(4)
        tops = await page.locator("[data-node]").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
        assert tops[0] < tops[1] == tops[2] < tops[3]
        await bus.append(other, section_drafted("s0"), review_requested("s0"))
        await expect(page.locator("#node-s0 .status")).to_have_text("waiting for review")
        await expect(page.locator("[data-edges] path")).to_have_count(4)
        wide = "one => one.getBoundingClientRect().width"
        width = await page.locator("#node-s0").evaluate(wide)
        await page.get_by_role("button", name="Zoom in").click()
        await page.wait_for_function(f"before => ({wide})(document.getElementById('node-s0')) > before", arg=width)
        assert await violations(page) == []
