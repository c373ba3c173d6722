"""The evaluation of a draft, whoever wrote it, by what it can rest on: code checks, a model scores, code decides."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import BaseMessage
from stemma_contracts import problems
from stemma_contracts.v1.evaluation import ProgramCheck
from stemma_contracts.v1.jobs import GenerateSection
from stemma_languages import primary
from stemma_markdown import Document, sentences
from stemma_models import ModelCaller, ModelError
from stemma_models.prompting import Block, block, parse_blocks, without_blocks
from stemma_telemetry import get_logger

from .configuration import Criteria, Criterion, Kinds
from .deps import GraphDeps, RunContext
from .passages import MOST_QUERIES, REQUEST, Corpus, Passage, size_of
from .sources import Library
from .writing import (
    OWN,
    Evaluation,
    asked,
    criteria_block,
    demands_of,
    input_blocks,
    language_of,
    prompt_values,
    wanted_by,
)

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


NEEDED_CHARS = 1_000
"""Of what the section gathers or answers, whether its draft says it or not: it tells what is missing."""
INPUTS = frozenset({REQUEST, *OWN})


async def judged_by(job: GenerateSection, library: Library, kinds: Kinds, material: str, draft: str) -> str:
    """The material of a draft, with the passages that bear on it in place of inputs that are twice as long.

    Passages stand behind what all sections share. A judge of a form, or of a draft in another language than the
    inputs, is given all that the writer was given.
    """
    given = [one for one in parse_blocks(material) if one.tag in INPUTS]
    if job.section.form is not None or not given:
        return material
    corpus, demands = await library.corpus(job.document, job.inputs), await demands_of(job, library)

    def chosen() -> list[Passage]:
        found = set(bearing_on(draft, corpus, language_of(job).tag))
        if job.section.collects or demands:
            wanted = wanted_by(job.section, corpus, demands, kinds)
            found.update(corpus.select(wanted, NEEDED_CHARS, collects=job.section.collects))
        return [one for one in corpus.passages if one in found]

    passages = await asyncio.to_thread(chosen)
    if not passages or 2 * size_of(passages) > sum(len(one.text.encode()) for one in given):
        return material
    rest = without_blocks(material, {*INPUTS, "images", "left_out"})
    return "\n".join((rest, *input_blocks(corpus, passages)))


def bearing_on(draft: str, corpus: Corpus, language: str) -> Sequence[Passage]:
    """The passages that the statements of a draft can rest on; all where that cannot be told."""
    statements = list(dict.fromkeys(_statements(draft, language)))
    if len(statements) > MOST_QUERIES or primary(language) not in corpus.languages:
        return corpus.passages
    return [passage for statement in statements for passage in corpus.bearing_on(statement)]


def _statements(draft: str, language: str) -> Iterator[str]:
    """The sentences of a draft, its rows of tables and lines of code."""
    for one in Document(draft).blocks:
        if one.kind not in ("heading", "blank"):
            said = sentences(one.content, language)
            yield from (each.text for each in said) if said else one.content.splitlines()


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
    judges, criteria = Judge(deps, run, caller), deps.criteria.for_kind(job.section.kind)
    held_against = await judged_by(job, run.library, deps.kinds, material, draft)
    blocks = [held_against, block("task", "evaluation"), criteria_block(criteria), block("draft", draft)]
    messages = asked(deps.prompts.get(GRAPH, NODE, job.section.kind), prompt_values(job), blocks, material)
    try:
        given = await judges.scored(NODE, messages, criteria, draft)
        verdict = judge(criteria.criteria, given.scores)
        if verdict.passed and deps.probe is not None and await deps.probe.is_fooled(judges):
            return not_judged(checks, FOOLED)
    except ModelError as error:
        log.warning("not_judged", error_type=type(error).__name__, detail=error.detail)
        return not_judged(checks, f"the model that judges failed: {error.detail}")
    return {
        "scores": given.scores,
        "feedback": given.feedback,
        "score": verdict.score,
        "critical_failures": list(verdict.critical_failures),
        "failed_criteria": list(verdict.failed),
        "passed": verdict.passed and all(check.passed for check in found if check.check == HEADINGS),
        "judged": True,
        "checks": checks,
    }


FOOLED = "the model that judges called planted nonsense good: name another one for the node evaluate"
NONSENSE = (
    block("brief", "Say on one page how the roof of the library is mended: the work, the dates and the costs."),
    block("evidence", "Holm & Sons mend the roof from 4 May to 20 June 2027 for EUR 184,650.", name="roof.md"),
    block("section", "the work, the dates and the costs", id="roof", kind="default", title="Roof"),
    block("task", "evaluation"),
)
NONSENSE_DRAFT = (
    "# Roof\n\nThe roof eats soup on Tuesdays. Zorg Ltd. finished it in 1412 for EUR 9 billion and three "
    "bananas, which are also the dates. Lorem ipsum dolor sit amet. TODO: write this section, or do not.\n"
)


@dataclass(frozen=True)
class Judge:
    """The model that judges in one run."""

    deps: GraphDeps
    run: RunContext
    caller: ModelCaller

    async def scored(self, name: str, messages: Sequence[BaseMessage], criteria: Criteria, draft: str) -> Evaluation:
        ids = criteria.ids
        answer = await self.caller.structured(
            self.run.call,
            name,
            messages,
            Evaluation,
            context={"criteria": ids, "draft": draft},
            closed={"scores": ids, "quotations": ids},
            max_tokens=self.deps.answers.judgement,
        )
        return answer.value

    async def approves_nonsense(self) -> bool:
        criteria = self.deps.criteria.for_kind("default")
        values = {"title": "Roof", "document_kind": "report", "language": "English"}
        blocks = [*NONSENSE, criteria_block(criteria), block("draft", NONSENSE_DRAFT)]
        messages = asked(replace(self.deps.prompts.get(GRAPH, NODE), house=""), values, blocks)
        given = await self.scored("probe", messages, criteria, NONSENSE_DRAFT)
        return judge(criteria.criteria, given.scores).passed


class Probe:
    """Whether a model that judges can be believed: before its first approval in a process it judges nonsense."""

    def __init__(self) -> None:
        self._fooled: dict[str, bool] = {}
        self._asking = asyncio.Lock()

    async def is_fooled(self, judges: Judge) -> bool:
        """Whether the model calls nonsense good; raises `ModelError`, and then it is asked again."""
        settings = judges.caller.settings
        async with self._asking:
            model = f"{settings.name} {settings.api_base}"
            if model not in self._fooled:
                self._fooled[model] = await judges.approves_nonsense()
                log.info("judge_probed", model=settings.name, fooled=self._fooled[model])
            return self._fooled[model]


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
