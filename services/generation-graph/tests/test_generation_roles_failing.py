"""The roles graph when time runs out and things go wrong; every second is virtual."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from generation_company import Company, Play, ProviderError, Stage, failing, plays, said
from generation_workshop import RECIPE
from nats.errors import NoServersError
from stemma_artifacts.store import ArtifactMissing
from stemma_contracts.v1.outcomes import NoRoleLeft, RoleAnalysisMissing
from stemma_generation_graph.graphs.roles.nodes import RolesNodes, build_roles_graph
from stemma_generation_graph.graphs.roles.state import InvalidUpdate
from stemma_models.pace import pace_of
from structlog.testing import capture_logs

NODES = ("role_analyzer", "dynamic_agent_executor", "synthesizer", "output_formatter")


def with_limits(stage: Stage, **limits: Any) -> Stage:
    stage.settings = stage.settings.model_copy(update={"roles": stage.settings.roles.model_copy(update=limits)})
    return stage


def codes(outcome: Any) -> list[tuple[str, str]]:
    return [(warning.code, warning.detail) for warning in outcome.warnings]


@pytest.mark.req("R6")
def test_a_role_that_takes_too_long_is_cut_off_and_the_others_stand() -> None:
    words = ("```markdown\n# Slow\n\nThe first point. ", "The second is", "never heard.")
    slow = partial(said, *words, after=2, then=20)
    stage = Stage(Company(plays={**plays("a", "slow"), "slow": slow}))
    with capture_logs() as logs:
        outcome, seconds = stage.play()
    assert seconds == 1 + 30 + 1 + 1
    assert [line["role_id"] for line in logs if line["event"] == "role_timed_out"] == ["slow"]
    [asked] = stage.company.prompts_of("synthesis")
    assert "What a says." in asked
    assert "The first point.\n</upstream>" in asked
    assert "second" not in asked
    assert "```markdown" not in asked
    assert (outcome.partial, codes(outcome)) == (True, [("role_timed_out", "slow")])
    assert stage.draft(outcome).endswith("> **This text is incomplete.** Slow was cut off by the time limit.\n")


@pytest.mark.req("R6", "M6")
@pytest.mark.parametrize("opening", ["<think>", "", '# Thinks\n\n<section id="thinks">\n'])
def test_of_a_role_that_was_cut_off_while_it_was_thinking_or_copied_its_prompt_nothing_is_kept(opening: str) -> None:
    thinks: Play = lambda: said(f"{opening}The request is odd. ", "I will guess.", then=40)  # noqa: E731
    stage = Stage(Company(plays={**plays("a", "thinks"), "thinks": thinks}))
    outcome, seconds = stage.play()
    assert (seconds, outcome.processing_metadata.timed_out) == (1 + 30 + 1 + 1, False)
    [asked] = stage.company.prompts_of("synthesis")
    assert "odd" not in asked
    assert codes(outcome) == [("role_timed_out", "thinks")]


@pytest.mark.req("R6", "R7")
def test_what_an_attempt_said_before_it_failed_is_not_kept_twice() -> None:
    async def breaks() -> AsyncIterator[str]:
        yield "# B\n\nHalf a sentence. "
        raise ProviderError(503)

    later: Play = lambda: said("# B\n\nHalf a sentence. ", "And more. ", "Late.", then=20)  # noqa: E731
    attempts = [breaks, later]
    stage = Stage(Company(plays={**plays("a", "b"), "b": lambda: attempts.pop(0)()}))  # noqa: PLW0108
    stage.play()
    assert ">\n# B\n\nHalf a sentence. And more.\n</upstream>" in stage.company.prompts_of("synthesis")[0]


@pytest.mark.req("R7")
def test_a_model_error_is_tried_again_after_one_two_and_four_seconds() -> None:
    calls = plays("a", "b")
    stage = Stage(Company(plays={**calls, "b": failing(*[ProviderError(503)] * 3, then=calls["b"])}))
    outcome, seconds = stage.play()
    assert [at for at, who in stage.company.asked if who == "b"] == [1, 2, 4, 8]
    assert seconds == 8 + 1 + 1 + 1
    assert (outcome.partial, outcome.warnings) == (False, ())


@pytest.mark.req("R7")
@pytest.mark.failure("role-fails")
def test_after_the_fourth_error_a_role_is_failed_and_the_others_make_the_text() -> None:
    calls = plays("a", "b")
    stage = Stage(Company(plays={**calls, "b": failing(*[ProviderError(503)] * 9, then=calls["b"])}))
    with capture_logs() as logs:
        outcome, _ = stage.play()
    assert len(stage.company.prompts_of("b")) == 4
    [error] = [line for line in logs if line["event"] == "graph_error"]
    assert (error["node"], error["role_id"], error["error_type"]) == (
        "dynamic_agent_executor",
        "b",
        "ModelUnavailableError",
    )
    assert "quotes the prompt" not in str(logs)
    assert (outcome.partial, codes(outcome)) == (True, [("role_failed", "b: ModelUnavailableError")])
    assert stage.draft(outcome).endswith("One text of all.\n\n> **This text is incomplete.** B failed.\n")


@pytest.mark.req("R7", "R9", "M3")
@pytest.mark.parametrize(("last", "work_s"), [("role analysis", 4), ("b", 3), ("synthesis", 3)])
def test_waiting_for_the_limits_of_a_provider_takes_no_time_from_a_role_nor_the_graph(last: str, work_s: int) -> None:
    calls = plays("a", "b")
    stage = Stage(Company(plays=calls))

    async def nothing_left() -> AsyncIterator[str]:
        pace_of(RECIPE).told({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "40s"})
        async for part in calls[last]():
            yield part

    stage.company.plays = {**calls, last: nothing_left}
    outcome, seconds = with_limits(stage, role_limit_s=2.5, graph_limit_s=10).play()
    assert (seconds, codes(outcome), outcome.processing_metadata.timed_out) == (40 + work_s, [], False)


@pytest.mark.req("R9")
def test_when_the_time_of_the_graph_is_over_it_ends_with_what_there_is() -> None:
    calls = plays("a", "b", seconds={"b": 50})
    stage = with_limits(Stage(Company(plays=calls)), role_limit_s=100)
    stage.company.plays["role analysis"] = lambda: said_later(calls["role analysis"], 30)
    outcome, seconds = stage.play()
    assert seconds == 60
    assert outcome.processing_metadata.timed_out
    assert codes(outcome) == [("role_timed_out", "b"), ("failure", "synthesizer: TimeoutError")]
    assert "What a says." in stage.draft(outcome)
    assert not outcome.evaluation.passed


async def said_later(play: Play, seconds: float) -> AsyncIterator[str]:
    async for _ in said("", after=seconds):
        async for part in play():
            yield part


@pytest.mark.req("R8", "R9")
def test_an_analysis_that_takes_all_the_time_ends_the_run_with_an_error_of_its_own() -> None:
    calls = plays("a", "b")
    stage = Stage(Company(plays={**calls, "role analysis": lambda: said_later(calls["role analysis"], 90)}))
    outcome, seconds = stage.play()
    assert (type(outcome), outcome.detail, seconds) == (RoleAnalysisMissing, "TimeoutError", 60)
    assert [run.node for run in outcome.processing_metadata.nodes] == ["role_analyzer", "error_handler"]
    assert (outcome.processing_metadata.timed_out, outcome.processing_metadata.nodes[0].seconds) == (True, 60)


@pytest.mark.req("R2", "R8", "R9")
@pytest.mark.failure("no-role")
@pytest.mark.parametrize("node", NODES)
def test_the_error_handler_is_reached_from_every_node(node: str) -> None:
    calls = plays("a", "b")
    asked = {"role_analyzer": ["role analysis"], "dynamic_agent_executor": ["a", "b"], "synthesizer": ["synthesis"]}
    error = ArtifactMissing("0" * 64) if node == "output_formatter" else ProviderError(401)
    broken = {name: failing(error, then=said) for name in asked.get(node, ["evaluation"])}
    stage = Stage(Company(plays={**calls, **broken}))
    with capture_logs() as logs:
        outcome, _ = stage.play()
    handled = {(line["node"], line["error_type"]) for line in logs if line["event"] == "graph_error"}
    assert "error_handler" in {run.node for run in outcome.processing_metadata.nodes}
    told_as = "ArtifactMissing" if node == "output_formatter" else "ModelUnavailableError"
    assert handled >= {(node, told_as)}
    assert "quotes the prompt" not in str(logs) + str(outcome)
    match node:
        case "role_analyzer":
            assert isinstance(outcome, RoleAnalysisMissing)
        case "dynamic_agent_executor":
            assert isinstance(outcome, NoRoleLeft)
            assert (outcome.detail, outcome.usage.calls) == ("NoRoleLeft: no role wrote anything", 3)
        case "synthesizer":
            assert stage.draft(outcome).startswith("# Text\n\n## A\n\nWhat a says.\n\n## B\n\nWhat b says.\n")
        case _:
            assert stage.draft(outcome) == "# Text\n\nOne text of all.\n"
            assert codes(outcome) == [("failure", "output_formatter: ArtifactMissing")]


@pytest.mark.req("R2", "F1")
@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ("role analysis", NoServersError()),
        ("b", KeyError("a bug of ours")),
        ("synthesis", NoServersError()),
        ("evaluation", KeyError("a bug of ours")),
    ],
)
def test_an_outage_or_a_bug_ends_the_job_and_costs_no_other_call(asked: str, error: Exception) -> None:
    stage = Stage(Company(plays={**plays("a", "b"), asked: failing(error, then=said)}))
    with pytest.raises(type(error)):
        stage.play()
    order = ["role analysis", "b", "synthesis", "evaluation"]
    assert not [later for later in order[order.index(asked) + 1 :] if stage.company.prompts_of(later)]


def wrong_in(node: str, update: Any) -> type[RolesNodes]:
    """Nodes of which one returns something that the state does not allow."""

    async def wrong(self: RolesNodes, state: Any, runtime: Any) -> Any:
        return update

    wrong.__name__ = node
    return type("WrongNodes", (RolesNodes,), {node: wrong})


@pytest.mark.req("R8")
@pytest.mark.parametrize("node", [*NODES, "error_handler"])
def test_an_update_that_does_not_fit_reaches_the_error_handler_and_ends_the_job_as_a_bug(node: str) -> None:
    wrong = wrong_in(node, {"synthesized_content": 3, "role_analysis": None, "agent_outputs": {}})
    broken = {"a": failing(ProviderError(401), then=said)} if node == "error_handler" else {}
    stage = Stage(Company(plays={**plays("a", "b"), **broken}), build=partial(build_roles_graph, make_nodes=wrong))
    with capture_logs() as logs, pytest.raises(InvalidUpdate, match="synthesized_content: Input should be a valid str"):
        stage.play()
    told = {(line["node"], line["error_type"]) for line in logs if line["event"] == "graph_error"}
    assert node == "error_handler" or (node, "InvalidUpdate") in told
