"""The document agent before its first node: state, inputs, routing table."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Annotated, get_origin, get_type_hints

import pytest
from generation_agency import CHAPTER, FINISH, ONE_FILE, SAVE, SCORES, Agency, Broken, append, call, issues
from langchain_core.messages import AIMessage
from langgraph.graph import END, START
from stemma_contracts.v1.outcomes import InputsMissing
from stemma_generation_graph.graphs.document_agent import session
from stemma_generation_graph.graphs.document_agent import state as state_module
from stemma_generation_graph.graphs.document_agent.nodes import MAX_TEXT_BYTES, open_session
from stemma_generation_graph.graphs.document_agent.session import chapters_of, outline_of, title_of_file
from stemma_generation_graph.graphs.document_agent.state import (
    ROUTES,
    DocumentState,
    build_initial_state,
    route_after_tools,
)
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.handlers import on_generate_section
from stemma_testkit.counting import calls
from stemma_testkit.scripted import ScriptedModel
from structlog.testing import capture_logs

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.req("G1")
def test_the_initial_state_sets_every_key() -> None:
    state = build_initial_state("s-1", ["a.md", "b.md"])
    assert set(state) == set(DocumentState.__annotations__)
    assert (state["session_id"], state["input_files"], state["status"]) == ("s-1", ["a.md", "b.md"], "scanning_assets")
    assert [name for name, value in state.items() if value] == ["session_id", "input_files", "status"]


@pytest.mark.req("G2", "B1")
async def test_a_session_begins_with_the_inputs_that_are_ours() -> None:
    job = await Agency().job({"rfp.md": "# Demands\n\nIt must float.\n", **ONE_FILE, "media/plan.png": b"\x89PNG"})
    asked, *own = job.inputs
    given = (asked.model_copy(update={"role": "request"}), *own)
    state = open_session(job.model_copy(update={"inputs": given}))
    assert list(state["manifest"]) == ["inputs/site.md", "inputs/media/plan.png"]
    assert (state["input_files"], state["session_id"]) == (["site.md"], job.thread_id)


@pytest.mark.req("G2")
@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "there is no text among the inputs that are ours: give it with the role evidence"),
        (
            {"media/plan.png": b"\x89PNG"},
            "there is no text among the inputs that are ours: give it with the role evidence",
        ),
        (
            {"a.md": "x" * (MAX_TEXT_BYTES + 1)},
            "an input of the kind text/markdown has 2097153 bytes; at most 2097152 are taken",
        ),
    ],
)
async def test_inputs_that_cannot_be_worked_on_are_refused_with_the_reason(
    files: dict[str, str | bytes], words: str
) -> None:
    agency = Agency()
    outcome = await on_generate_section(await agency.job(files), tools=agency.tools(ScriptedModel(script=[])))
    assert isinstance(outcome, InputsMissing)
    assert outcome.detail == words


@pytest.mark.req("G17", "G7")
def test_the_routing_table_beside_the_graph_is_that_of_the_compiled_graph() -> None:
    page = Path(str(state_module.__file__)).with_name("ROUTING.md")
    assert f"({page.relative_to(README.parent)})" in _chapter("The agentic graph")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| `(\w+)` \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    table = [(START.strip("_"), "always", "scan_assets")]
    table += [(route.source, route.when, "END" if route.target == END else route.target) for route in ROUTES]
    assert rows == table
    deps = Agency().tools(ScriptedModel(script=[])).deps
    drawn = find_graphs()["document_agent"].build(deps).compile().get_graph()
    edges = {(edge.source.strip("_"), edge.target.strip("_")) for edge in drawn.edges}
    assert edges == {(source, target.replace("END", "end")) for source, _, target in table}


def _chapter(title: str) -> str:
    text = README.read_text(encoding="utf-8")
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.mark.req("G7")
@pytest.mark.parametrize(
    ("marks", "target"),
    [
        ({"pending_question": "Why?", "checkpoint_created": True, "generation_complete": True}, "human_input"),
        ({"checkpoint_created": True, "validation_requested": True, "generation_complete": True}, "validate_md"),
        ({"validation_requested": True, "generation_complete": True}, "validate_md"),
        ({"generation_complete": True}, "parse_to_json"),
        ({"last_checkpoint_id": "20260314_092653_site.md", "current_file_index": 7}, "agent"),
    ],
)
async def test_after_the_tools_the_first_condition_that_holds_counts(marks: dict[str, object], target: str) -> None:
    state = {**build_initial_state("s-1", ["a.md"]), **marks, "messages": [AIMessage("")]}
    assert await route_after_tools(state) == target  # type: ignore[arg-type]


@pytest.mark.req("G15")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nx\n\n# B\n\ny\n", [("A", 1, 4), ("B", 5, 7)]),
        ("intro\n\n## A\n\n### a\n\n## B\n", [("A", 1, 6), ("B", 7, 7)]),
        ("no heading\n", [("a.md", 1, 1)]),
        ("# A\n\n```md\n# not\n```\n", [("A", 1, 5)]),
        (" \n", []),
        ("# A\n\n" + "x" * 7000 + "\n\n## B\n\ny\n\n## C\n", [("A", 1, 4), ("B", 5, 8), ("C", 9, 9)]),
        ("---\ntitle: A\n---\n\n# A\n\nx\n", [("A", 5, 7)]),
        ("{% set a = 1 %}\n# A\n\n## B\n\ny\n\n## C\n\nz\n", [("A", 2, 7), ("C", 8, 10)]),
    ],
)
def test_a_file_has_the_chapters_that_its_headings_make(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert [(c.title, c.from_line, c.to_line) for c in chapters_of("a.md", text)] == expected


@pytest.mark.req("G15")
def test_each_of_several_files_stands_under_one_heading() -> None:
    files = {
        "a.md": "# A\n\nx\n\n## B\n\ny\n",
        "guides/style_of-code.md": "One.\n\n## C\n\ny\n",
        "d.md": "---\ntitle: 'D: all of it'\n---\n\n# E\n\nx\n\n# F\n\ny\n",
        "e.md": "---\ntitle: [a, b\n---\nx\n",
    }
    outline = [(c.title, c.level, c.depth, c.heading) for c in outline_of(files)]
    assert outline == [
        ("A", 1, 2, ""),
        ("C", 2, 3, "Style of code"),
        ("E", 1, 3, "D: all of it"),
        ("F", 1, 3, ""),
        ("e.md", 1, 3, "E"),
    ]
    [alone] = [outline_of({"d.md": files["d.md"]})]
    assert [(c.title, c.depth, c.heading) for c in alone] == [("E", 2, ""), ("F", 2, "")]


def test_very_many_headings_and_front_matter_of_any_form_are_read_in_bounded_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = ("# T\n\n" + "## A\n\nB.\n\n" * number for number in (100, 400))
    assert calls(lambda: chapters_of("a.md", many)) < 6 * calls(lambda: chapters_of("a.md", few))
    merging = ["title: T\na0: &a0 {x: 1}\n"] + [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 15)]
    few, many = (title_of_file_with("".join(some)) for some in (merging[:8], merging))
    assert calls(lambda: title_of_file("a.md", many)) < 4 * calls(lambda: title_of_file("a.md", few))
    monkeypatch.setattr(session, "MAX_FRONT_MATTER_CHARS", 500)
    few, many = (title_of_file_with("title: T\n" + "a: [1, 2]\n" * number) for number in (60, 240))
    assert calls(lambda: title_of_file("a.md", many)) < 2 * calls(lambda: title_of_file("a.md", few))


def title_of_file_with(front_matter: str) -> str:
    text = f"---\n{front_matter}---\n\nx\n"
    assert title_of_file("a.md", text) == "T"
    return text


@pytest.mark.req("P3", "G1")
async def test_every_field_that_two_nodes_write_in_a_run_has_a_reducer() -> None:
    agency = Agency(answers=["skip"], reports=[issues(1), "JobDead"])
    with capture_logs() as logs:
        asked = call("request_human_input", question="?")
        script = [append(CHAPTER), SAVE, SAVE, SAVE, asked, Broken("no"), FINISH, SCORES]
        agency.answers.append("Yes.")
        await agency.run(script, {"site.md": "![x](x.png)\n"})
    done = [line for line in logs if line["event"] == "node_finished"]
    assert {line["node"] for line in done} == {route.source for route in ROUTES}
    writers: dict[str, set[str]] = defaultdict(set)
    for line in done:
        for name in line["fields"]:
            writers[name].add(line["node"])
    hints = get_type_hints(DocumentState, include_extras=True)
    plain = {name for name in writers if len(writers[name]) > 1 and get_origin(hints[name]) is not Annotated}
    assert plain == set()
