import re
from operator import or_
from types import ModuleType
from typing import Any, get_type_hints

import pytest
from langgraph.graph.message import add_messages
from stemma_generation_graph.graphs.document_agent import state as agent_state
from stemma_generation_graph.graphs.roles import state as roles_state
from stemma_generation_graph.graphs.transitions import add_or_remove, append, merge_by_section, replace

pytestmark = pytest.mark.req("P3")


def test_replace_keeps_the_last() -> None:
    assert replace("old", "new") == "new"


def test_append_adds_to_the_end_also_of_nothing() -> None:
    assert append(append(None, [1]), [2, 3]) == [1, 2, 3]


def test_merge_keeps_the_sections_that_an_update_does_not_name() -> None:
    assert merge_by_section({"a": 1, "b": 1}, {"b": 2, "c": 2}) == {"a": 1, "b": 2, "c": 2}


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


STATES: list[tuple[ModuleType, type]] = [
    (roles_state, roles_state.WritingGraphState),
    (agent_state, agent_state.DocumentState),
]


@pytest.mark.parametrize(("module", "state"), STATES, ids=["roles", "document_agent"])
def test_every_field_that_more_than_one_node_sets_has_a_reducer(module: ModuleType, state: type) -> None:
    fields = get_type_hints(state, include_extras=True)
    writers = documented(module)
    assert set(writers) == set(fields), "every field is documented"
    shared = {name for name, nodes in writers.items() if len(nodes - set(fields)) > 1}
    reduced = {name for name, hint in fields.items() if hasattr(hint, "__metadata__")}
    assert shared <= reduced
    assert len(shared) > 5


@pytest.mark.parametrize(("module", "state"), STATES, ids=["roles", "document_agent"])
def test_every_reducer_is_one_of_ours_or_that_of_messages(module: ModuleType, state: type) -> None:
    used = {hint.__metadata__[0] for hint in get_type_hints(state, include_extras=True).values() if is_reduced(hint)}
    assert used <= {add_messages, replace, append, merge_by_section, add_or_remove, or_}


def test_no_reducer_is_left_unused() -> None:
    hints = [hint for _, state in STATES for hint in get_type_hints(state, include_extras=True).values()]
    used = {hint.__metadata__[0] for hint in hints if is_reduced(hint)}
    assert {replace, append, merge_by_section, add_or_remove} <= used


def is_reduced(hint: Any) -> bool:
    return hasattr(hint, "__metadata__")
