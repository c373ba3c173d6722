import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, TypedDict

import pytest
from generation_workshop import ANNALS, Workshop, evaluation
from langchain_core.messages import AIMessage, ToolCall
from langgraph.graph import START, StateGraph
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.passages import Corpus
from stemma_generation_graph.runner import OrphanNode, compiled
from stemma_generation_graph.tools import (
    MAX_CALLS,
    SearchInputs,
    Tool,
    WebSearchSettings,
    find_provider,
    run_tool_calls,
)
from structlog.testing import capture_logs

EMPTY = Corpus([], [])
SECRET = "forty people"


class Nothing(TypedDict):
    """A state that holds nothing of interest."""

    said: str


def call(name: str, **args: object) -> ToolCall:
    return ToolCall(name=name, args=args, id="c1", type="tool_call")


@pytest.mark.req("P14")
def test_an_installed_package_can_add_a_graph_and_a_provider_of_web_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "more_graphs-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: more-graphs\nVersion: 1\n")
    (package / "entry_points.txt").write_text(
        "[stemma.graphs]\nsecond = stemma_generation_graph.graphs.registry:SECTION\n"
        "[stemma.web_search]\nbooks = more_search:Books\n"
    )
    books = "class Books:\n    def __init__(self, settings): self.url = settings.url\n"
    (tmp_path / "more_search.py").write_text(books)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    graphs, provider = find_graphs(), find_provider(WebSearchSettings(provider="books", url="shelf"))
    assert graphs["second"] is graphs["section"]
    assert (type(provider).__name__, vars(provider)) == ("Books", {"url": "shelf"})


async def test_more_calls_than_allowed_at_once_are_refused() -> None:
    search = Tool(SearchInputs, SearchInputs.run)
    answers = await run_tool_calls([call("search_inputs", query="q")] * (MAX_CALLS + 1), {search.name: search}, EMPTY)
    assert [answer.status for answer in answers] == ["success"] * MAX_CALLS + ["error"]


@pytest.mark.req("E8", "P3")
async def test_nodes_and_tools_are_logged_by_name_and_without_text_and_share_nothing_but_messages(
    workshop: Workshop,
) -> None:
    found = {"summary": SECRET, "findings": [{"heading": SECRET, "text": SECRET}]}
    script = [
        AIMessage("", tool_calls=[call("search_inputs", query=SECRET)]),
        "ready",
        json.dumps(found),
        evaluation("research"),
    ]
    with capture_logs() as logs:
        await workshop.run(await workshop.job("research", files={"a.md": SECRET, **ANNALS}), script)
    steps = [line.get("node") or line.get("tool") for line in logs]
    assert steps == ["load_context", "generate", "search_inputs", "tools", "generate", "evaluate"]
    assert [line["success"] for line in logs if line["event"] == "tool_called"] == [True]
    assert SECRET not in str(logs)
    written = {(line["node"], name) for line in logs if "node" in line for name in line["fields"]}
    assert [name for name, nodes in Counter(name for _, name in written).items() if nodes > 1] == ["messages"]


@pytest.mark.req("R10")
def test_a_graph_with_an_orphan_is_refused_and_one_with_a_cycle_is_not() -> None:
    async def node(state: Nothing) -> dict[str, Any]:
        return {}

    graph = StateGraph(Nothing)
    for name in ("first", "second", "orphan", "its_child"):
        graph.add_node(name, node)
    graph.add_edge(START, "first")
    graph.add_edge("first", "second")
    graph.add_edge("second", "first")
    graph.add_edge("orphan", "its_child")
    with pytest.raises(OrphanNode, match="graph lost: no way leads to its_child, orphan"):
        compiled("lost", graph, None)
    graph.add_edge("second", "orphan")
    assert compiled("found", graph, None).name == "found"
