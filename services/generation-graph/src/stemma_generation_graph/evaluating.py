"""The evaluation of a draft, whoever wrote it: code checks, a model that judges scores, code computes the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemma_contracts import problems
from stemma_contracts.v1.evaluation import ProgramCheck
from stemma_contracts.v1.jobs import GenerateSection
from stemma_markdown import Document
from stemma_models import ModelError
from stemma_models.prompting import Block, block, parse_blocks
from stemma_telemetry import get_logger

from .configuration import Criterion
from .deps import GraphDeps, RunContext
from .writing import OWN, Evaluation, asked, criteria_block, prompt_values

DETAIL_CHARS = 300
ROUNDING = 1e-9
GRAPH, NODE = "section", "evaluate"
HEADINGS = "required_headings"

log = get_logger()


def run_checks(material: str, draft: str, *, answers_form: bool = False) -> tuple[ProgramCheck, ...]:
    """The checks of a draft against the blocks that it was written from; answers in a form name no inputs."""
    blocks, document = parse_blocks(material), Document(draft)
    names = [block.attributes["name"] for block in blocks if block.tag in OWN and block.text]
    return (
        _required_headings(_listed(blocks, "headings"), document),
        *(() if answers_form else (_inputs_cited(names, draft),)),
    )


def _required_headings(required: Sequence[str], draft: Document) -> ProgramCheck:
    if not (lacking := draft.lacking(required)):
        return ProgramCheck(check=HEADINGS, passed=True)
    return coded_check(HEADINGS, False, "headings_missing", headings=", ".join(lacking)[:DETAIL_CHARS])


def _inputs_cited(names: Sequence[str], draft: str) -> ProgramCheck:
    cited = sum(name in draft for name in dict.fromkeys(names))
    return coded_check("inputs_cited", cited > 0 or not names, "inputs_named", named=cited, all=len(set(names)))


def coded_check(name: str, passed: bool, code: str, **params: problems.Param) -> ProgramCheck:
    """A check with the words of a problem code."""
    detail = problems.message(code, params)[:DETAIL_CHARS]
    return ProgramCheck(check=name, passed=passed, detail=detail, code=code, params=params)


def _listed(blocks: Sequence[Block], tag: str) -> list[str]:
    lines = (line for block in blocks if block.tag == tag for line in block.text.splitlines())
    return [line.removeprefix("- ").strip() for line in lines if line.strip()]


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


async def evaluate_draft(
    deps: GraphDeps, run: RunContext, job: GenerateSection, material: str, draft: str
) -> dict[str, Any]:
    """The checks of a draft by code, and its scores by the criteria of its kind if the model judges.

    The draft was written and paid: a model that fails to judge it leaves it not judged, and does not lose it.
    """
    found = run_checks(material, draft, answers_form=job.section.form is not None)
    checks = [check.model_dump() for check in found]
    caller = deps.models.for_node(job.section.graph, NODE)
    if not caller.judges:
        return not_judged(checks)
    criteria = deps.criteria.for_kind(job.section.kind)
    prompt = deps.prompts.get(GRAPH, NODE, job.section.kind)
    blocks = [material, block("task", "evaluation"), criteria_block(criteria), block("draft", draft)]
    try:
        answer = await caller.structured(
            run.call,
            NODE,
            asked(prompt, prompt_values(job), blocks),
            Evaluation,
            context={"criteria": criteria.ids, "draft": draft},
            closed={"scores": criteria.ids, "quotations": criteria.ids},
            max_tokens=deps.answers.judgement,
        )
    except ModelError as error:
        log.warning("not_judged", error_type=type(error).__name__, detail=error.detail)
        return not_judged(checks, f"the model that judges failed: {error.detail}")
    verdict = judge(criteria.criteria, answer.value.scores)
    return {
        "scores": answer.value.scores,
        "feedback": answer.value.feedback,
        "score": verdict.score,
        "critical_failures": list(verdict.critical_failures),
        "failed_criteria": list(verdict.failed),
        "passed": verdict.passed and all(check.passed for check in found if check.check == HEADINGS),
        "judged": True,
        "checks": checks,
    }


def not_judged(checks: Sequence[Mapping[str, Any]], reason: str = "") -> dict[str, Any]:
    """An evaluation without a judgement: it neither passes nor fails. ``reason`` is why the model gave none."""
    return {
        "scores": {},
        "feedback": "",
        "score": 0.0,
        "critical_failures": [],
        "passed": False,
        "judged": False,
        "not_judged_reason": reason[:300],
        "checks": list(checks),
    }
