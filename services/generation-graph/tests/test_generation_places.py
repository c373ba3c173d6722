"""The places in files that writers are told, so that they can cite them."""

from __future__ import annotations

import pytest
from generation_workshop import Workshop, call_context
from langchain_core.messages import HumanMessage
from stemma_contracts.v1.inputs import Anchor, Anchors
from stemma_contracts.v1.references import InputFile
from stemma_generation_graph.passages import read_source
from stemma_generation_graph.settings import ContextLimits
from stemma_generation_graph.sources import Library
from stemma_generation_graph.tools import SearchInputs
from stemma_generation_graph.writing import load_material
from stemma_models.prompting import parse_blocks
from stemma_offline_writer.request import read_request

pytestmark = pytest.mark.req("I3")

REQUEST = "# Ferry\n\nIt carries 40 people.\n\nIt sails from May.\n\n# Price\n\nThe fare is EUR 3.\n"
PAGES = tuple(
    Anchor(offset=REQUEST.index(words), kind="page", label=f"p. {number}")
    for number, words in ((1, "# Ferry"), (2, "It sails"))
)
PLACED = [("p. 1", "# Ferry\n\nIt carries 40 people."), ("p. 2", "It sails from May.\n\n# Price\n\nThe fare is EUR 3.")]


async def file(workshop: Workshop, name: str, input_id: str) -> InputFile:
    body = Anchors(anchors=PAGES).model_dump_json()
    return InputFile(
        name=name,
        artifact=await workshop.store(REQUEST, "text.md"),
        input_id=input_id,
        anchors=await workshop.store(body, "anchors.json", "application/json"),
    )


async def material(workshop: Workshop) -> str:
    """Of a job whose brief and input are files with pages."""
    job = await workshop.job("budget")
    brief = await file(workshop, "rfq.pdf", "brief")
    files = {"brief": brief.artifact, "brief_file": brief, "inputs": (await file(workshop, "plan.pdf", "input-1"),)}
    return await load_material(
        job.model_copy(update=files), Library(workshop.artifacts), ContextLimits(), {}, call_context()
    )


async def test_writers_get_brief_and_inputs_with_the_page_of_each_part(workshop: Workshop) -> None:
    blocks = parse_blocks(await material(workshop))
    for tag, name in (("brief", "rfq.pdf"), ("evidence", "plan.pdf")):
        placed = [(b.attributes["place"], b.text.strip()) for b in blocks if b.tag == tag]
        assert placed == PLACED
        assert {b.attributes["name"] for b in blocks if b.tag == tag} == {name}


async def test_a_search_tells_the_page_of_what_it_finds(workshop: Workshop) -> None:
    corpus = await Library(workshop.artifacts).corpus(
        (await workshop.job("budget")).document, (await file(workshop, "plan.pdf", "input-1"),)
    )
    (found,) = parse_blocks(await SearchInputs(query="people").run(corpus))
    assert (found.attributes["name"], found.attributes["place"]) == ("plan.pdf", "p. 1")


async def test_a_writer_that_needs_no_places_reads_each_file_whole(workshop: Workshop) -> None:
    request = read_request([HumanMessage(await material(workshop))])
    assert request.brief == REQUEST.strip()
    assert [(named.name, named.text) for named in request.inputs] == [("plan.pdf", REQUEST.strip())]


def test_a_long_table_is_told_with_its_first_and_last_cells() -> None:
    rows = [f"| {number} |" for number in range(9)]
    table = "\n".join(["| n |", "| --- |", *rows])
    anchors = [Anchor(offset=table.index(row), kind="sheet", label=f"A{n}:A{n + 1}") for n, row in enumerate(rows)]
    (passage,) = read_source("n.xlsx", table, anchors).passages
    assert passage.place == "A0:A1; ...; A8:A9"
