"""A person sees why: in show, inbox and watch, and in the same words for judgements and checks everywhere."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from stemma_cli.rendering.findings import lines_of
from stemma_cli.wording import age_words, counted_warnings, evaluation_words, validation_words
from stemma_client.findings import Finding
from stemma_contracts.v1 import events
from stemma_contracts.v1.evaluation import Evaluation, ProgramCheck
from stemma_contracts.v1.provenance import GenerationWarning
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import ValidationIssue, ValidationReport, ValidationSummary

CREATED_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOW = Evaluation(
    scores={"clarity": 0.9, "completeness": 0.4, "figures_add_up": 0.2},
    score=0.5,
    passed=False,
    critical_failures=("figures_add_up",),
    failed_criteria=("completeness", "figures_add_up"),
    checks=(ProgramCheck(check="required_headings", passed=False, detail="1 of 2"),),
)
WARNINGS = (
    GenerationWarning(code="validation_issues", count=99, detail="chapter 2"),
    GenerationWarning(code="skipped_image", count=2),
    GenerationWarning(code="step_bound", count=1),
)
REPORT = ValidationReport(
    validation_passed=False,
    issues=(
        ValidationIssue(line_number=3, rule="MD022", rule_description="Blank lines", message="Expected 1, found 0"),
        ValidationIssue(
            line_number=7, rule="grounding/amount", rule_description="Grounding", message="EUR 9,000 is in no source"
        ),
    ),
    engine="rumdl",
    engine_version="1",
)
SUMMARY = ValidationSummary(
    passed=False, issue_count=2, rules={"MD022": 1, "grounding/amount": 1}, engine="rumdl", engine_version="1"
)


@pytest.fixture
async def weak(backstage: Any, document_id: str, requested: Any, drafted: Any) -> str:
    """Research waits for review with all that may be wrong with a draft."""
    texts = ("A draft.\n", REPORT.model_dump_json(), "A library of bicycles")
    draft, report, title = [await backstage.text(document_id, text) for text in texts]
    written = drafted("research", draft).model_copy(update={"evaluation": LOW, "warnings": WARNINGS})
    asked = requested.model_copy(update={"title": title})
    await backstage.append(document_id, asked, written, in_review(report))
    return document_id


def in_review(report: ArtifactRef | None) -> events.SectionReviewRequested:
    validation = SUMMARY.model_copy(update={"report": report})
    return events.SectionReviewRequested(section_id="research", job_id="j", version=1, validation=validation)


WORDS = (
    "critical criterion figures_add_up failed: 0.20",
    "judgement: completeness 0.40, below its threshold",
    "judgement: score 0.50, not passed",
    "check failed: required_headings (1 of 2)",
    "line 3 MD022: Expected 1, found 0",
    "line 7 unsupported amount: EUR 9,000 is in no source",
    "warning: validation issues 99 (chapter 2)",
    "warning: skipped image 2",
    "warning: step bound 1",
)
"""More than are told where not all are asked for."""


@pytest.mark.req("T7")
async def test_show_of_a_section_tells_every_finding_beside_its_text(cli: Any, weak: str) -> None:
    shown = await cli("show", weak, "research")
    assert shown.stdout == "A draft.\n"
    assert tuple(line for line in shown.stderr.splitlines() if line in WORDS) == WORDS
    told = json.loads((await cli("show", weak, "research", "--json")).stdout)["findings"]
    assert [(f["kind"], f["name"], f["line"]) for f in told] == [
        ("critical", "figures_add_up", 0),
        ("judgement", "completeness", 0),
        ("judgement", "score", 0),
        ("check", "required_headings", 0),
        ("lint", "MD022", 3),
        ("grounding", "grounding/amount", 7),
        ("warning", "validation issues", 0),
        ("warning", "skipped image", 0),
        ("warning", "step bound", 0),
    ]


@pytest.mark.req("T7")
async def test_show_of_a_document_tells_the_gravest_and_how_many_more(cli: Any, weak: str) -> None:
    lines = (await cli("show", weak)).stdout.splitlines()
    assert f"research: {WORDS[0]}" in lines
    assert "research: and 5 more: `stemma show DOC SECTION` tells all" in lines
    [row] = [line.split("\t") for line in lines if line.startswith("research\t")]
    assert row[-2].endswith((" d", " h", " min", "now")), "how long it waits"
    sections = json.loads((await cli("show", weak, "--json")).stdout)["sections"]
    assert len(next(s for s in sections if s["section_id"] == "research")["findings"]) == 9


@pytest.mark.req("T7")
async def test_inbox_tells_why_for_how_long_and_of_which_document(cli: Any, backstage: Any, weak: str) -> None:
    await backstage.list_research(weak)
    inbox = await cli("inbox")
    [row] = [line.split("\t") for line in inbox.stdout.splitlines() if weak in line]
    assert (row[2], row[-1]) == ("Research", "A library of bicycles")
    assert row[4].endswith((" d", " h", " min", "now"))
    assert f"{weak[:8]} research: {WORDS[0]}" in inbox.stderr
    [entry] = [e for e in json.loads((await cli("inbox", "--json")).stdout) if e["document_id"] == weak]
    assert (len(entry["findings"]), datetime.fromisoformat(entry["since"])) == (9, CREATED_AT)


@pytest.mark.req("T7")
async def test_watch_tells_findings_with_the_events_and_at_the_end(cli: Any, weak: str) -> None:
    watched = await cli("watch", weak)
    assert "3 warnings: validation issues 99, skipped image 2, step bound 1" in watched.stdout
    assert "1 lint issue, 1 unsupported (MD022 1, amount 1)" in watched.stdout
    assert "critical: figures_add_up 0.20, low: completeness 0.40, check failed: required_headings" in watched.stdout
    assert f"research: {WORDS[5]}" in watched.stderr
    assert "waits for a person: research (Research, " in watched.stderr


@pytest.mark.req("T8")
def test_what_nobody_judged_is_neither_passed_nor_failed() -> None:
    unjudged = Evaluation(scores={}, score=0, passed=False, judged=False, checks=LOW.checks)
    words = evaluation_words(unjudged)
    assert words == "not judged, check failed: required_headings"
    failed = unjudged.model_copy(update={"not_judged_reason": "the model that judges failed: no key"})
    assert evaluation_words(failed).startswith("not judged (the model that judges failed: no key), check failed")


@pytest.mark.req("T8", "M6")
@pytest.mark.parametrize("reason", ["", "the model that judges failed: the model refused"])
async def test_a_draft_that_nobody_judged_has_no_score(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, reason: str
) -> None:
    unjudged = Evaluation(scores={}, score=0, passed=False, judged=False, not_judged_reason=reason)
    written = drafted("research").model_copy(update={"evaluation": unjudged})
    await backstage.append(document_id, requested, written, in_review(None))
    lines = (await cli("show", document_id)).stdout
    assert f"judgement: none, {reason or 'no model scored this draft'}" in lines
    assert "passed" not in lines
    assert "0.00" not in lines.replace("0.00 dollars", "")


def test_what_is_told_in_short_has_its_largest_unit_one_warning_no_issue_or_the_first_of_many() -> None:
    assert counted_warnings(WARNINGS[1:2]) == "1 warning: skipped image 2"
    clean = ValidationSummary(passed=True, issue_count=0, engine="r", engine_version="1")
    assert validation_words(clean) == "no lint issues"
    many = [Finding("lint", f"MD{n:03}", "x", line=n) for n in range(20)]
    assert len(list(lines_of(many, None))) == 20
    assert list(lines_of(many))[-1] == "and 12 more: `stemma show DOC SECTION` tells all"
    ages = {"3 d": timedelta(days=3, hours=2), "5 h": timedelta(hours=5), "7 min": timedelta(minutes=7)}
    ages |= {"now": timedelta(seconds=-9)}
    assert [age_words(CREATED_AT, CREATED_AT + age) for age in ages.values()] == [*ages]


@pytest.mark.req("T3", "T6")
async def test_names_the_inputs_in_which_no_claim_was_looked_up(
    backstage: Any, document_id: str, requested: Any, drafted: Any, cli: Any
) -> None:
    draft = await backstage.text(document_id, "A draft.\n")
    waits = in_review(None)
    told = waits.model_copy(update={"validation": SUMMARY.model_copy(update={"unread": ("plan.pdf", "old.csv")})})
    await backstage.append(document_id, requested, drafted("research", draft), told)
    assert (
        "warning: not read 2 (claims were not looked up in plan.pdf, old.csv)"
        in (await cli("show", document_id, "research")).stderr
    )
    assert "not read: plan.pdf, old.csv" in validation_words(told.validation)


@pytest.mark.req("T7")
async def test_the_findings_stand_below_the_text_that_is_decided_about_and_beside_what_is_approved_at_once(
    cli: Any, on_a_terminal: Any, backstage: Any, weak: str
) -> None:
    seen, code = await on_a_terminal("approve", weak, "research", typed="n\n")
    assert (code, backstage.received) == (1, [])
    assert seen.index("A draft.") < seen.index(f"research: {WORDS[0]}") < seen.index(f"research: {WORDS[5]}")
    assert seen.index(f"research: {WORDS[5]}") < seen.index("research version 1? [y/N]")
    done = await cli("approve", weak, "--all")
    assert "research version 1: Research" in done.stderr
    assert all(f"research: {words}" in done.stderr for words in WORDS[:8])


@pytest.mark.req("T7")
async def test_inbox_calls_no_text_clean_that_nobody_checked(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    words = await backstage.text(document_id, "No heading is called Rent.")
    asked = events.SectionEditRequested(section_id="research", version=1, instruction=words, result="reviewed")
    refused = events.SectionRevisionRefused(section_id="research", job_id="j", version=1, reason=words)
    await backstage.append(document_id, requested, drafted("research"), asked, refused)
    await backstage.list_research(document_id)
    [row] = [line.split("\t") for line in (await cli("inbox")).stdout.splitlines() if document_id in line]
    assert row[6] == "not checked"
