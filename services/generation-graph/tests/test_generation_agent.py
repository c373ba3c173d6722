"""The document agent from its inputs to its document, with a scripted model: every branch of its routing."""

from itertools import pairwise
from typing import Any

import pytest
from generation_agency import (
    CHAPTER,
    CLEAN,
    EDIT,
    EDIT_AGAIN,
    FINISH,
    SAVE,
    SCORES,
    WHOLE,
    Agency,
    append,
    call,
    issues,
    message,
)
from generation_workshop import Workshop
from langchain_core.messages import AIMessage, InvalidToolCall, ToolMessage
from stemma_contracts.v1.coverage import LeftOutList
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.needs import NeedAnswer
from stemma_generation_graph.graphs.document_agent.checking import _key
from stemma_generation_graph.graphs.document_agent.steps import OTHER_STEP
from stemma_generation_graph.graphs.document_agent.tools import get_tools
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.settings import MAX_STEPS, RECURSION_LIMIT, AgentLimits, AnswerLimits
from structlog.testing import capture_logs

TWO_FILES = {"a.md": "# A\n\nOne.\n\n# B\n\nTwo.\n", "c.md": "# C\n\nThree.\n"}


def told(agency: Agency, step: int) -> list[str]:
    """What the tools answered, as the prompt of a step shows it, without the situation at its end."""
    found = [str(m.content) for m in agency.model.prompts[step] if isinstance(m, ToolMessage)]
    return [text.partition("\n\n<document ")[0] for text in found]


@pytest.mark.req("G8", "G17", "M1")
async def test_what_is_found_is_fixed_by_prompts_that_begin_with_all_but_the_situation_of_the_one_before() -> None:
    agency = Agency(reports=[issues(3), CLEAN])
    outcome = await agency.run([call("list_files"), append(CHAPTER), SAVE, EDIT, SAVE, FINISH, SCORES])
    assert ["line 3: Blank lines (MD022)" in agency.model.prompt_text(step) for step in (3, 5)] == [True, False]
    assert "made of stone" in await agency.workshop.read(outcome.draft)
    assert agency.state["fix_attempts"] == 0
    prompts = ["\n".join(str(m.content) for m in prompt) for prompt in agency.model.prompts[:-1]]
    assert len(prompts) == 6
    for before, after in pairwise(prompts):
        same, where, _ = before.rpartition("\n\n<document ")
        assert where
        assert after.startswith(same)


@pytest.mark.req("G17", "G8", "G13", "G2")
async def test_a_chapter_is_written_checked_saved_and_converted() -> None:
    agency = Agency()
    with capture_logs() as logs:
        outcome = await agency.run(WHOLE)
    visited = [line["node"] for line in logs if line["event"] == "node_finished" and line["node"] != "scan_assets"]
    first = [node for at, node in enumerate(visited) if visited[at - 1] != node]
    assert first == [
        *"agent tools agent tools agent tools agent tools validate_md checkpoint agent tools".split(),
        "parse_to_json",
        "convert_docx",
        "evaluate",
    ]
    assert [need.kind for need in agency.needs] == ["validation", "conversion", "conversion"]
    assert [need.format for need in agency.needs[1:]] == [ExportFormat.JSON, ExportFormat.DOCX]
    assert await agency.workshop.read(outcome.draft) == CHAPTER + "\n"
    assert outcome.evaluation.passed
    assert (outcome.partial, outcome.warnings, outcome.assets) == (False, (), ())
    state = agency.state
    assert (state["current_chapter"], state["current_file_index"], state["fix_attempts"]) == (1, 1, 0)
    assert (state["structure_json_path"], state["output_docx_path"]) == ("structure.json", "output.docx")
    assert {"structure.json", "output.docx", "temp_output.md", "inputs/site.md"} <= set(state["manifest"])


@pytest.mark.req("G8", "G17")
async def test_the_fourth_failed_check_ends_with_the_issues_in_the_result() -> None:
    agency = Agency(reports=[issues(3), issues(3), issues(3), issues(3, 5)])
    edits = [call("edit_markdown_line", line_number=5, new_content=f"The quay is {n} m long.") for n in (1, 2, 3)]
    tries = [SAVE, edits[0], SAVE, edits[1], SAVE, edits[2], SAVE]
    outcome = await agency.run([append(CHAPTER), *tries, FINISH, SCORES])
    assert len(agency.validated) == 4
    assert [(w.code, w.count, w.detail) for w in outcome.warnings] == [("validation_issues", 2, "chapter 1: MD022")]
    assert [issue["line_number"] for issue in agency.state["validation_issues"]] == [3, 5]
    assert (agency.state["validation_passed"], agency.state["current_chapter"]) == (False, 1)
    assert [name for name in agency.state["manifest"] if "chapter_1" in name], "the chapter is saved with its issues"


