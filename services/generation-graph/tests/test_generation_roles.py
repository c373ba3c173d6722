"""The roles graph: what it chooses, what it delivers, what it tells of itself."""

import json
from typing import Any
from uuid import UUID

import pytest
from generation_company import Company, ProviderError, Stage, analysis, failing, in_virtual_time, plays, role, said
from stemma_contracts.execution import graph_execution_id
from stemma_contracts.v1.outcomes import SectionGenerated
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport
from structlog.testing import capture_logs


@pytest.mark.req("R1", "R2", "R3")
def test_every_role_that_is_found_writes_and_all_meet_in_the_synthesizer() -> None:
    stage = Stage(Company(plays=plays("chemist", "lawyer", "cook")))
    outcome, _ = stage.play()
    assert isinstance(outcome, SectionGenerated)
    assert [who for _, who in stage.company.asked] == [
        "role analysis",
        *("chemist", "lawyer", "cook"),
        "synthesis",
        "evaluation",
    ]
    [told] = stage.company.prompts_of("lawyer")
    assert f"As Lawyer, from the view of lawyer: answer {stage.request} in {{braces}}." in told
    assert '<entry id="chemist" kind="role" title="Chemist">' in told
    [asked] = stage.company.prompts_of("synthesis")
    assert [asked.index(f"What {name} says.") for name in ("chemist", "lawyer", "cook")] == sorted(
        asked.index(f"What {name} says.") for name in ("chemist", "lawyer", "cook")
    )
    assert stage.draft(outcome) == "# Text\n\nOne text of all.\n"
    assert (outcome.partial, outcome.warnings) == (False, ())
    again, _ = stage.play()
    assert (again.draft, again.usage.calls, len(stage.company.asked)) == (outcome.draft, outcome.usage.calls, 6)
    runs: list[Any] = [outcome, again]
    ids = {one.processing_metadata.graph_execution_id for one in runs}
    assert ids == {graph_execution_id("doc.1.generate-section.roles")}
    assert [UUID(one).version for one in ids] == [5]


@pytest.mark.req("R3")
@pytest.mark.parametrize(
    ("roles", "problem"),
    [
        ([role("a", 1)], "2 to 4 roles"),
        ([role(name, n) for n, name in enumerate("abcde", 1)], "2 to 4 roles"),
        ([role("a", 1), role("b", 1)], "same priority"),
        ([role("a", 1), role("b", 2, perspective="The view of A")], "same perspective"),
        ([role("a", 1), role("a", 2, perspective="another")], "same id"),
        ([{**role("a", 1), "confidence": None}, role("b", 2)], "identified_roles.0.confidence"),
    ],
)
def test_an_analysis_that_breaks_the_rules_is_asked_for_again(roles: list[Any], problem: str) -> None:
    good = plays("a", "b")
    answers = iter([analysis(*roles)])
    retry = good["role analysis"]
    company = Company(plays={**good, "role analysis": lambda: next((said(a) for a in answers), None) or retry()})
    outcome, _ = Stage(company).play()
    assert isinstance(outcome, SectionGenerated)
    assert problem in company.prompts_of("role analysis")[1]


@pytest.mark.req("R4")
@pytest.mark.parametrize(
    ("request_text", "reason"), [("Write something", "the request is too short"), ("x " * 9, "no role was identified")]
)
def test_a_vague_request_gets_the_default_roles_and_a_warning_without_its_text(request_text: str, reason: str) -> None:
    vague = json.dumps({"identified_roles": [], "reasoning": "It does not say about what."})
    defaults = ("general_writer", "editor", "content_strategist")
    company = Company(plays={**plays(*defaults), "role analysis": lambda: said(vague)})
    with capture_logs() as logs:
        outcome, _ = Stage(company, request=request_text).play()
    assert isinstance(outcome, SectionGenerated)
    assert {who for _, who in company.asked} >= set(defaults)
    [warning] = [line for line in logs if line["log_level"] == "warning"]
    assert warning["graph_execution_id"] == graph_execution_id("doc.1.generate-section.roles")
    assert (warning["event"], warning["reason"]) == ("default_roles_used", reason)
    assert request_text not in str(logs)


