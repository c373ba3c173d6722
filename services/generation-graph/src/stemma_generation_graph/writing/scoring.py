"""The verdict on a draft, computed from the model's scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stemma_generation_graph.criteria import Criterion

ROUNDING = 1e-9


@dataclass(frozen=True)
class Verdict:
    """The weighted score, the criteria that failed, the critical ones among them, and whether the draft passed."""

    score: float
    critical_failures: tuple[str, ...]
    passed: bool
    failed: tuple[str, ...] = ()


def judge(criteria: Sequence[Criterion], scores: Mapping[str, float]) -> Verdict:
    """A draft passes if its weighted score reaches the weighted threshold and no critical criterion fails."""
    score = _weighted(criteria, scores)
    wanted = _weighted(criteria, {criterion.id: criterion.threshold for criterion in criteria})
    failed = tuple(c for c in criteria if scores[c.id] < c.threshold)
    critical = tuple(c.id for c in failed if c.critical)
    passed = not critical and score >= wanted - ROUNDING
    return Verdict(round(score, 4), critical, passed, tuple(c.id for c in failed))


def _weighted(criteria: Sequence[Criterion], values: Mapping[str, float]) -> float:
    total = math.fsum(criterion.weight for criterion in criteria)
    return math.fsum(criterion.weight * values[criterion.id] for criterion in criteria) / total
