"""The tools of the document agent: hostile arguments, parts of long files, checkpoints exact to the byte."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from generation_agency import ONE_FILE, call
from generation_workshop import HEAD, Workshop
from langchain_core.messages import ToolMessage
from stemma_generation_graph.graphs.document_agent.session import (
    CHECKPOINTS,
    DRAFT,
    Session,
    new_checkpoint_id,
    new_manifest,
)
from stemma_generation_graph.graphs.document_agent.tools import (
    MAX_DRAFT_CHARS,
    MAX_LEFT_OUT,
    PAGE_CHARS,
    TOOLS,
    ToolContext,
    get_tools,
)
from stemma_generation_graph.sources import Library
from stemma_generation_graph.tools import run_tool_calls, tool_name

HOSTILE = ("../etc/passwd", "..", "/", "\\", "inputs/site.md", "temp_output.md", "", " ", "\x00", "a" * 500)
FITTING: dict[str, dict[str, Any]] = {
    "edit_markdown_line": {"line_number": 1},
    "leave_out": {"file": "site.md", "heading": "Site", "reason": "Not asked for."},
}
NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
TEXT_ARGUMENTS = [
    (tool_name(tool), name)
    for tool in TOOLS
    for name, argument in tool.model_fields.items()
    if argument.annotation is str
]


class Bench:
    """The tools on a session over a store in memory."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.live: list[str] = []
        self.work = ToolContext(session, {}, 0, NOW, self._live, self._open_words)
        self.lacks = ""

    async def _live(self, text: str) -> None:
        self.live.append(text)

    async def _open_words(self) -> str:
        return self.lacks

    async def __call__(self, name: str, **arguments: Any) -> ToolMessage | None:
        answers = await run_tool_calls(call(name, **arguments).tool_calls, get_tools("session"), self.work)
        return answers[0] if answers else None

    async def told(self, name: str, **arguments: Any) -> str:
        answer = await self(name, **arguments)
        return str(answer.content) if answer else ""


@pytest.fixture
async def bench(workshop: Workshop) -> Bench:
    inputs = await workshop.inputs({**ONE_FILE, "deep/er/notes.md": "# Notes\n", "media/plan.png": b"\x89PNG"})
    return Bench(Session("session", HEAD, new_manifest(inputs), Library(workshop.artifacts)))


@pytest.mark.req("G4")
@pytest.mark.parametrize(("tool", "argument"), TEXT_ARGUMENTS)
async def test_no_argument_leads_out_of_the_session(bench: Bench, tool: str, argument: str) -> None:
    before = dict(bench.session.manifest)
    for value in HOSTILE:
        bench.session.manifest = dict(before)
        bench.work.marks.clear()
        await stays_in_the_session(bench, tool, argument, value)


async def stays_in_the_session(bench: Bench, tool: str, argument: str, value: str) -> None:
    before = dict(bench.session.manifest)
    answer = await bench(tool, **{**FITTING.get(tool, {}), argument: value})
    if tool == "append_to_markdown" and answer is not None and answer.status == "success":
        assert set(bench.session.manifest) - set(before) == {DRAFT}, "a text is a text, whatever it says"
    elif tool == "create_checkpoint" and answer is not None and answer.status == "success":
        [checkpoint] = bench.session.names(CHECKPOINTS)
        assert not set("/\\. ") & set(checkpoint.removesuffix(".md"))
    elif argument in ("question", "reason") or (argument, value.strip()) == ("heading", ""):
        assert bench.session.manifest == before, "words are words, and an empty heading is the whole file"
    else:
        assert answer is not None
        assert answer.status == "error"
        assert bench.session.manifest == before