@pytest.mark.req("T2", "G8")
async def test_a_chapter_that_is_saved_again_as_it_was_keeps_its_issues_at_once() -> None:
    agency = Agency(reports=[issues(3)])
    outcome = await agency.run([append(CHAPTER), SAVE, SAVE, FINISH, SCORES])
    assert len(agency.validated) == 1
    assert [(w.code, w.count, w.detail) for w in outcome.warnings] == [("validation_issues", 1, "chapter 1: MD022")]


@pytest.mark.req("T2", "G8")
async def test_a_check_that_passed_is_not_asked_for_again_of_the_same_text() -> None:
    agency = Agency()
    check = call("validate_markdown")
    outcome = await agency.run([append(CHAPTER), check, SAVE, check, FINISH, SCORES])
    assert len(agency.validated) == 1
    assert told(agency, 2)[-1] == told(agency, 4)[-1] == "No issues were found."
    assert (outcome.warnings, agency.state["current_chapter"]) == ((), 1)


@pytest.mark.req("T2", "G8")
async def test_a_chapter_is_checked_by_itself_under_the_headings_above_it_and_the_whole_with_the_last_one(
    workshop: Workshop,
) -> None:
    fixed = await workshop.store("# D\n\n## A\n\n## B\n\n*Two*.\n")
    mended = issues(7).model_copy(update={"fixed": fixed})
    agency = Agency(workshop, limits=AgentLimits(max_fix_attempts=0), reports=[CLEAN, mended, CLEAN])
    script = [append("# D\n\n## A\n\nOne."), SAVE, append("## B\n\n_Two_."), SAVE, append("## C\n\nThree."), SAVE]
    outcome = await agency.run([*script, FINISH, SCORES], TWO_FILES)
    whole = "# D\n\n## A\n\nOne.\n\n## B\n\n*Two*.\n\n## C\n\nThree.\n"
    assert agency.validated == ["# D\n\n## A\n\nOne.\n", "# D\n\n## A\n\n## B\n\n_Two_.\n", whole]
    assert [need.excerpt for need in agency.needs] == [True, True, False, False, False]
    assert await workshop.read(outcome.draft) == whole
    assert agency.state["accepted_issues"] == [_key(issues(9).issues[0], whole.split("\n"))], "its line in the draft"


@pytest.mark.req("T2", "G8")
async def test_what_was_settled_is_checked_again_when_it_was_changed() -> None:
    agency = Agency()
    change = call("edit_markdown_line", line_number=5, new_content="One, changed.")
    script = [append("# D\n\n## A\n\nOne."), SAVE, append("## B\n\nTwo."), change, SAVE]
    await agency.run([*script, append("One.\n\n## C\n\nThree."), SAVE, FINISH, SCORES], TWO_FILES)
    assert agency.validated[1] == "# D\n\n## A\n\nOne, changed.\n\n## B\n\nTwo.\n"


@pytest.mark.req("T2", "G8")
async def test_what_one_chapter_keeps_is_not_held_against_the_next_one_and_not_shown_to_the_agent_again() -> None:
    kept = issues(1)
    agency = Agency(limits=AgentLimits(max_fix_attempts=0), reports=[kept, issues(1, 7), issues(1, 9)])
    script = [append("# D\n\n## A\n\nOne."), SAVE, append("## B\n\nTwo."), SAVE, append("## C\n\nThree."), SAVE]
    outcome = await agency.run([*script, FINISH, SCORES], TWO_FILES)
    assert [(w.code, w.count, w.detail) for w in outcome.warnings] == [
        ("validation_issues", 1, "chapter 1: MD022"),
        ("validation_issues", 1, "chapter 2: MD022"),
    ]
    assert "<issues>" not in agency.model.prompt_text(2)
    assert agency.state["current_chapter"] == 3
    assert agency.state["validation_passed"], "the third chapter has no issue of its own"


