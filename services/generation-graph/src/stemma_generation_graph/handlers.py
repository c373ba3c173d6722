"""Jobs to outcomes."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeVar, assert_never

from faststream.nats import NatsRouter
from stemma_contracts.base import filled_from
from stemma_contracts.execution import graph_execution_id
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.evaluation import Evaluation, EvaluationResult
from stemma_contracts.v1.jobs import (
    DropThreads,
    EraseThreads,
    EvaluateDraft,
    GenerateSection,
    ProposeRequirements,
    ResumeGraph,
    SectionJob,
)
from stemma_contracts.v1.needs import Need
from stemma_contracts.v1.outcomes import (
    AnswerMalformed,
    ContextTooLong,
    DraftEvaluated,
    GraphPaused,
    InputsMissing,
    ModelUnavailable,
    NoRoleLeft,
    Outcome,
    RequirementsProposed,
    RoleAnalysisMissing,
    SectionGenerated,
    ThreadLost,
    ThreadsErased,
)
from stemma_contracts.v1.provenance import GenerationWarning, NodeRun, ProcessingMetadata, Provenance, RetrievedSource
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_messaging import account, job_routes
from stemma_messaging.same_kind import SameKind
from stemma_models import call_context, echo, or_failure
from stemma_models.prompting import parse_blocks
from stemma_telemetry import annotate

from .deps import GraphDeps, RunContext
from .evaluating import evaluate_draft
from .graphs.registry import recipe
from .graphs.roles.nodes import GRAPH as ROLES
from .graphs.section.nodes import GRAPH as SECTION
from .runner import Finished, GenerateResult, Paused, Runner, ThreadLostError, encoded, resume_value
from .second_opinion import on_propose_requirements
from .sources import InputsRefused, Library, UnreadableInputs, missing_inputs
from .writing import GIVEN, load_material

T = TypeVar("T")
NotWritten = ModelUnavailable | AnswerMalformed | ContextTooLong | InputsMissing | RoleAnalysisMissing | NoRoleLeft
Written = SectionGenerated | GraphPaused | NotWritten
Resumed = Written | ThreadLost
Evaluated = DraftEvaluated | ModelUnavailable | AnswerMalformed | ContextTooLong | InputsMissing
PublishLive = Callable[[str, str, str, bytes, int], Awaitable[bool]]


@dataclass(frozen=True)
class Tools:
    runner: Runner
    deps: GraphDeps
    library: Library
    publish_live: PublishLive
    same_kind: SameKind


def routes(tools: Callable[[], Tools]) -> NatsRouter:
    async def generate_section(job: GenerateSection) -> Written:
        await tools().same_kind.require(job)
        return await on_generate_section(job, tools=tools())

    async def resume_graph(job: ResumeGraph) -> Resumed:
        await tools().same_kind.require(job)
        return await on_resume_graph(job, tools=tools())

    async def evaluate_draft(job: EvaluateDraft) -> Evaluated:
        await tools().same_kind.require(job)
        return await on_evaluate_draft(job, tools=tools())

    async def propose_requirements(job: ProposeRequirements) -> RequirementsProposed:
        return await on_propose_requirements(job, deps=tools().deps, library=tools().library)

    async def drop_threads(job: DropThreads) -> None:
        await on_drop_threads(job, tools=tools())

    async def erase_threads(job: EraseThreads) -> ThreadsErased:
        return await on_erase_threads(job, tools=tools())

    return job_routes(generate_section, resume_graph, evaluate_draft, propose_requirements, drop_threads, erase_threads)


async def on_generate_section(job: GenerateSection, *, tools: Tools) -> Written:
    if job.quote_only and job.section.graph == ROLES:  # quotations need no roles
        job = job.model_copy(update={"section": job.section.model_copy(update={"graph": SECTION})})
    context = _context(job, job.thread_id, tools)
    if missing := await missing_inputs(job, tools.library):
        return InputsMissing(
            **echo(job, context.call), detail="; ".join(missing.values())[:300], missing=tuple(missing)
        )
    return await _outcome(job, tools, context, partial(tools.runner.start, job, context))


async def on_resume_graph(job: ResumeGraph, *, tools: Tools) -> Resumed:
    context = _context(job, job.thread_id, tools)
    answer = resume_value(job.answer, failed=job.failed, detail=job.detail)
    try:
        return await _outcome(job, tools, context, partial(tools.runner.resume, job, answer, context))
    except ThreadLostError as lost:
        return ThreadLost(**echo(job, context.call), detail=str(lost))


async def on_drop_threads(job: DropThreads, *, tools: Tools) -> None:
    await tools.runner.drop(job.threads)


async def on_erase_threads(job: EraseThreads, *, tools: Tools) -> ThreadsErased:
    threads = await tools.runner.erase(job.document.document_id)
    return ThreadsErased(**job.echo(), threads=threads)


async def on_evaluate_draft(job: EvaluateDraft, *, tools: Tools) -> Evaluated:
    context = _context(job, job.job_id, tools)
    found = await _or_failure(job, context, _judged(job, tools, context))
    if isinstance(found, Outcome):
        return found
    evaluation = await _evaluation(job, tools, found)
    return DraftEvaluated(**echo(job, context.call), evaluation=evaluation, provenance=_recipe(job, tools))


async def _judged(job: EvaluateDraft, tools: Tools, context: RunContext) -> dict[str, Any]:
    as_written = GenerateSection(**job.model_dump(exclude={"draft", "version"}), thread_id=job.job_id)
    limits, kinds = tools.deps.limits, tools.deps.kinds
    material = await load_material(as_written, tools.library, limits, kinds, context.call)
    draft = await tools.library.text(job.document, job.draft)
    return await evaluate_draft(tools.deps, context, as_written, material, draft)


async def _or_failure(
    job: SectionJob, context: RunContext, work: Awaitable[T]
) -> T | ModelUnavailable | AnswerMalformed | ContextTooLong | InputsMissing:
    """What the work gives, or the outcome that says how the model failed, or which input cannot be used."""
    try:
        return await or_failure(job, context.call, work)
    except (InputsRefused, UnreadableInputs) as refused:
        return InputsMissing(**echo(job, context.call), detail=str(refused)[:300])


async def _outcome(
    job: SectionJob, tools: Tools, context: RunContext, run: Callable[[], Awaitable[GenerateResult]]
) -> Written:
    annotate(session_id=tools.runner.session_of(job.section.graph, context.call.thread_id))
    started, began = datetime.now(UTC), time.monotonic()
    result = await _or_failure(job, context, run())
    match result:
        case Finished():
            lasted, made_with = time.monotonic() - began, _recipe(job, tools)
            metadata = processing_metadata(job, result.state, started, lasted, made_with)
            told = failed(result.state, echo(job, context.call), metadata)
            return told or await _generated(job, tools, context, result.state, made_with, metadata)
        case Paused():
            return await _paused(job, tools, context, result)
        case ModelUnavailable() | AnswerMalformed() | ContextTooLong() | InputsMissing():
            return result
        case _:
            assert_never(result)


async def _generated(
    job: SectionJob,
    tools: Tools,
    context: RunContext,
    state: Mapping[str, Any],
    made_with: Provenance,
    metadata: ProcessingMetadata,
) -> SectionGenerated:
    evaluation = await _evaluation(job, tools, state["evaluation"])
    return SectionGenerated(
        **echo(job, context.call),
        draft=ArtifactRef.model_validate(state["draft_artifact"]),
        evaluation=evaluation,
        provenance=made_with,
        retrieved_context=retrieved_context(state),
        processing_metadata=metadata,
        review=state.get("review"),
        left_out=state.get("left_out_artifact"),
        assets=tuple(map(InputFile.model_validate, state.get("assets", ()))),
        partial=state.get("partial", False),
        warnings=tuple(map(GenerationWarning.model_validate, state.get("warnings", ()))),
    )


async def _evaluation(job: SectionJob, tools: Tools, found: Mapping[str, Any]) -> Evaluation:
    feedback = EvaluationResult(scores=found["scores"], feedback=found["feedback"], passed=found["passed"])
    name = f"{job.section.section_id}.evaluation.json"
    ref = await tools.library.store(job.document, feedback.model_dump_json().encode(), "application/json", name)
    return Evaluation.model_validate({**found, "feedback": ref})


async def _paused(job: SectionJob, tools: Tools, context: RunContext, result: Paused) -> GraphPaused:
    asked, name = result.asked, f"{job.section.section_id}.question.md"
    words = encoded(asked.question)
    question = await tools.library.store(job.document, words, "text/markdown", name) if words else None
    place = f"{result.thread_id}\n{result.checkpoint_id}".encode()
    need_id = f"need-{hashlib.sha256(place).hexdigest()[:32]}"
    need = filled_from(Need, result, asked, need_id=need_id, question=question)
    return GraphPaused(**echo(job, context.call), thread_id=result.thread_id, need=need)


def _recipe(job: SectionJob, tools: Tools) -> Provenance:
    section = job.section
    return recipe(tools.deps, section.graph, tools.runner.writer(section.graph), section.kind)


def _context(job: SectionJob, thread_id: str, tools: Tools) -> RunContext:
    tenant, document_id, section_id = job.document.tenant, job.document.document_id, job.section.section_id

    written = 0

    async def live(token: str) -> bool:
        nonlocal written
        at = written if token else 0  # a call begins with an empty text
        written = at + len(token)
        return await tools.publish_live(tenant, document_id, section_id, token.encode(errors="replace"), at)

    call = call_context(job, thread_id)
    account(lambda: call.meter.total)
    return RunContext(call, tools.library, live)


CRITICAL: Mapping[str, type[o.RoleAnalysisMissing | o.NoRoleLeft]] = {
    "role_analysis_missing": o.RoleAnalysisMissing,
    "no_role_left": o.NoRoleLeft,
}


def retrieved_context(state: Mapping[str, Any]) -> tuple[RetrievedSource, ...] | None:
    """The inputs and upstream sections whose text was in the prompts, and inputs of which not all was.

    Nothing is told by a graph without material.
    """
    if "material" not in state:
        return None
    found, shown = [], parse_blocks(state["material"])
    counts = {
        entry.attributes["name"]: entry.attributes for one in shown if one.tag == "left_out" for entry in one.children
    }
    for one in shown:
        if one.tag in GIVEN and one.text:
            found.append(_input(one.attributes["name"], counts))
        elif one.tag == "upstream":
            version = int(one.attributes.get("version", "0"))
            found.append(RetrievedSource(kind="upstream", name=one.attributes.get("id", ""), version=version))
    return tuple(dict.fromkeys([*found, *(_input(name, counts) for name in counts)]))


def _input(name: str, counts: Mapping[str, Mapping[str, str]]) -> RetrievedSource:
    count = {key: int(counts[name][key]) for key in ("given", "of")} if name in counts else {}
    return RetrievedSource(kind="input", name=name, **count)


def processing_metadata(
    job: SectionJob, state: Mapping[str, Any], started: datetime, seconds: float, recipe: Provenance
) -> ProcessingMetadata:
    """When and how long a graph ran, and its nodes as far as it keeps account of them.

    How long is no difference of two times of day: a clock that is set meanwhile would make it negative.
    """
    return filled_from(
        ProcessingMetadata,
        recipe,
        graph_execution_id=graph_execution_id(job.job_id),
        started_at=started,
        finished_at=started + timedelta(seconds=seconds),
        seconds=round(seconds, 3),
        agent=job.section.agent,
        nodes=tuple(NodeRun.model_validate(entry) for entry in state.get("timings", ())),
        timed_out=state.get("timed_out", False),
    )


def failed(
    state: Mapping[str, Any], echo: Mapping[str, Any], metadata: ProcessingMetadata
) -> o.RoleAnalysisMissing | o.NoRoleLeft | None:
    """The outcome of a run that came to nothing, with what is known of its course; nothing for any other."""
    critical = state.get("critical")
    if not critical:
        return None
    last = state["errors"][-1]
    detail = ": ".join(filter(None, (last["error_type"], last["detail"])))
    return CRITICAL[critical](**echo, detail=detail, processing_metadata=metadata)
