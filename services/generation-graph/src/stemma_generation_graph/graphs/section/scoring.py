"""The verdict on a draft, computed from the model's scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stemma_generation_graph.criteria import Criterion

ROUNDING = 1e-9


@dataclass(frozen=True)
class Verdict:
    """The weighted score, the critical criteria that failed, and whether the draft passed."""

    score: float
    critical_failures: tuple[str, ...]
    passed: bool


def judge(criteria: Sequence[Criterion], scores: Mapping[str, float]) -> Verdict:
    """A draft passes if its weighted score reaches the weighted threshold and no critical criterion fails."""
    score = _weighted(criteria, scores)
    wanted = _weighted(criteria, {criterion.id: criterion.threshold for criterion in criteria})
    failures = tuple(c.id for c in criteria if c.critical and scores[c.id] < c.threshold)
    return Verdict(round(score, 4), failures, not failures and score >= wanted - ROUNDING)


def _weighted(criteria: Sequence[Criterion], values: Mapping[str, float]) -> float:
    total = math.fsum(criterion.weight for criterion in criteria)
    return math.fsum(criterion.weight * values[criterion.id] for criterion in criteria) / total
