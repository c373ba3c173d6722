import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import pytest
from generation_workshop import ANNALS, Workshop, evaluation
from langchain_core.messages import AIMessage, ToolCall
from langgraph.graph import START, StateGraph
from stemma_generation_graph.deps import GraphDeps
from stemma_generation_graph.graphs.registry import SECTION, find_graphs
from stemma_generation_graph.handlers import on_generate_section
from stemma_generation_graph.passages import Corpus
from stemma_generation_graph.runner import OrphanNode, Runner, compiled
from stemma_generation_graph.tools import (
    MAX_CALLS,
    WebResult,
    WebSearchSettings,
    find_provider,
    run_tool_calls,
    web_tool,
)
from stemma_testkit.scripted import ScriptedModel
from structlog.testing import capture_logs

EMPTY = Corpus([], [])
SECRET = "forty people"


class Nothing(TypedDict):
    """A state that holds nothing of interest."""

    said: str


class Encyclopedia:
    """A provider of web search that knows one page."""

    async def search(self, query: str, limit: int) -> Sequence[WebResult]:
        return [WebResult("Ferries", "https://example.org/ferries", f"All about {query}.")][:limit]


def call(name: str, **args: object) -> ToolCall:
    return ToolCall(name=name, args=args, id="c1", type="tool_call")


async def test_more_calls_than_allowed_at_once_are_refused() -> None:
    web = web_tool(Encyclopedia(), 5)
    answers = await run_tool_calls([call("search_web", query="q")] * (MAX_CALLS + 1), {web.name: web}, EMPTY)
    assert [answer.status for answer in answers] == ["success"] * MAX_CALLS + ["error"]


@pytest.mark.req("P14")
def test_an_installed_package_can_add_a_provider_of_web_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "more_search-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: more-search\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[stemma.web_search]\nbooks = more_search:Books\n")
    (tmp_path / "more_search.py").write_text(
        "class Books:\n    def __init__(self, settings): self.url = settings.url\n"
    )
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    provider = find_provider(WebSearchSettings(provider="books", url="shelf"))
    assert (type(provider).__name__, vars(provider)) == ("Books", {"url": "shelf"})


def test_an_installed_package_can_add_a_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "more_graphs-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: more-graphs\nVersion: 1\n")
    (package / "entry_points.txt").write_text(
        "[stemma.graphs]\nsecond = stemma_generation_graph.graphs.registry:SECTION\n"
    )
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    graphs = find_graphs()
    assert graphs["second"] is graphs["section"]


@pytest.mark.req("E8")
async def test_nodes_and_tools_are_logged_by_name_and_without_text(workshop: Workshop) -> None:
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


@pytest.mark.req("R10")
async def test_every_graph_is_compiled_once_however_often_it_runs(workshop: Workshop) -> None:
    built = []

    def build(deps: GraphDeps) -> Any:
        built.append(deps)
        return SECTION.build(deps)

    answer = ["# Approach\n\nWe build.\n", evaluation("approach")]
    tools = workshop.tools(ScriptedModel(script=answer * 2))
    tools = replace(tools, runner=Runner({"section": replace(SECTION, build=build)}, tools.deps, None))
    for number in (1, 2):
        await on_generate_section(await workshop.job("approach", job_id=f"doc.{number}.generate.approach"), tools=tools)
    assert len(built) == 1
