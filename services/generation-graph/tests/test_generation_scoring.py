import pytest
from stemma_generation_graph.configuration import Criterion
from stemma_generation_graph.evaluating import judge

pytestmark = pytest.mark.req("P6")

CRITERIA = (
    Criterion(id="facts", description="Facts.", weight=0.5, threshold=0.8, critical=True),
    Criterion(id="style", description="Style.", weight=0.3, threshold=0.6),
    Criterion(id="length", description="Length.", weight=0.2, threshold=0.5),
)
WANTED = 0.5 * 0.8 + 0.3 * 0.6 + 0.2 * 0.5


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


@pytest.mark.req("T7")
def test_every_criterion_below_its_threshold_is_named_critical_or_not() -> None:
    verdict = judge(CRITERIA, {"facts": 0.79, "style": 0.6, "length": 0.49})
    assert (verdict.failed, verdict.critical_failures) == (("facts", "length"), ("facts",))
    assert judge(CRITERIA, {"facts": 0.8, "style": 0.6, "length": 0.5}).failed == ()
