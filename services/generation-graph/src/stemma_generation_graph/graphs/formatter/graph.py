"""The formatter graph: load the drafts, make one document of them, evaluate it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from pydantic import Field
from stemma_contracts.v1.jobs import GenerateSection, UpstreamDraft
from stemma_languages import Language
from stemma_models.prompting import block

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.graphs.transitions import noted
from stemma_generation_graph.writing.drafts import as_draft, body_under_heading, clean_heading, without_headings
from stemma_generation_graph.writing.evaluating import evaluated, prompt_values
from stemma_generation_graph.writing.material import language_of, load_material, round_blocks
from stemma_generation_graph.writing.schemas import Filled, Line, Text


class Introduction(Filled):
    """What stands before the drafts."""

    introduction: Text = Field(
        default="", description="one to three paragraphs for those who decide: what is designed, and why"
    )
    key_decisions: list[Line] = Field(default=[], max_length=10, description="decisions of the drafts, one each")


@dataclass(frozen=True)
class Draft:
    """One of the drafts that the document is made of."""

    id: str
    title: str
    text: str


def assembled(
    title: str, introduction: Introduction, drafts: Sequence[Draft], unmet_review: str, language: Language
) -> str:
    """The final document: only what the model wrote is tidied."""
    words = language.words
    opening = [without_headings(introduction.introduction)] if introduction.introduction else []
    if introduction.key_decisions:
        opening += [
            f"## {words.key_decisions}",
            "\n".join(f"- {_line(line, language)}" for line in introduction.key_decisions),
        ]
    blocks = [as_draft(title, "\n\n".join(opening)).rstrip()]
    for draft in drafts:
        blocks += [f"## {clean_heading(draft.title)}", body_under_heading(draft.text, draft.id)]
    if unmet_review:
        blocks += [f"## {words.open_review_findings}", words.unmet_review, body_under_heading(unmet_review, "review")]
    return "\n\n".join(blocks) + "\n"


def _line(text: str, language: Language) -> str:
    return language.sentence(" ".join(text.split()).lstrip("-*+#> "))


GRAPH, WRITER = "formatter", "format_doc"
REVIEW_KIND = "review_doc"


class FormatState(TypedDict):
    """``job`` is given; ``load_context`` writes ``material`` and ``asked``, ``format_doc`` the draft."""

    job: GenerateSection
    material: str
    asked: str
    draft: str
    draft_artifact: dict[str, Any] | None
    evaluation: dict[str, Any] | None


def initial_state(job: GenerateSection) -> FormatState:
    """The state that a job starts with."""
    return FormatState(job=job, material="", asked="", draft="", draft_artifact=None, evaluation=None)


class FormatNodes:
    """The nodes with what they need, given once when the graph is built."""

    def __init__(self, deps: GraphDeps) -> None:
        self._deps = deps

    async def load_context(self, state: FormatState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Loads what the introduction is written from."""
        job, library = state["job"], runtime.context.library
        material = await load_material(job, library, self._deps.limits)
        return {"material": material, "asked": "\n".join(await round_blocks(job, library))}

    async def format_doc(self, state: FormatState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Has the introduction written and puts the drafts behind it, word for word."""
        job, run = state["job"], runtime.context
        prompt = self._deps.prompts.get(GRAPH, WRITER, job.section.kind).render(prompt_values(job))
        asked = "\n".join([block("task", "final document"), state["material"], state["asked"]])
        caller = self._deps.models.for_node(GRAPH, WRITER)
        answer = await caller.structured(run.call, WRITER, [SystemMessage(prompt), HumanMessage(asked)], Introduction)
        drafts = await asyncio.gather(*(_draft(job, upstream, run) for upstream in _kept(job)))
        unmet = await run.library.text(job.document, job.unmet_review) if job.unmet_review else ""
        draft = assembled(job.section.title, answer.value, drafts, unmet, language_of(job))
        await run.show(draft)
        name = f"{job.section.section_id}.md"
        ref = await run.library.store(job.document, draft.encode(), "text/markdown", name)
        return {"draft": draft, "draft_artifact": ref.model_dump(mode="json")}

    async def evaluate(self, state: FormatState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Has the document scored."""
        job = state["job"]
        return {
            "evaluation": await evaluated(self._deps, runtime.context, job, state["material"], state["draft"]),
        }


def _kept(job: GenerateSection) -> list[UpstreamDraft]:
    """The drafts that the document is made of: all but the review of them."""
    kinds = {entry.section_id: entry.kind for entry in job.outline}
    return [upstream for upstream in job.upstream if kinds.get(upstream.section_id) != REVIEW_KIND]


async def _draft(job: GenerateSection, upstream: UpstreamDraft, run: RunContext) -> Draft:
    return Draft(upstream.section_id, upstream.title, await run.library.text(job.document, upstream.draft))


def build_formatter_graph(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
    """The graph, not compiled; it never pauses."""
    nodes = FormatNodes(deps)
    graph = StateGraph(FormatState, context_schema=RunContext)
    for node in (nodes.load_context, nodes.format_doc, nodes.evaluate):
        graph.add_node(node.__name__, noted(node))
    graph.add_edge(START, "load_context")
    graph.add_edge("load_context", "format_doc")
    graph.add_edge("format_doc", "evaluate")
    graph.add_edge("evaluate", END)
    return graph