@pytest.mark.req("G8")
async def test_the_cap_can_end_the_document() -> None:
    limits = AgentLimits(max_fix_attempts=0, on_fix_bound="parse_to_json")
    agency = Agency(limits=limits, reports=[issues(1)])
    outcome = await agency.run([append("# D\n\n## A\n\nOne."), SAVE, SCORES], TWO_FILES)
    assert [(w.code, w.count) for w in outcome.warnings] == [("validation_issues", 1), ("unfinished_chapters", 2)]


@pytest.mark.req("G8")
async def test_the_cap_can_lead_to_the_error_handler() -> None:
    limits = AgentLimits(max_fix_attempts=0, max_retries=1, on_fix_bound="error_handler")
    agency = Agency(limits=limits, reports=[issues(3), issues(3)])
    outcome = await agency.run([append(CHAPTER), SAVE, SAVE])
    assert outcome.partial
    assert agency.state["error_type"] == "validation"


@pytest.mark.req("G7", "G6")
async def test_a_check_that_is_asked_for_saves_nothing_counts_nothing_and_answers_its_call() -> None:
    agency = Agency(reports=[issues(2)])
    await agency.run([append(CHAPTER), call("validate_markdown"), FINISH, SCORES])
    assert told(agency, 2)[-1] == "line 2: Blank lines (MD022)"
    assert not [name for name in agency.state["manifest"] if name.startswith("checkpoints/")]
    assert agency.state["fix_attempts"] == 0


@pytest.mark.req("G10", "G17", "G6")
async def test_a_question_in_the_middle_is_answered_in_the_next_call() -> None:
    agency = Agency(answers=["It is 41 m."])
    ask = call("request_human_input", question="How long is the quay?")
    outcome = await agency.run([ask, append(CHAPTER), SAVE, FINISH, SCORES])
    assert agency.questions == ["How long is the quay?"]
    assert told(agency, 1) == ["It is 41 m."]
    assert agency.state["pending_question"] == ""
    assert not outcome.partial


@pytest.mark.req("G6")
async def test_two_tools_in_one_message_are_both_answered_and_two_pauses_are_not_taken() -> None:
    agency = Agency()
    pauses = message(("validate_markdown", {}), ("request_human_input", {"question": "Why?"}))
    await agency.run(
        [message(("list_files", {}), ("append_to_markdown", {"content": CHAPTER})), pauses, FINISH, SCORES]
    )
    assert told(agency, 1) == ["site.md (to read)", "Added; the document has 5 lines."]
    assert {
        "No issues were found.",
        "One validation or question at a time: call it again in your next message.",
    } == set(told(agency, 2)[2:])


@pytest.mark.req("T1", "G7", "G11")
async def test_a_message_without_a_tool_call_is_a_step_and_ends_the_work_once_everything_is_written() -> None:
    agency = Agency()
    outcome = await agency.run(["I think about it.", append(CHAPTER), SAVE, "The document is complete.", SCORES])
    assert (agency.state["agent_steps"], outcome.warnings) == (4, ())
    assert [(check.check, check.passed) for check in outcome.evaluation.checks] == [("coverage", True)]
    told = agency.model.prompt_text(1)
    assert '`site.md`, "Site", line 3: nothing of it is there' in told
    assert "call finish when the document is complete" in told


@pytest.mark.req("T1", "G7")
async def test_finish_is_answered_with_what_is_missing_until_it_is_written_or_left_out() -> None:
    agency = Agency()
    leave = call("leave_out", file="c.md", heading="C", reason="The client has it already.")
    script = [append("# D\n\n## A\n\nOne."), FINISH, append("## B\n\nTwo."), FINISH, leave, FINISH, SCORES]
    outcome = await agency.run(script, TWO_FILES)
    first, second = told(agency, 2)[-1], told(agency, 4)[-1]
    assert '`a.md`, "B"' in first
    assert '`c.md`, "C"' in second
    assert "`a.md`" not in second
    assert outcome.left_out is not None
    named = LeftOutList.model_validate_json(await agency.workshop.read(outcome.left_out))
    assert [(entry.file, entry.heading) for entry in named.left_out] == [("c.md", "C")]


@pytest.mark.req("T2", "G7")
async def test_finish_beside_a_check_that_fails_does_not_end_the_run() -> None:
    agency = Agency(reports=[issues(3), CLEAN])
    both = message(("finish", {}), ("create_checkpoint", {"label": "x"}))
    outcome = await agency.run([append(CHAPTER), both, EDIT, SAVE, FINISH, SCORES])
    assert "call finish by itself" in "\n".join(told(agency, 2))
    assert outcome.warnings == ()


