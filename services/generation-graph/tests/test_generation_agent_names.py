"""The public names of the document agent, as the requirements give them: each literally."""

import inspect
import typing

import pytest
from generation_agency import Agency, call
from stemma_generation_graph.deps import RunContext
from stemma_generation_graph.graphs.document_agent.session import DRAFT
from stemma_generation_graph.graphs.document_agent.state import build_initial_state
from stemma_generation_graph.graphs.document_agent.tools import get_tools
from stemma_generation_graph.runner import Finished, GenerateResult, Paused, Runner
from stemma_generation_graph.settings import AgentLimits
from stemma_models import call_context
from stemma_telemetry.names import Log, Metric
from stemma_testkit.scripted import ScriptedModel


async def nobody_listens(_: str) -> None:
    """Live text goes nowhere."""


def parameters(function: object) -> list[str]:
    assert callable(function)
    return list(inspect.signature(function).parameters)


@pytest.mark.req("G1")
def test_the_state_is_built_from_the_session_and_its_files() -> None:
    assert parameters(build_initial_state) == ["session_id", "input_files"]


@pytest.mark.req("G2")
async def test_a_run_comes_to_a_generate_result_that_is_a_pause_or_an_end() -> None:
    assert set(typing.get_args(GenerateResult)) == {Finished, Paused}
    for run in (Runner.start, Runner.resume):
        assert typing.get_type_hints(run)["return"] == GenerateResult
    agency = Agency()
    tools, job = (
        agency.tools(ScriptedModel(script=[call("request_human_input", question="Why?")])),
        await agency.job(),
    )
    context = RunContext(call_context(job, job.thread_id), tools.library, nobody_listens)
    result: GenerateResult = await tools.runner.start(job, context)
    assert isinstance(result, Paused)
    assert (result.asked.kind, result.asked.question) == ("question", "Why?")


@pytest.mark.req("G4")
def test_the_tools_of_a_session_have_their_names_and_arguments_and_none_takes_a_session() -> None:
    assert parameters(get_tools) == ["session_id"]
    arguments = {name: set(tool.arguments.model_fields) for name, tool in get_tools("s-1").items()}
    assert arguments == {
        "list_files": set(),
        "read_file": {"file_name", "from_line"},
        "read_generated_file": {"from_line"},
        "append_to_markdown": {"content"},
        "edit_markdown_line": {"line_number", "new_content"},
        "create_checkpoint": {"label"},
        "rollback_to_checkpoint": {"checkpoint_id"},
        "validate_markdown": set(),
        "request_human_input": {"question"},
        "leave_out": {"file", "heading", "reason"},
        "finish": set(),
    }


@pytest.mark.req("G8", "G11", "G5", "T2")
def test_the_bounds_have_their_names_and_values() -> None:
    assert AgentLimits().model_dump(include={"max_agent_steps", "steps_per_chapter", "on_step_bound"}) == {
        "max_agent_steps": 100,
        "steps_per_chapter": 20,
        "on_step_bound": "human_input",
    }
    assert (AgentLimits().max_fix_attempts, AgentLimits().on_fix_bound) == (3, "checkpoint")
    assert (AgentLimits().step_limit_s, AgentLimits().max_retries) == (60.0, 3)


@pytest.mark.req("G16")
def test_the_log_and_the_counters_have_their_names() -> None:
    logged = [Log.CHECKPOINT_SAVED, Log.VALIDATION_RAN, Log.ROLLBACK_PERFORMED, Log.ROLLBACK_SKIPPED]
    assert logged == ["checkpoint_saved", "validation_ran", "rollback_performed", "rollback_skipped"]
    assert [Metric.VALIDATION_FAILED, Metric.ROLLBACK_PERFORMED] == ["validation_failed", "rollback_performed"]


@pytest.mark.req("G2", "G12")
def test_a_session_has_its_files() -> None:
    assert DRAFT == "temp_output.md"
