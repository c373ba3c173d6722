"""The state of the graphs: who writes what, and how it is merged."""

import re
import typing
from collections import defaultdict
from types import ModuleType

import pytest
from generation_workshop import ANNALS, HEAD, Workshop
from stemma_contracts.v1.jobs import GenerateSection
from stemma_generation_graph.deps import RunContext
from stemma_generation_graph.graphs.document_agent import state as agent_state
from stemma_generation_graph.graphs.roles import state as roles_state
from stemma_generation_graph.graphs.section.nodes import SectionState, build_section_graph, initial_state
from stemma_generation_graph.graphs.transitions import add_or_remove
from stemma_models import CallContext
from stemma_offline_writer import OfflineWriter

pytestmark = pytest.mark.req("P3")


def test_missing_references_are_added_once_and_can_be_removed() -> None:
    a, b, c = ({"reference": name} for name in ("a.png", "b.png", "c.png"))
    missing = add_or_remove(None, [a, b, a])
    assert missing == [a, b]
    assert add_or_remove(missing, {"remove": ["a.png", "never.png"], "add": [c]}) == [b, c]


def documented(module: ModuleType) -> dict[str, set[str]]:
    """Which nodes set a field, as the table in the module of its state says."""
    rows = [line.split("|")[1:3] for line in (module.__doc__ or "").splitlines() if line.startswith("| ``")]
    found: dict[str, set[str]] = {}
    for fields, nodes in rows:
        for name in re.findall(r"``(\w+)``", fields):
            found.setdefault(name, set()).update(re.findall(r"``(\w+)``", nodes))
    return found


@pytest.mark.parametrize(
    ("module", "state"), [(roles_state, roles_state.WritingGraphState), (agent_state, agent_state.DocumentState)]
)
def test_every_field_that_more_than_one_node_sets_has_a_reducer(module: ModuleType, state: type) -> None:
    fields = typing.get_type_hints(state, include_extras=True)
    writers = documented(module)
    assert set(writers) == set(fields), "every field is documented"
    shared = {name for name, nodes in writers.items() if len(nodes - set(fields)) > 1}
    reduced = {name for name, hint in fields.items() if hasattr(hint, "__metadata__")}
    assert shared <= reduced
    assert len(shared) > 5


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


async def test_the_nodes_of_a_section_share_nothing_but_the_messages_which_are_reduced(workshop: Workshop) -> None:
    files = {"ferry.md": "# Ferry\n\nThe ferry must carry 40 people by May 2027. It leaves at eight.", **ANNALS}
    written = await writers_of(workshop, await workshop.job("research", files=files))
    assert set().union(*written.values()) == {"load_context", "generate", "tools", "evaluate"}
    shared = {name for name, nodes in written.items() if len(nodes) > 1}
    assert shared == {"messages"}
    hints = typing.get_type_hints(SectionState, include_extras=True)
    assert all(hasattr(hints[name], "__metadata__") for name in shared)
