"""The messages of the roles graph."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from stemma_contracts.v1.jobs import GenerateSection
from stemma_models.prompting import block

from stemma_generation_graph.deps import GraphDeps, RunContext
from stemma_generation_graph.writing.evaluating import prompt_values
from stemma_generation_graph.writing.material import (
    QUERY_BRIEF_CHARS,
    clip,
    collected,
    form,
    headings_block,
    images_block,
    input_blocks,
    outline_block,
    round_blocks,
    section_block,
    upstream_blocks,
)

from .schemas import Role

GRAPH = "roles"
ANALYZER, EXECUTOR, SYNTHESIZER = "role_analyzer", "dynamic_agent_executor", "synthesizer"
PROMPTED = (ANALYZER, EXECUTOR, SYNTHESIZER)


async def load_request(job: GenerateSection, deps: GraphDeps, run: RunContext) -> tuple[str, str]:
    """The request in words, and as blocks with all that it may be answered from."""
    limits, library = deps.limits, run.library
    request = clip(await library.text(job.document, job.brief), limits.brief)
    corpus = await library.corpus(job.document, job.inputs)
    found = [
        block("brief", request),
        *await asyncio.to_thread(input_blocks, corpus, request[:QUERY_BRIEF_CHARS], limits.inputs),
        *images_block(corpus.images),
        *await upstream_blocks(job, library, limits.upstream),
    ]
    return request, "\n".join(found)


def analysis_messages(job: GenerateSection, deps: GraphDeps, material: str, most: int) -> list[BaseMessage]:
    """What the analyzer is asked: which roles the request needs, at most so many."""
    asked = [block("task", "role analysis"), section_block(job), material]
    return _messages(job, deps, ANALYZER, [*asked, block("instruction", f"At most {most} roles.")])


def role_messages(
    job: GenerateSection, deps: GraphDeps, role: Role, roles: Sequence[Role], request: str, material: str
) -> list[BaseMessage]:
    """What a role is asked: its own instructions, beside those of the others that it leaves their share to."""
    about_all = form(job) | collected(job.section)
    others = [block("entry", _purpose(other), id=other.id, kind="role", title=other.name) for other in roles]
    asked = [
        block("task", "contribution"),
        block("section", _purpose(role), id=role.id, kind="role", title=role.name, **about_all),
        block("outline", others),
        block("instruction", instructions(role, request)),
        material,
    ]
    return _messages(job, deps, EXECUTOR, asked)


def instructions(role: Role, request: str) -> str:
    """The prompt template of a role, filled in; other braces stay as they are."""
    values = {"user_request": request, "name": role.name, "perspective": role.perspective}
    text = role.prompt_template
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


async def synthesis_messages(
    job: GenerateSection, deps: GraphDeps, run: RunContext, outputs: Sequence[tuple[Role, str]], request: str
) -> list[BaseMessage]:
    """What the synthesizer is asked: one text out of the contributions, or in a lint round the last one put right."""
    asked = [
        block("task", "synthesis"),
        section_block(job),
        *headings_block(job.section),
        block("brief", request),
        *(block("upstream", text, id=role.id, title=role.name) for role, text in outputs),
        *await round_blocks(job, run.library),
    ]
    return _messages(job, deps, SYNTHESIZER, asked)


def judged_material(job: GenerateSection, material: str) -> str:
    return "\n".join([section_block(job), outline_block(job), *headings_block(job.section), material])


def _purpose(role: Role) -> str:
    return f"{role.description} Perspective: {role.perspective}"


def _messages(job: GenerateSection, deps: GraphDeps, node: str, asked: Sequence[str]) -> list[BaseMessage]:
    prompt = deps.prompts.get(GRAPH, node, job.section.kind).render(prompt_values(job))
    return [SystemMessage(prompt), HumanMessage("\n".join(asked))]