BROKEN_CALL = InvalidToolCall(
    name="append_to_markdown", args='{"content": "# D', id=None, error=None, type="invalid_tool_call"
)


@pytest.mark.req("G6", "G7")
async def test_a_call_with_broken_json_is_answered_and_gets_another_step() -> None:
    agency = Agency()
    alone = AIMessage("", invalid_tool_calls=[BROKEN_CALL])
    beside = AIMessage("", tool_calls=call("list_files").tool_calls, invalid_tool_calls=[BROKEN_CALL])
    outcome = await agency.run([alone, beside, append(CHAPTER), SAVE, FINISH, SCORES])
    assert "no JSON object" in told(agency, 1)[0]
    assert ["site.md" in text for text in told(agency, 2)] == [False, True, False]
    for prompt in agency.model.prompts[:-1]:
        called = [str(c["id"]) for m in prompt if isinstance(m, AIMessage) for c in m.tool_calls]
        assert sorted(called) == sorted(m.tool_call_id for m in prompt if isinstance(m, ToolMessage))
        assert not any(m.invalid_tool_calls for m in prompt if isinstance(m, AIMessage))
    assert outcome.warnings == ()


@pytest.mark.req("G11", "G17")
async def test_an_endless_loop_can_end_at_the_bound_with_a_warning() -> None:
    agency = Agency(limits=AgentLimits(max_agent_steps=4, on_step_bound="complete"))
    outcome = await agency.run([append(f"Line {n}.") for n in range(4)] + [SCORES])
    assert [(w.code, w.count) for w in outcome.warnings] == [("step_bound", 4), ("unfinished_chapters", 1)]
    assert not outcome.partial


IN_CIRCLES = {
    "the same call": [append(CHAPTER), *[call("list_files")] * 4],
    "no call": [AIMessage("The document is as it was."), AIMessage("It is."), AIMessage("Done."), AIMessage("Well.")],
    "an edit and back": [append(CHAPTER), EDIT, EDIT_AGAIN, EDIT, EDIT_AGAIN, EDIT],
}


@pytest.mark.req("M6", "G11")
@pytest.mark.parametrize("steps", IN_CIRCLES.values(), ids=IN_CIRCLES)
async def test_an_agent_that_goes_in_circles_is_told_once_and_then_a_person_is_asked(steps: list[AIMessage]) -> None:
    agency = Agency(answers=["end here"])
    outcome = await agency.run([*steps, SCORES])
    assert "The agent makes no progress: its last 3 steps" in agency.questions[0]
    assert agency.needs[0].forms == ("go on", "end here")
    assert agency.model.options[0]["max_tokens"] == AnswerLimits().section
    told = [OTHER_STEP in agency.model.prompt_text(number) for number in range(len(steps))]
    assert (told.count(True), told[-1]) == (1, True)
    assert outcome.warnings[0].code == "step_bound"


@pytest.mark.req("M6", "G11")
async def test_an_agent_that_a_person_lets_go_on_may_do_again_what_it_did() -> None:
    agency = Agency(answers=["go on"])
    await agency.run([*[call("list_files")] * 4, append(CHAPTER), SAVE, FINISH, SCORES])
    assert len(agency.questions) == 1


@pytest.mark.req("T2", "G11")
async def test_at_the_bound_a_person_is_asked_and_the_agent_goes_on_with_as_many_steps_again() -> None:
    agency = Agency(limits=AgentLimits(max_agent_steps=2), answers=["Go on."])
    outcome = await agency.run([call("list_files"), append(CHAPTER), SAVE, FINISH, SCORES])
    assert "2 steps, which is its bound; 0 of 1 chapters are done" in agency.questions[0]
    assert agency.needs[0].forms == ("go on", "end here")
    assert (outcome.warnings, agency.state["extra_steps"]) == ((), 2)


@pytest.mark.req("T2", "G11")
def test_the_bound_grows_with_the_chapters_beyond_the_fifth() -> None:
    limits = AgentLimits()
    assert [limits.steps_for(chapters) for chapters in (0, 5, 6, 45)] == [100, 100, 120, 900]
    assert AgentLimits(max_agent_steps=MAX_STEPS).steps_for(1000) == MAX_STEPS


