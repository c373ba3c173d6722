"""The evaluation of a draft, whoever wrote it: the model scores, code computes the verdict."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage
from stemma_contracts.v1.jobs import GenerateSection
from stemma_models.prompting import block

from stemma_generation_graph.graphs.parts import GraphParts, RunContext

from .material import criteria_block, language_of
from .schemas import Evaluation
from .scoring import judge

GRAPH = "section"
NODE = "evaluate"


async def evaluated(
    parts: GraphParts, run: RunContext, job: GenerateSection, material: str, draft: str
) -> dict[str, Any]:
    """Scores, feedback and verdict of a draft by the criteria of its section kind."""
    criteria = parts.criteria.for_kind(job.section.kind)
    prompt = parts.prompts.get(GRAPH, NODE, job.section.kind)
    shown = [block("task", "evaluation"), material, criteria_block(criteria), block("draft", draft)]
    answer = await parts.models.for_node(job.section.graph, NODE).structured(
        run.call,
        NODE,
        [SystemMessage(prompt.render(prompt_values(job))), HumanMessage("\n".join(shown))],
        Evaluation,
        context={"criteria": criteria.ids},
    )
    verdict = judge(criteria.criteria, answer.value.scores)
    return {
        "scores": answer.value.scores,
        "feedback": answer.value.feedback,
        "score": verdict.score,
        "critical_failures": list(verdict.critical_failures),
        "failed_criteria": list(verdict.failed),
        "passed": verdict.passed,
    }


def prompt_values(job: GenerateSection) -> dict[str, str]:
    """What the placeholders of a prompt stand for."""
    return {
        "title": job.section.title,
        "document_kind": job.document.kind.replace("_", " "),
        "language": language_of(job).english_name,
    }
