import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from generation_workshop import Workshop, evaluation
from langchain_core.messages import AIMessage, ToolCall
from stemma_generation_graph.graphs import find_graphs
from stemma_generation_graph.graphs.calling import MAX_CALLS, run_tool_calls
from stemma_generation_graph.sources.corpus import Corpus
from stemma_generation_graph.tools.search import SearchWeb, WebResult
from stemma_testkit.scripted import ScriptedModel
from structlog.testing import capture_logs

EMPTY = Corpus([], [])
SECRET = "forty people"


class Encyclopedia:
    """A provider of web search that knows one page."""

    async def search(self, query: str, limit: int) -> Sequence[WebResult]:
        return [WebResult("Ferries", "https://example.org/ferries", f"All about {query}.")][:limit]


def call(name: str, **args: object) -> ToolCall:
    return ToolCall(name=name, args=args, id="c1", type="tool_call")


@pytest.mark.req("P14")
async def test_a_web_search_provider_can_be_plugged_in() -> None:
    web = SearchWeb(Encyclopedia())
    [answer] = await run_tool_calls([call("search_web", query="quays")], {web.name: web}, EMPTY)
    assert answer.content == '<input name="https://example.org/ferries">\nFerries\n\nAll about quays.\n</input>'


async def test_more_calls_than_allowed_at_once_are_refused() -> None:
    web = SearchWeb(Encyclopedia())
    answers = await run_tool_calls([call("search_web", query="q")] * (MAX_CALLS + 1), {web.name: web}, EMPTY)
    assert [answer.status for answer in answers] == ["success"] * MAX_CALLS + ["error"]


def test_an_installed_package_can_add_a_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "more_graphs-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: more-graphs\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[stemma.graphs]\nsecond = stemma_generation_graph.graphs:SECTION\n")
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
        await workshop.run(await workshop.job("research", files={"a.md": SECRET}), script)
    steps = [line.get("node") or line.get("tool") for line in logs]
    assert steps == ["load_context", "generate", "search_inputs", "tools", "generate", "evaluate"]
    assert [line["success"] for line in logs if line["event"] == "tool_called"] == [True]
    assert SECRET not in str(logs)


def test_every_graph_compiles_without_orphans(workshop: Workshop) -> None:
    parts = workshop.desk(ScriptedModel(script=[])).parts
    for graph in find_graphs().values():
        drawn = graph.build(parts).compile().get_graph()
        reached = {edge.target for edge in drawn.edges}
        assert set(drawn.nodes) - reached == {"__start__"}