@pytest.mark.req("G10", "G11")
async def test_an_answer_that_is_not_understood_changes_nothing_and_is_asked_for_again() -> None:
    hostile: list[str | NeedAnswer] = ["", "yes; rm -rf /", "go onwards", NeedAnswer(decisions={"x": "skip"})]
    agency = Agency(limits=AgentLimits(max_agent_steps=1), answers=[*hostile, " END  here"])
    outcome = await agency.run([append("# D"), SCORES])
    assert (len(agency.questions), len(set(agency.questions)), agency.model.calls) == (5, 1, 2)
    assert [(w.code, w.count) for w in outcome.warnings] == [("step_bound", 1), ("unfinished_chapters", 1)]
    assert not outcome.evaluation.checks[0].passed


@pytest.mark.req("G11")
async def test_our_bound_speaks_before_that_of_langgraph_also_when_each_step_is_checked() -> None:
    assert MAX_STEPS * len(("agent", "tools", "validate_md", "checkpoint", "error_handler")) < RECURSION_LIMIT
    assert find_graphs()["document_agent"].recursion_limit == RECURSION_LIMIT


@pytest.mark.req("G11")
async def test_the_bound_can_fail_and_then_what_there_is_comes_as_partial() -> None:
    agency = Agency(limits=AgentLimits(max_agent_steps=2, on_step_bound="fail"))
    outcome = await agency.run([append(CHAPTER), call("list_files")])
    assert outcome.partial
    assert agency.state["error_type"] == "step_bound"
    assert await agency.workshop.read(outcome.draft) == CHAPTER + "\n"


@pytest.mark.req("G5", "G15")
async def test_chapter_and_file_advance_with_their_checkpoints_and_nothing_is_written_twice() -> None:
    agency = Agency(reports=[CLEAN, issues(5), CLEAN, CLEAN])
    mend = call("edit_markdown_line", line_number=9, new_content="Two.\n\nThat is all.")
    script = [append("# D\n\n## A\n\nOne."), SAVE, append("## B\n\nTwo."), SAVE, mend, SAVE]
    script += [append("## C\n\nThree."), SAVE, FINISH]
    outcome = await agency.run([*script, SCORES], TWO_FILES)
    assert {tool["function"]["name"] for tool in agency.model.options[0]["tools"]} == set(get_tools("s-1"))
    for rule in ("one heading of level 1", "Never invent a figure", "When to ask the person"):
        assert rule in agency.model.prompt_text(0)
    positions = [agency.model.prompt_text(step).split('<document lines="')[1] for step in range(len(script))]
    said = [text.split(">\n")[0].split(">")[1].split("<")[0] for text in positions]
    assert said[:3] == ["Chapter 1 of 3, file 1 of 2.", "Chapter 1 of 3, file 1 of 2.", "Chapter 2 of 3, file 1 of 2."]
    assert said[4] == "Chapter 2 of 3, file 1 of 2.", "a chapter whose check failed is not done"
    assert said[6] == "Chapter 3 of 3, file 2 of 2."
    assert said[8] == "All chapters are done: call finish."
    assert (await agency.workshop.read(outcome.draft)).count("Two.") == 1


@pytest.mark.req("G5")
@pytest.mark.parametrize(("limits", "holds", "most"), [({"history_tokens": 600}, None, 600), ({}, 9000, 3000)])
async def test_the_history_is_held_under_its_limit_and_calls_stay_with_their_answers(
    limits: dict[str, int], holds: int | None, most: int
) -> None:
    agency = Agency(limits=AgentLimits.model_validate(limits))
    long = "# Long\n\n" + "The quay is 40 m long. " * (most // 10)
    steps: list[Any] = [step for n in range(3) for step in (call("read_file", file_name="long.md"), append(f"{n}."))]
    await agency.run([*steps, append(CHAPTER), FINISH, SCORES], {"long.md": long}, holds)
    for prompt in agency.model.prompts[:-1]:
        history = prompt[2:]
        assert sum(len(str(m.content)) for m in history) < most * 4
        assert not history or isinstance(history[0], AIMessage)


@pytest.mark.req("G4")
async def test_bad_arguments_and_an_unknown_tool_are_told_and_change_nothing() -> None:
    agency = Agency()
    bad = [call("read_file", file_name="../etc/passwd"), call("no_such_tool"), call("append_to_markdown", text="x")]
    await agency.run([*bad, append(CHAPTER), FINISH, SCORES])
    answers = told(agency, 3)
    assert answers[0] == "There is no such file to read; list_files gives the names."
    assert answers[1].startswith("There is no such tool; there are: list_files, read_file")
    assert answers[2].startswith("The arguments do not fit: content: Field required")
