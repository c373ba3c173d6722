"""The state of the graphs: who writes what, and how it is merged."""

import re
import typing
from types import ModuleType

import pytest
from stemma_generation_graph.graphs.document_agent import state as agent_state
from stemma_generation_graph.graphs.roles import state as roles_state
from stemma_generation_graph.graphs.transitions import add_or_remove

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