@pytest.mark.req("G4")
def test_the_tools_of_a_session_have_their_names_and_arguments_and_none_takes_a_session() -> None:
    arguments = {name: " ".join(tool.arguments.model_fields) for name, tool in get_tools("s-1").items()}
    assert arguments == {
        "list_files": "",
        "read_file": "file_name from_line",
        "read_generated_file": "from_line",
        "append_to_markdown": "content",
        "edit_markdown_line": "line_number new_content",
        "create_checkpoint": "label",
        "rollback_to_checkpoint": "checkpoint_id",
        "validate_markdown": "",
        "request_human_input": "question",
        "leave_out": "file heading reason",
        "finish": "",
    }


@pytest.mark.req("G4")
async def test_files_are_listed_under_bare_names_and_can_be_read_by_them(bench: Bench) -> None:
    listed = (await bench.told("list_files")).splitlines()
    assert listed == ["site.md (to read)", "deep__er__notes.md (to read)", "media/plan.png (image)"]
    assert await bench.told("read_file", file_name="deep__er__notes.md") == "lines 1 to 1 of 1\n\n# Notes"
    image = await bench("read_file", file_name="media/plan.png")
    assert image is not None
    assert image.status == "error"


@pytest.mark.req("G4")
async def test_a_long_file_comes_in_parts_of_whole_lines(bench: Bench, workshop: Workshop) -> None:
    lines = [f"Line {n} of the file." for n in range(1, 601)]
    [file] = await workshop.inputs({"long.md": "\n".join(lines)})
    bench.session.put("inputs/long.md", file.artifact)
    read, first = list[str](), 1
    while first <= len(lines):
        part = await bench.told("read_file", file_name="long.md", from_line=first)
        assert len(part) <= PAGE_CHARS + 100
        read += part.split("\n")[2:]
        first = len(read) + 1
    assert read == lines
    assert "beyond the end" in await bench.told("read_file", file_name="long.md", from_line=first)


@pytest.mark.req("G4")
async def test_a_line_is_replaced_removed_or_made_several_and_must_be_there(bench: Bench) -> None:
    assert "0 lines" in await bench.told("edit_markdown_line", line_number=1, new_content="x")
    await bench.told("append_to_markdown", content="# D\r\n\r\none\r\ntwo\r\n")
    await bench.told("edit_markdown_line", line_number=3, new_content="1\n\n2")
    await bench.told("edit_markdown_line", line_number=6, new_content="")
    assert await bench.session.text(DRAFT) == "# D\n\n1\n\n2\n"
    for line in (0, -1, 6, 10**9):
        answer = await bench("edit_markdown_line", line_number=line, new_content="x")
        assert answer is not None
        assert answer.status == "error"
    assert await bench.told("read_generated_file") == "lines 1 to 5 of 5\n\n1: # D\n2: \n3: 1\n4: \n5: 2"


@pytest.mark.req("G15")
async def test_what_the_document_ends_with_is_not_added_again_nor_more_than_it_may_hold(bench: Bench) -> None:
    await bench.told("append_to_markdown", content="# D\n\nOne.")
    assert "ends with exactly this" in await bench.told("append_to_markdown", content="One.")
    assert bench.live == ["# D\n\nOne.\n\n"]
    await bench.session.write(DRAFT, "x" * MAX_DRAFT_CHARS)
    assert "longer than" in await bench.told("append_to_markdown", content="One.")


@pytest.mark.req("G9", "G14")
async def test_a_rollback_goes_back_to_the_checkpoint_that_is_named_to_the_byte(bench: Bench) -> None:
    kept = ("# Ä\n\n| a | b |\n| - | - |\n| 1 |   |\n\n\u00a0\t`x`  \nend", "# two\n", "# three\n")
    for label, text in zip(("one: Ä/ö!", "two", "three"), kept, strict=True):
        await bench.session.write(DRAFT, text)
        await bench.told("create_checkpoint", label=label)
    ids = bench.session.names(CHECKPOINTS)
    assert ids[0] == "20260314_092653_one.md"
    for number in (1, 2, 0):
        await bench.session.write(DRAFT, "# other\n")
        told = await bench.told("rollback_to_checkpoint", checkpoint_id=ids[number])
        assert (told, await bench.session.text(DRAFT)) == (f"Restored {ids[number]}", kept[number])
    for none in ("20260314_092653_none.md", "../x.md", "temp_output.md", "inputs/site.md"):
        assert await bench.told("rollback_to_checkpoint", checkpoint_id=none) == "Checkpoint not found"
        assert bench.session.restore_from_checkpoint("session", none) is False


