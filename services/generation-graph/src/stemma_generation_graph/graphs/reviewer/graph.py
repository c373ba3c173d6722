"""The reviewer graph: load the sections under review, review them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypedDict

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from stemma_contracts.v1.jobs import GenerateSection
from stemma_languages import Words
from stemma_models import ContextTooLongError, MalformedAnswerError
from stemma_models.prompting import block
from stemma_telemetry import get_logger

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.transitions import noted
from stemma_generation_graph.writing.drafts import as_draft, clean_heading, without_headings
from stemma_generation_graph.writing.evaluating import not_judged, prompt_values
from stemma_generation_graph.writing.material import language_of, load_material, round_blocks

from .schemas import Review, ReviewFinding

_BREAK = re.compile(r"\s+")


def rendered(review: Review, titles: Mapping[str, str], words: Words) -> str:
    """The body of the review section, the gravest findings first."""
    headings = {"critical": words.critical_findings, "major": words.major_findings, "minor": words.minor_findings}
    blocks = [without_headings(review.summary)]
    for severity, heading in headings.items():
        found = [finding for finding in review.findings if finding.severity == severity]
        if found:
            blocks += [f"## {heading}", "\n".join(_item(finding, titles, words) for finding in found)]
    return "\n\n".join(blocks if review.findings else [*blocks, words.review_found_nothing])


def _item(finding: ReviewFinding, titles: Mapping[str, str], words: Words) -> str:
    title = clean_heading(titles.get(finding.section, finding.section))
    mend = words.to_mend.format(suggestion=_line(finding.suggestion))
    return f"- {title}: {_line(finding.finding)} {mend}"


def _line(text: str) -> str:
    return _BREAK.sub(" ", text).strip()


GRAPH, WRITER = "reviewer", "review_doc"

log = get_logger()


class ReviewState(TypedDict):
    """``job`` is given; ``material`` is written by ``load_context``, everything else by ``review_doc``."""

    job: GenerateSection
    material: str
    asked: str
    draft_artifact: dict[str, Any] | None
    review: dict[str, Any] | None
    evaluation: dict[str, Any] | None


def initial_state(job: GenerateSection) -> ReviewState:
    """The state that a job starts with."""
    return ReviewState(job=job, material="", asked="", draft_artifact=None, review=None, evaluation=None)


class ReviewNodes:
    """The nodes with what they need, given once when the graph is built."""

    def __init__(self, deps: GraphDeps) -> None:
        self._deps = deps

    async def load_context(self, state: ReviewState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Loads what is reviewed and what it is held against."""
        job, library = state["job"], runtime.context.library
        material = await load_material(job, library, self._deps.limits)
        return {"material": material, "asked": "\n".join(await round_blocks(job, library))}

    async def review_doc(self, state: ReviewState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Has the sections reviewed; the verdict is computed here, never taken from the model."""
        job, run = state["job"], runtime.context
        prompt = self._deps.prompts.get(GRAPH, WRITER, job.section.kind).render(prompt_values(job))
        asked = "\n".join([block("task", "review"), state["material"], state["asked"]])
        caller, words = self._deps.models.for_node(GRAPH, WRITER), language_of(job).words
        if not caller.judges:
            return await self._stored(job, run, None, words.not_reviewed)
        titles = {upstream.section_id: upstream.title for upstream in job.upstream}
        messages = [SystemMessage(prompt), HumanMessage(asked)]
        try:
            answer = await caller.structured(run.call, WRITER, messages, Review, context={"sections": titles})
        except (MalformedAnswerError, ContextTooLongError) as error:
            # Another try would end in the same way: the drafts that are there go to a person.
            log.warning("not_judged", error_type=type(error).__name__, detail=error.detail)
            return await self._stored(job, run, None, words.not_reviewed, f"the reviewer failed: {error.detail}")
        return await self._stored(job, run, answer.value, rendered(answer.value, titles, words))

    async def _stored(
        self, job: GenerateSection, run: RunContext, review: Review | None, text: str, reason: str = ""
    ) -> dict[str, Any]:
        draft = as_draft(job.section.title, text)
        await run.show(draft)
        name = f"{job.section.section_id}.md"
        ref = await run.library.store(job.document, draft.encode(), "text/markdown", name)
        return {
            "draft_artifact": ref.model_dump(mode="json"),
            "review": review.verdict.model_dump() if review else None,
            "evaluation": not_judged([], reason),
        }


def build_reviewer_graph(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not compiled; it never pauses."""
    nodes = ReviewNodes(deps)
    graph = StateGraph(ReviewState, context_schema=RunContext)
    graph.add_node("load_context", noted(nodes.load_context))
    graph.add_node("review_doc", noted(nodes.review_doc))
    graph.add_edge(START, "load_context")
    graph.add_edge("load_context", "review_doc")
    graph.add_edge("review_doc", END)
    return graph
