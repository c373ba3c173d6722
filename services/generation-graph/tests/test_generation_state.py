"""The state of the graphs: who writes what, and how it is merged."""

from __future__ import annotations

import typing
from collections import defaultdict

import pytest
from generation_workshop import HEAD, Workshop
from stemma_contracts.v1.jobs import GenerateSection
from stemma_generation_graph.deps import RunContext
from stemma_generation_graph.graphs.section.nodes import SectionState, build_section_graph, initial_state
from stemma_models import CallContext
from stemma_offline_writer import OfflineWriter


async def writers_of(workshop: Workshop, job: GenerateSection) -> dict[str, set[str]]:
    """Which nodes wrote each field in a run in which every node takes part."""
    tools = workshop.tools(OfflineWriter())
    call = CallContext(HEAD.tenant, HEAD.document_id, job.section.section_id, job.job_id, job.thread_id)

    async def live(_: str) -> None:
        return None

    graph = build_section_graph(tools.deps).compile()
    written: dict[str, set[str]] = defaultdict(set)
    run = RunContext(call, tools.library, live)
    async for update in graph.astream(initial_state(job), context=run, stream_mode="updates"):
        for node, fields in update.items():
            for name in fields:
                written[name].add(node)
    return written


@pytest.mark.req("P3")
async def test_every_field_that_two_nodes_write_has_a_reducer(workshop: Workshop) -> None:
    files = {"ferry.md": "# Ferry\n\nThe ferry must carry 40 people by May 2027. It leaves at eight."}
    written = await writers_of(workshop, await workshop.job("research", files=files))
    assert set().union(*written.values()) == {"load_context", "generate", "tools", "evaluate"}
    shared = {name for name, nodes in written.items() if len(nodes) > 1}
    assert shared == {"messages"}
    hints = typing.get_type_hints(SectionState, include_extras=True)
    assert all(hasattr(hints[name], "__metadata__") for name in shared)


@pytest.mark.req("P3")
async def test_every_field_has_a_value_from_the_start(workshop: Workshop) -> None:
    state = initial_state(await workshop.job("budget"))
    assert set(state) == set(SectionState.__annotations__)
    assert [name for name, value in state.items() if value] == ["job"]