@pytest.mark.req("G9", "G14")
async def test_a_rollback_goes_back_to_the_chapter_and_is_what_a_later_failure_goes_back_to(bench: Bench) -> None:
    await bench.told("create_checkpoint", label="first")
    [first] = bench.session.names(CHECKPOINTS)
    bench.work.current_chapter = 2
    await bench.told("create_checkpoint", label="third")
    await bench.told("rollback_to_checkpoint", checkpoint_id=first)
    assert bench.work.marks["last_checkpoint_id"] == first
    await bench.told("create_checkpoint", label="again")
    assert bench.work.checkpoint_chapters[bench.session.names(CHECKPOINTS)[-1]] == 0


@pytest.mark.req("G9")
async def test_two_checkpoints_of_one_second_differ_and_the_oldest_go_but_never_the_last(bench: Bench) -> None:
    await bench.session.write(DRAFT, "# D\n")
    ids = [await bench.session.snapshot("chapter_1", NOW) for _ in range(3)]
    stem = "20260314_092653_chapter_1"
    assert ids == [f"{stem}.md", f"{stem}_2.md", f"{stem}_3.md"]
    assert all(bench.session.restore_from_checkpoint("session", name) for name in ids)
    assert not any(bench.session.restore_from_checkpoint("another", name) for name in ids)
    bench.session.prune_checkpoints(2)
    assert bench.session.names(CHECKPOINTS) == ids[1:]
    bench.session.prune_checkpoints(0)
    assert bench.session.names(CHECKPOINTS) == ids[2:]
    later = new_checkpoint_id("chapter_1", NOW + timedelta(seconds=1), ids)
    assert later == "20260314_092654_chapter_1.md"


@pytest.mark.req("G4")
async def test_the_tools_of_a_session_refuse_the_workbench_of_another(bench: Bench) -> None:
    [answer] = await run_tool_calls(call("list_files").tool_calls, get_tools("other"), bench.work)
    assert (answer.status, answer.content) == ("error", "This tool belongs to another session.")


@pytest.mark.req("G4", "T1")
async def test_a_chapter_is_left_out_by_a_heading_that_its_file_has_and_the_file_by_none(bench: Bench) -> None:
    told = await bench.told("leave_out", file="site.md", heading=" site ", reason="Not asked for.")
    assert told.startswith("Left out: Site.")
    await bench.told("leave_out", file="media/plan.png", heading="", reason="A drawing.")
    assert bench.work.marks["left_out"] == [
        {"file": "site.md", "heading": "Site", "reason": "Not asked for."},
        {"file": "media/plan.png", "heading": "", "reason": "A drawing."},
    ]
    assert "it has: Site" in await bench.told("leave_out", file="site.md", heading="Quay", reason="No.")
    assert "no words" in await bench.told("leave_out", file="site.md", heading="", reason=" \n")


@pytest.mark.req("G4", "T1")
async def test_a_file_that_is_left_out_takes_the_place_of_its_chapters_at_the_bound_too(bench: Bench) -> None:
    chapter = {"file": "site.md", "heading": "Site", "reason": "No."}
    other = [{"file": f"{number}.md", "heading": "", "reason": "No."} for number in range(MAX_LEFT_OUT - 1)]
    bench.work.left_out = [*other, chapter]
    assert "At most" in await bench.told("leave_out", file="media/plan.png", heading="", reason="A drawing.")
    assert await bench.told("leave_out", file="site.md", heading="", reason="All.") == (
        "Left out: the whole file. The person is told, with the reason."
    )
    assert bench.work.left_out == [*other, {"file": "site.md", "heading": "", "reason": "All."}]