@pytest.mark.req("R5", "R9")
def test_the_result_tells_its_times_node_by_node() -> None:
    stage = Stage(Company(plays=plays("a", "b", seconds={"b": 7})))
    outcome, seconds = stage.play()
    told = outcome.processing_metadata
    assert [(run.node, run.role_id, run.seconds) for run in told.nodes] == [
        ("role_analyzer", "", 1),
        ("dynamic_agent_executor", "a", 1),
        ("dynamic_agent_executor", "b", 7),
        ("synthesizer", "", 1),
        ("output_formatter", "", 1),
    ]
    assert seconds == 10
    assert told.started_at <= told.finished_at
    assert told.seconds == round((told.finished_at - told.started_at).total_seconds(), 3)


@pytest.mark.req("R9")
@pytest.mark.parametrize(
    ("environment", "log_state", "told"),
    [("development", None, True), ("production", None, False), ("production", True, True)],
)
def test_state_is_logged_in_development_or_when_asked_and_kept_for_inspection_in_development_alone(
    environment: str, log_state: bool | None, told: bool, tmp_path: Any
) -> None:
    stage = Stage(Company(plays=plays("a", "b")))
    roles = stage.settings.roles.model_copy(update={"log_state": log_state})
    changed = {"environment": environment, "data_dir": tmp_path, "roles": roles}
    stage.settings = stage.settings.model_copy(update=changed)
    with capture_logs() as logs:
        stage.play()
    lines = [line for line in logs if line["event"] == "state_updated"]
    assert bool(lines) is told
    assert all({"node", "seconds", "sizes"} <= set(line) for line in lines)
    assert "What a says" not in str(logs)
    files = sorted(tmp_path.glob("inspection/*/*.json"))
    assert bool(files) is (environment == "development")
    if files:
        assert files[0].name == "00-role_analyzer.json"
        assert "What a says" in files[-1].read_text()


def in_a_lint_round(stage: Stage, text: str) -> Any:
    """The outcome of a round that mends this text."""

    async def round_of(stage: Stage) -> Any:
        issue = ValidationIssue(line_number=3, rule="MD022", rule_description="headings", message="blank line")
        report = ValidationReport(validation_passed=False, issues=(issue,), engine="rumdl", engine_version="1")
        previous = await stage.workshop.store(text)
        ref = await stage.workshop.store(report.model_dump_json(), "report.json", "application/json")
        return await stage.outcome(round=1, previous=previous, report=ref)

    return in_virtual_time(round_of(stage))


def test_a_lint_round_only_puts_the_text_right() -> None:
    last = "# Text\n\nThe last text.\n"
    stage = Stage(Company(plays=plays("a", "b")))
    assert isinstance(in_a_lint_round(stage, last), SectionGenerated)
    assert [who for _, who in stage.company.asked] == ["synthesis", "evaluation"]
    assert "The last text." in stage.company.prompts_of("synthesis")[0]
    broken = Stage(Company(plays={**plays("a", "b"), "synthesis": failing(ProviderError(401), then=said)}))
    outcome = in_a_lint_round(broken, last)
    assert broken.draft(outcome) == "# Text\n\nThe last text.\n"
    assert [(warning.code, warning.detail) for warning in outcome.warnings] == [
        ("failure", "synthesizer: ModelUnavailableError")
    ]


NOTICE = "> **This text is incomplete.** Slow was cut off by the time limit."


@pytest.mark.req("R6", "R9")
@pytest.mark.parametrize("kept", ["", f"\n{NOTICE}\n\nThe end.\n"], ids=["dropped", "kept in the middle"])
def test_a_partial_text_says_what_it_lacks_after_its_lint_round_once(kept: str) -> None:
    company = Company(plays={**plays("a"), "synthesis": lambda: said(f"# Text\n\nMended.\n{kept}")})
    stage = Stage(company)
    outcome = in_a_lint_round(stage, f"# Text\n\nThe last text.\n\n{NOTICE}\n")
    draft = stage.draft(outcome)
    assert (outcome.partial, draft.count(NOTICE), draft.endswith(f"\n\n{NOTICE}\n")) == (True, 1, True)
