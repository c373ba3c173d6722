"""Jobs to outcomes."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, assert_never

from stemma_contracts.v1.jobs import EvaluateDraft, GenerateSection, ResumeGraph, SectionJob
from stemma_contracts.v1.outcomes import (
    AnswerMalformed,
    DraftEvaluated,
    GraphPaused,
    ModelUnavailable,
    Outcome,
    SectionGenerated,
)
from stemma_contracts.v1.values import ArtifactRef, Evaluation, EvaluationResult, Need, Provenance
from stemma_models import CallContext, MalformedAnswerError, ModelUnavailableError

from .graphs.parts import GraphParts, RunContext
from .graphs.section.evaluating import evaluated
from .graphs.section.material import load_material
from .runner import Finished, Paused, Runner
from .sources.library import Library

AGENT_VERSION = f"generation-graph/{version('stemma-generation-graph')}"

PublishLive = Callable[[str, str, str, bytes], Awaitable[None]]


@dataclass(frozen=True)
class Desk:
    """What the handlers work with."""

    runner: Runner
    parts: GraphParts
    library: Library
    publish_live: PublishLive


async def on_generate_section(job: GenerateSection, *, desk: Desk) -> Outcome:
    """Write a section and evaluate it."""
    context = _context(job, job.thread_id, desk)
    return await _outcome(job, desk, context, partial(desk.runner.start, job, context))


async def on_resume_graph(job: ResumeGraph, *, desk: Desk) -> Outcome:
    """Go on with a paused graph."""
    context = _context(job, job.thread_id, desk)
    answer = await desk.library.text(job.document, job.answer)
    return await _outcome(job, desk, context, partial(desk.runner.resume, job, answer, context))


async def on_evaluate_draft(job: EvaluateDraft, *, desk: Desk) -> Outcome:
    """Evaluate a text that no generator wrote."""
    context = _context(job, job.job_id, desk)
    as_written = GenerateSection(**job.model_dump(exclude={"draft", "version"}), thread_id=job.job_id)
    try:
        material = await load_material(as_written, desk.library, desk.parts.limits)
        draft = await desk.library.text(job.document, job.draft)
        found = await evaluated(desk.parts, context, as_written, material, draft)
    except ModelUnavailableError as error:
        return ModelUnavailable(**_echo(job, context), detail=error.detail)
    except MalformedAnswerError as error:
        return AnswerMalformed(**_echo(job, context), detail=error.detail)
    evaluation = await _evaluation(job, desk, found)
    return DraftEvaluated(**_echo(job, context), evaluation=evaluation, provenance=_recipe(job, desk))


async def _outcome(
    job: SectionJob, desk: Desk, context: RunContext, run: Callable[[], Awaitable[Finished | Paused]]
) -> Outcome:
    try:
        result = await run()
    except ModelUnavailableError as error:
        return ModelUnavailable(**_echo(job, context), detail=error.detail)
    except MalformedAnswerError as error:
        return AnswerMalformed(**_echo(job, context), detail=error.detail)
    match result:
        case Finished():
            return await _generated(job, desk, context, result)
        case Paused():
            return await _paused(job, desk, context, result)
        case _:
            assert_never(result)


async def _generated(job: SectionJob, desk: Desk, context: RunContext, result: Finished) -> SectionGenerated:
    evaluation = await _evaluation(job, desk, result.state["evaluation"])
    draft = ArtifactRef.model_validate(result.state["draft_artifact"])
    return SectionGenerated(**_echo(job, context), draft=draft, evaluation=evaluation, provenance=_recipe(job, desk))


async def _evaluation(job: SectionJob, desk: Desk, found: Mapping[str, Any]) -> Evaluation:
    feedback = EvaluationResult(scores=found["scores"], feedback=found["feedback"], passed=found["passed"])
    name = f"{job.section.section_id}.evaluation.json"
    ref = await desk.library.store(job.document, feedback.model_dump_json().encode(), "application/json", name)
    return Evaluation(
        scores=found["scores"],
        score=found["score"],
        passed=found["passed"],
        critical_failures=tuple(found["critical_failures"]),
        feedback=ref,
    )


async def _paused(job: SectionJob, desk: Desk, context: RunContext, result: Paused) -> GraphPaused:
    name = f"{job.section.section_id}.question.md"
    question = await desk.library.store(job.document, result.asked.question.encode(), "text/markdown", name)
    place = f"{result.thread_id}\n{result.checkpoint_id}".encode()
    need = Need(
        need_id=f"need-{hashlib.sha256(place).hexdigest()[:32]}",
        kind=result.asked.kind,
        question=question,
        checkpoint_id=result.checkpoint_id,
    )
    return GraphPaused(**_echo(job, context), thread_id=result.thread_id, need=need)


def _recipe(job: SectionJob, desk: Desk) -> Provenance:
    section, parts = job.section, desk.parts
    return Provenance(
        model=parts.models.for_node("generate").settings.name,
        prompt_digest=parts.prompts.get(section.graph, "generate", section.kind).digest,
        criteria_digest=parts.criteria.for_kind(section.kind).digest,
        agent_version=AGENT_VERSION,
    )


def _echo(job: SectionJob, context: RunContext) -> dict[str, object]:
    return {
        "job_id": job.job_id,
        "tenant": job.document.tenant,
        "document_id": job.document.document_id,
        "section_id": job.section.section_id,
        "usage": context.call.meter.total,
    }


def _context(job: SectionJob, thread_id: str, desk: Desk) -> RunContext:
    tenant, document_id, section_id = job.document.tenant, job.document.document_id, job.section.section_id

    async def live(token: str) -> None:
        await desk.publish_live(tenant, document_id, section_id, token.encode(errors="replace"))

    return RunContext(CallContext(tenant, document_id, section_id, job.job_id, thread_id), desk.library, live)
