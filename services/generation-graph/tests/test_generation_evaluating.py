"""What code sees of a draft, and what it makes of scores."""

import pytest
from stemma_generation_graph.configuration import Criterion
from stemma_generation_graph.evaluating import judge, run_checks
from stemma_models.prompting import block


@pytest.mark.parametrize(
    ("draft", "passed"),
    [
        ("# Plan\n\n## What it takes\n\nTime.\n", True),
        ("# Plan\n\n## *What* it  TAKES ##\n\nTime.\n", True),
        ("# Plan\n\n```\n## What it takes\n```\n", False),
        ("# Plan\n\n## What it takes\n\n## Who does it\n\nWe.\n", False),
    ],
)
def test_a_required_heading_is_there_however_it_is_written_and_nothing_else_is_one(draft: str, passed: bool) -> None:
    found = run_checks(block("headings", "- What it takes"), draft)
    assert [check.passed for check in found if check.check == "required_headings"] == [passed]


@pytest.mark.req("L7")
def test_answers_in_a_form_of_the_buyer_need_not_name_the_inputs_and_other_texts_have_to() -> None:
    material, draft = block("evidence", "Backups are made.", name="facts.md"), "# Form\n\nBackups are made.\n"
    failed = {False: ["inputs_cited"], True: list[str]()}
    for answers_form, expected in failed.items():
        found = run_checks(material, draft, answers_form=answers_form)
        assert [check.check for check in found if not check.passed] == expected


CRITERIA = (
    Criterion(id="facts", description="Facts.", weight=0.5, threshold=0.8, critical=True),
    Criterion(id="style", description="Style.", weight=0.3, threshold=0.6),
    Criterion(id="length", description="Length.", weight=0.2, threshold=0.5),
)
WANTED = 0.5 * 0.8 + 0.3 * 0.6 + 0.2 * 0.5


@pytest.mark.req("P6")
@pytest.mark.parametrize(
    ("facts", "style", "length", "score", "failures", "passed"),
    [
        (1.0, 1.0, 1.0, 1.0, (), True),
        (0.8, 0.6, 0.5, WANTED, (), True),
        (0.79, 1.0, 1.0, 0.895, ("facts",), False),
        (1.0, 0.1, 0.5, 0.63, (), False),
        (1.0, 0.4, 0.4, 0.7, (), True),
        (0.0, 0.0, 0.0, 0.0, ("facts",), False),
    ],
    ids=["all", "at the thresholds", "critical fails", "weighted too low", "weak but made up for", "none"],
)
def test_the_verdict_is_computed_from_weights_and_critical_failures(
    facts: float, style: float, length: float, score: float, failures: tuple[str, ...], passed: bool
) -> None:
    verdict = judge(CRITERIA, {"facts": facts, "style": style, "length": length})
    assert verdict.score == pytest.approx(score)
    assert (verdict.critical_failures, verdict.passed) == (failures, passed)


@pytest.mark.req("P6", "T7")
def test_every_criterion_below_its_threshold_is_named_critical_or_not() -> None:
    verdict = judge(CRITERIA, {"facts": 0.79, "style": 0.6, "length": 0.49})
    assert (verdict.failed, verdict.critical_failures) == (("facts", "length"), ("facts",))
    assert judge(CRITERIA, {"facts": 0.8, "style": 0.6, "length": 0.5}).failed == ()
