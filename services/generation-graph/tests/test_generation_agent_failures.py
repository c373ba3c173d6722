"""Failures of the document agent: classified, rolled back, tried again, and in the end delivered as partial."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import pytest
from generation_agency import CHAPTER, EDIT, EDIT_AGAIN, FINISH, SAVE, SCORES, Agency, Broken, append, call, issues
from generation_company import in_virtual_time
from generation_workshop import RECIPE
from langchain_core.messages import AIMessage, BaseMessage
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from stemma_contracts.v1.jobs import UpstreamDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_generation_graph.graphs.document_agent.nodes import build_document_agent
from stemma_generation_graph.graphs.registry import DOCUMENT_AGENT
from stemma_generation_graph.settings import AgentLimits
from stemma_models.pace import pace_of
from stemma_telemetry.logs import add_bound
from stemma_testkit.scripted import ScriptedModel
from structlog.testing import capture_logs

MORE = "## More\n\nA second chapter that is not saved."


def names(logs: Sequence[Mapping[str, Any]]) -> list[object]:
    return [line["event"] for line in logs if str(line["event"]).startswith("rollback")]


@pytest.mark.req("G14", "G17", "G16")
async def test_after_a_failure_the_text_is_that_of_the_last_checkpoint_to_the_byte_and_all_is_counted() -> None:
    reader = InMemoryMetricReader()
    build = partial(build_document_agent, meter=MeterProvider([reader]).get_meter("test"))
    agency = Agency(graph=replace(DOCUMENT_AGENT, build=build), reports=[issues(3), issues(3)])
    malformed = [AIMessage("")] * 3
    steps = [append(CHAPTER), SAVE, EDIT, SAVE, EDIT_AGAIN, SAVE, append(MORE), *malformed, FINISH, SCORES]
    with capture_logs() as logs:
        outcome = await agency.run(steps)
    assert await agency.workshop.read(outcome.draft) == CHAPTER + "\n"
    assert names(logs) == ["rollback_performed"]
    state = agency.state
    assert (state["error_type"], state["retry_count"], outcome.partial) == ("answer_malformed", 1, False)
    data = reader.get_metrics_data()
    assert data is not None
    metrics = data.resource_metrics[0].scope_metrics[0].metrics
    counted = {metric.name: getattr(metric.data.data_points[0], "value", None) for metric in metrics}
    assert counted == {"validation_failed": 2, "rollback_performed": 1}


@pytest.mark.req("G14")
async def test_a_failure_without_a_checkpoint_skips_the_rollback_and_goes_on_with_the_text() -> None:
    agency = Agency()
    with capture_logs() as logs:
        outcome = await agency.run([append(CHAPTER), Broken("no"), FINISH, SCORES])
    assert names(logs) == ["rollback_skipped"]
    assert await agency.workshop.read(outcome.draft) == CHAPTER + "\n"
    assert (agency.state["error_type"], agency.state["last_error"] != "") == ("model_unavailable", True)


@pytest.mark.req("G14", "G12")
@pytest.mark.failure("agent-fails")
async def test_out_of_retries_what_there_is_comes_as_partial() -> None:
    nothing = Agency(limits=AgentLimits(max_retries=0))
    outcome = await nothing.run([Broken("no")])
    assert await nothing.workshop.read(outcome.draft) == "# Brief\n", "the title stands in the brief"
    agency = Agency()
    outcome = await agency.run([append(CHAPTER), *[Broken("no")] * 4])
    assert outcome.partial
    assert not outcome.evaluation.passed
    assert await agency.workshop.read(outcome.draft) == CHAPTER + "\n"
    assert [w.code for w in outcome.warnings] == ["failure"], "what is written holds all of the input"
    assert agency.state["retry_count"] == 4


@pytest.mark.req("G13", "G14")
@pytest.mark.parametrize("conversions", [["JobDead"], [None, "timed_out"]])
async def test_a_failed_conversion_costs_no_step_of_the_model_and_a_person_has_the_text(
    conversions: list[str | None],
) -> None:
    agency = Agency(conversions=conversions)
    outcome = await agency.run([append(CHAPTER), SAVE, FINISH])
    assert (agency.state["conversion_attempts"], agency.state["error_type"]) == (1, "conversion")
    assert (await agency.workshop.read(outcome.draft), outcome.partial) == (CHAPTER + "\n", True)
    assert [w.code for w in outcome.warnings] == ["failure"]
    assert not outcome.evaluation.judged


@pytest.mark.req("G8", "G14")
@pytest.mark.parametrize("on_fix_bound", ["checkpoint", "parse_to_json", "error_handler"])
async def test_a_check_that_could_not_be_made_costs_no_step_of_the_model_and_a_warning_names_it(
    on_fix_bound: Literal["checkpoint", "parse_to_json", "error_handler"],
) -> None:
    agency = Agency(limits=AgentLimits(on_fix_bound=on_fix_bound), reports=["exception: Stalled"] * 2)
    outcome = await agency.run([append(CHAPTER), SAVE, FINISH, SCORES])
    assert (agency.state["retry_count"], agency.state["current_chapter"]) == (0, 1)
    assert [(w.code, w.detail) for w in outcome.warnings] == [("validation_issues", "chapter 1: STEMMA000")]
    assert not outcome.partial
    assert agency.state["accepted_issues"] == [], "the next chapter that is not checked has not passed"


@pytest.mark.req("G14")
async def test_an_evaluation_that_cannot_be_made_loses_no_draft() -> None:
    agency = Agency()
    job, lost = await agency.job(), ArtifactRef(digest="0" * 64, size=4, media_type="text/markdown", name="lost.md")
    upstream = UpstreamDraft(section_id="site", title="Site", version=1, draft=lost)
    model = ScriptedModel(script=[append(CHAPTER), FINISH])
    outcome = await agency.drive(job.model_copy(update={"upstream": (upstream,)}), model)
    assert await agency.workshop.read(outcome.draft) == CHAPTER + "\n"
    assert (outcome.evaluation.judged, outcome.evaluation.not_judged_reason) == (False, "ArtifactMissing")


@pytest.mark.req("G5", "G14")
async def test_a_step_that_takes_too_long_is_a_failure_of_its_own() -> None:
    class Slow(ScriptedModel):
        async def _agenerate(self, messages: list[BaseMessage], *args: object, **kwargs: object) -> object:  # type: ignore[override]
            if self.calls == 0:
                self._prompts.append(list(messages))
                await asyncio.Event().wait()
            return await super()._agenerate(messages, **kwargs)  # type: ignore[arg-type]

    agency = Agency(limits=AgentLimits(step_limit_s=1))
    await agency.drive(await agency.job(), Slow(script=["", append(CHAPTER), FINISH, SCORES]))
    assert agency.state["error_type"] == "step_timeout"


@pytest.mark.req("G5", "M3")
def test_waiting_for_the_limits_of_a_provider_takes_no_time_from_a_step() -> None:
    agency = Agency(limits=AgentLimits(step_limit_s=1))

    async def run() -> None:
        pace_of(RECIPE).told({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "50s"})
        await agency.run([append(CHAPTER), FINISH, SCORES])

    in_virtual_time(run())
    assert agency.state["error_type"] == ""


@pytest.mark.req("G14", "G9")
async def test_the_agent_can_roll_back_and_the_chapters_after_are_open_again() -> None:
    files = {"a.md": "# A\n\nOne.\n\n# B\n\nTwo.\n"}
    agency = Agency()

    def back(messages: Sequence[BaseMessage]) -> AIMessage:
        shown = str(messages[-1].content)
        assert "Chapter 2 of 2" in shown
        return call("rollback_to_checkpoint", checkpoint_id=shown.split('checkpoint="')[1].split('"')[0])

    script = [append("# D\n\nOne."), SAVE, append("## B"), back, append("Two again."), SAVE, FINISH, SCORES]
    with capture_logs() as logs:
        outcome = await agency.run(script, files)
    assert await agency.workshop.read(outcome.draft) == "# D\n\nOne.\n\nTwo again.\n"
    assert names(logs) == ["rollback_performed"]


@pytest.mark.req("G16", "E8")
async def test_checks_and_checkpoints_are_logged_by_name_with_counts_and_lines_only() -> None:
    agency = Agency(reports=[issues(3, 9)])
    with capture_logs(processors=[add_bound]) as logs:
        await agency.run([append(CHAPTER), SAVE, EDIT, SAVE, FINISH, SCORES])
    named = ("node_finished", "tool_called", "checkpoint_saved", "validation_ran")
    assert {line.get("session_id") for line in logs if line["event"] in named} == {(await agency.job()).thread_id}
    checks = [line for line in logs if line["event"] == "validation_ran"]
    assert [(line["issue_count"], line["line_numbers"]) for line in checks] == [(2, [3, 9]), (0, [])]
    assert len([line for line in logs if line["event"] == "checkpoint_saved"]) == 3
    assert "quay" not in str(logs)
