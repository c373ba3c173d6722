"""Graphs that load their material and ask a model once: the reviewer and the formatter of a document.

The reviewer reviews the sections that it rests on; whether they need a revision is computed from what it finds. The
formatter introduces reviewed drafts, which code puts behind the introduction word for word.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypedDict

from langchain_core.messages import BaseMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from pydantic import Field, ValidationInfo, field_validator
from stemma_contracts.v1.cycles import ReviewVerdict
from stemma_contracts.v1.jobs import GenerateSection, UpstreamDraft
from stemma_languages import Language, Words
from stemma_models import ContextTooLongError, MalformedAnswerError
from stemma_models.prompting import block
from stemma_telemetry import get_logger

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.evaluating import evaluate_draft, not_judged
from stemma_generation_graph.graphs.section.nodes import lacking, too_much_said
from stemma_generation_graph.graphs.transitions import empty_state, noted
from stemma_generation_graph.writing import (
    Filled,
    Line,
    Prose,
    Text,
    as_draft,
    asked,
    body_under_heading,
    clean_heading,
    language_of,
    load_material,
    prompt_values,
    round_blocks,
    without_headings,
)

REVIEW_DOC, FORMAT_DOC = "review_doc", "format_doc"

log = get_logger()

Severity = Literal["critical", "major", "minor"]
GRAVE: frozenset[Severity] = frozenset({"critical", "major"})


class SingleCallState(TypedDict):
    """``job`` is given; ``load_context`` sets ``material`` and ``asked``, later nodes the rest."""

    job: GenerateSection
    material: str
    asked: str
    draft: str
    draft_artifact: dict[str, Any] | None
    review: dict[str, Any] | None
    evaluation: dict[str, Any] | None
    partial: bool
    warnings: list[dict[str, Any]]


def initial_state(job: GenerateSection) -> SingleCallState:
    return empty_state(SingleCallState, job=job)


class SingleCallNodes:
    graph: ClassVar[str]

    def __init__(self, deps: GraphDeps) -> None:
        self._deps = deps

    async def load_context(self, state: SingleCallState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        job, run = state["job"], runtime.context
        material = await load_material(job, run.library, self._deps.limits, self._deps.kinds, run.call)
        return {"material": material, "asked": "\n".join(await round_blocks(job, run.library))}

    def _messages(self, state: SingleCallState, node: str, task: str) -> list[BaseMessage]:
        job = state["job"]
        prompt = self._deps.prompts.get(self.graph, node, job.section.kind)
        return asked(prompt, prompt_values(job), [state["material"], block("task", task), state["asked"]])

    async def _store(self, job: GenerateSection, run: RunContext, draft: str) -> dict[str, Any]:
        await run.show(draft)
        name = f"{job.section.section_id}.md"
        ref = await run.library.store(job.document, draft.encode(), "text/markdown", name)
        return {"draft": draft, "draft_artifact": ref.model_dump(mode="json")}


def _single_call_graph(*nodes: Any) -> StateGraph[Any, Any, Any, Any]:
    """The nodes one after the other; not compiled, and never pausing."""
    graph = StateGraph(SingleCallState, context_schema=RunContext)
    graph.add_sequence([(node.__name__, noted(node)) for node in nodes])
    graph.add_edge(START, nodes[0].__name__)
    graph.add_edge(nodes[-1].__name__, END)
    return graph


def build_reviewer_graph(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
    nodes = ReviewNodes(deps)
    return _single_call_graph(nodes.load_context, nodes.review_doc)


def build_formatter_graph(deps: GraphDeps) -> StateGraph[Any, Any, Any, Any]:
    nodes = FormatNodes(deps)
    return _single_call_graph(nodes.load_context, nodes.format_doc, nodes.evaluate)


class ReviewFinding(Filled):
    """One thing that is wrong or missing in one section."""

    section: Line = Field(description="id of the section that it is about")
    severity: Severity = Field(description="critical: it would not work; major: it must be mended; minor: it may stay")
    finding: Prose = Field(description="what is wrong or missing, and where, in one or two sentences")
    suggestion: Prose = Field(description="what would mend it, in a sentence")


class Review(Filled):
    """What a review found. Whether a revision is needed is computed by severity."""

    summary: Prose = Field(description="two to four sentences: how good the sections are as a whole")
    findings: list[ReviewFinding] = Field(default=[], description="the gravest first; none if all is well")

    @field_validator("findings")
    @classmethod
    def _about_known_sections(cls, findings: list[ReviewFinding], info: ValidationInfo) -> list[ReviewFinding]:
        known = (info.context or {}).get("sections")
        unknown = sorted({finding.section for finding in findings} - set(known or ())) if known is not None else []
        if unknown:
            raise ValueError(f"unknown sections: {unknown}; there are {sorted(known or ())}")
        return findings

    @property
    def verdict(self) -> ReviewVerdict:
        counted: Counter[str] = Counter(finding.severity for finding in self.findings)
        return ReviewVerdict(needs_revision=bool(GRAVE & counted.keys()), findings=dict(counted))


class ReviewNodes(SingleCallNodes):
    graph = "reviewer"

    async def review_doc(self, state: SingleCallState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        job, run = state["job"], runtime.context
        caller, words = self._deps.models.for_node(self.graph, REVIEW_DOC), language_of(job).words
        if not caller.judges:
            return await self._reviewed(job, run, None, words.not_reviewed)
        titles = {upstream.section_id: upstream.title for upstream in job.upstream}
        messages = self._messages(state, REVIEW_DOC, "review")
        try:
            answer = await caller.structured(
                run.call, REVIEW_DOC, messages, Review, context={"sections": titles}, closed={"section": list(titles)}
            )
        except (MalformedAnswerError, ContextTooLongError) as error:
            # Another try would end in the same way: the drafts that are there go to a person.
            log.warning("not_judged", error_type=type(error).__name__, detail=error.detail)
            return await self._reviewed(job, run, None, words.not_reviewed, f"the reviewer failed: {error.detail}")
        return await self._reviewed(job, run, answer.value, render_review(answer.value, titles, words))

    async def _reviewed(
        self, job: GenerateSection, run: RunContext, review: Review | None, text: str, reason: str = ""
    ) -> dict[str, Any]:
        return {
            **await self._store(job, run, as_draft(job.section.title, text)),
            "review": review.verdict.model_dump() if review else None,
            "evaluation": not_judged([], reason),
        }


def render_review(review: Review, titles: Mapping[str, str], words: Words) -> str:
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
    mend = words.to_mend.format(suggestion=_one_line(finding.suggestion))
    return f"- {title}: {_one_line(finding.finding)} {mend}"


_OWN_NUMBER = re.compile(r"\A[#(\[]{0,2}\d{1,3}[.):\]]{1,2} ")


def _one_line(text: str) -> str:
    """A text as an item of a list, without the number that it gave itself."""
    return _OWN_NUMBER.sub("", re.sub(r"\s+", " ", text).strip())


class Introduction(Filled):
    """What stands before the drafts."""

    introduction: Text = Field(
        default="", description="one to three paragraphs for those who decide: what is designed, and why"
    )
    key_decisions: list[Line] = Field(default=[], max_length=10, description="decisions of the drafts, one each")


@dataclass(frozen=True)
class Draft:
    id: str
    title: str
    text: str


DRAFTS_ALONE = "the drafts stand without an introduction; write one, or ask for one of a stronger model"


class FormatNodes(SingleCallNodes):
    graph = "formatter"

    async def format_doc(self, state: SingleCallState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        job, run = state["job"], runtime.context
        instead = too_much_said(job, DRAFTS_ALONE) if job.quote_only else ""
        introduction = Introduction() if instead else await self._introduction(state, run)
        drafts = await asyncio.gather(*(_load_draft(job, upstream, run) for upstream in _without_review(job)))
        unmet = await run.library.text(job.document, job.unmet_review) if job.unmet_review else ""
        text = assemble_document(job.section.title, introduction, drafts, unmet, language_of(job))
        return await self._store(job, run, text) | lacking(instead)

    async def _introduction(self, state: SingleCallState, run: RunContext) -> Introduction:
        messages = self._messages(state, FORMAT_DOC, "final document")
        caller = self._deps.models.for_node(self.graph, FORMAT_DOC)
        return (await caller.structured(run.call, FORMAT_DOC, messages, Introduction)).value

    async def evaluate(self, state: SingleCallState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        if state["partial"]:
            return {"evaluation": not_judged([], state["warnings"][0]["detail"])}
        found = await evaluate_draft(self._deps, runtime.context, state["job"], state["material"], state["draft"])
        return {"evaluation": found}


def _without_review(job: GenerateSection) -> list[UpstreamDraft]:
    kinds = {entry.section_id: entry.kind for entry in job.outline}
    return [upstream for upstream in job.upstream if kinds.get(upstream.section_id) != REVIEW_DOC]


async def _load_draft(job: GenerateSection, upstream: UpstreamDraft, run: RunContext) -> Draft:
    return Draft(upstream.section_id, upstream.title, await run.library.text(job.document, upstream.draft))


def assemble_document(
    title: str, introduction: Introduction, drafts: Sequence[Draft], unmet_review: str, language: Language
) -> str:
    """The final document; only what the model wrote is tidied."""
    words = language.words
    opening = [without_headings(introduction.introduction)] if introduction.introduction else []
    if introduction.key_decisions:
        decisions = (language.sentence(_one_line(line).lstrip("-*+#> ")) for line in introduction.key_decisions)
        opening += [f"## {words.key_decisions}", "\n".join(f"- {decision}" for decision in decisions)]
    blocks = [as_draft(title, "\n\n".join(opening)).rstrip()]
    for draft in drafts:
        blocks += [f"## {clean_heading(draft.title)}", body_under_heading(draft.text, draft.id)]
    if unmet_review:
        blocks += [f"## {words.open_review_findings}", words.unmet_review, body_under_heading(unmet_review, "review")]
    return "\n\n".join(blocks) + "\n"
