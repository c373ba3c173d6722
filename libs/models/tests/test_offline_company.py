"""The offline writer as analyzer, as one of several roles, and as the one who joins them."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import HumanMessage
from stemma_models.offline.answers import structured_answer, written_answer
from stemma_models.offline.request import read_request
from stemma_models.prompting import block

BRIEF = "# Ferry\n\nShould the ferry of Aller run all winter? Show the passengers, the crew and the money.\n"
INPUTS = {
    "crew.md": "# Crew\n\nA crossing needs two people. The crew is trained in October.\n",
    "money.md": "# Money\n\nA ticket costs EUR 3.20. Fuel costs EUR 41,500 a winter.\n",
}
ROLES = {
    "type": "object",
    "title": "RoleAnalysis",
    "properties": {"identified_roles": {"type": "array", "items": {"type": "object"}}, "reasoning": {"type": "string"}},
}


def request(task: str, *blocks: str, brief: str = BRIEF, inputs: dict[str, str] = INPUTS) -> Any:
    shown = [block("task", task), block("brief", brief)]
    shown += [block("input", text, name=name) for name, text in inputs.items()]
    return read_request([HumanMessage("\n".join([*shown, *blocks]))])


def analysis(brief: str = BRIEF, inputs: dict[str, str] = INPUTS) -> Any:
    return json.loads(structured_answer(request("role analysis", brief=brief, inputs=inputs), ROLES))


def test_roles_are_what_the_material_is_about_and_differ_from_each_other() -> None:
    roles = analysis()["identified_roles"]
    assert [role["id"] for role in roles] == ["crew", "money"]
    for field in ("perspective", "priority"):
        assert len({role[field] for role in roles}) == len(roles)


def test_a_request_that_says_too_little_gets_no_roles() -> None:
    told = analysis("Write something nice.", {})
    assert told["identified_roles"] == []
    assert told["reasoning"]


def contribution(name: str) -> str:
    roles = {"crew": "Crew", "money": "Money"}
    outline = [block("entry", f"Knows {title}.", id=key, kind="role", title=title) for key, title in roles.items()]
    section = block("section", f"Knows {roles[name]}.", id=name, kind="role", title=roles[name])
    return written_answer(request("contribution", section, block("outline", outline)))


def test_each_role_writes_its_share_and_none_of_the_others() -> None:
    crew, money = contribution("crew"), contribution("money")
    assert "crossing needs two people." in crew
    assert "EUR 41,500" in money
    assert "EUR" not in crew


def test_the_contributions_are_joined_and_nothing_is_said_twice() -> None:
    section = block("section", "", id="document", kind="roles", title="The ferry")
    said = [block("upstream", contribution(name), id=name, title=name.capitalize()) for name in ("crew", "money")]
    twice = block("upstream", contribution("crew"), id="again", title="Again")
    text = written_answer(request("synthesis", section, *said, twice))
    assert text.startswith("# The ferry\n\nShould the ferry of Aller run all winter?")
    assert [line for line in text.splitlines() if line.startswith("#")] == ["# The ferry", "## Crew", "## Money"]
