"""The job of this service: change one draft as an instruction says, and nothing else in it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from faststream.nats import NatsRouter
from stemma_artifacts.store import ArtifactStore
from stemma_confinement import ConfinementError, Limits, Prepared
from stemma_confinement.computing import Computing
from stemma_contracts.v1.jobs import ReviseDraft
from stemma_contracts.v1.outcomes import (
    AnswerMalformed,
    ContextTooLong,
    DraftRevised,
    InstructionRefused,
    ModelUnavailable,
)
from stemma_contracts.v1.provenance import Provenance
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import ValidationReport
from stemma_messaging import account, job_routes
from stemma_messaging.same_kind import SameKind
from stemma_models import CallContext, ModelCaller, Prompt, Prompts, call_context, echo, or_failure
from stemma_telemetry import get_logger, span
from stemma_telemetry.names import Attr, Span

from .drafts import split_draft
from .editors import GRAPH, NODE, Editors, recipe
from .judging import judged, prepare
from .revision import DRAFT, Material, Revision, Upstream, messages, unescaped

DEFAULT_LANGUAGE = "en"
Revised = DraftRevised | InstructionRefused | ModelUnavailable | AnswerMalformed | ContextTooLong
MAX_ISSUES = 50
LIMITS = Limits(seconds=120, memory_mb=1024, output_mb=64)
"""Of one comparison: the worst draft that a person can hand in takes 90 s."""

log = get_logger()
# One for all drafts of this process; it starts with the first long one.
_prepared = Prepared(prepare)


@dataclass(frozen=True)
class Tools:
    artifacts: ArtifactStore
    models: ModelCaller
    prompts: Prompts
    editors: Editors
    same_kind: SameKind
    computing: Computing = field(default_factory=lambda: Computing(_prepared, LIMITS))


def routes(tools: Callable[[], Tools]) -> NatsRouter:
    async def revise_draft(job: ReviseDraft) -> Revised:
        await tools().same_kind.require(job)
        return await on_revise_draft(job, tools=tools())

    return job_routes(revise_draft)


async def on_revise_draft(job: ReviseDraft, *, tools: Tools) -> Revised:
    """Ask the editor of the section's kind for replacements, and apply them."""
    context = call_context(job)
    account(lambda: context.meter.total)
    try:
        return await _revised(job, tools, context)
    except ConfinementError as error:
        reason = f"The draft cannot be compared ({error}). Shorten it, or edit it yourself."
        return await _refused(job, tools.artifacts, reason, echo(job, context))


async def _revised(job: ReviseDraft, tools: Tools, context: CallContext) -> Revised:
    material = await _load(job, tools)
    editor = tools.editors.for_kind(job.section.kind)
    prompt = tools.prompts.get(GRAPH, NODE, editor)
    revision = await or_failure(job, context, _ask(job, tools.models, prompt, material, context))
    if not isinstance(revision, Revision):
        return revision
    made_by = recipe(tools.models.settings.name, tools.prompts, editor)
    return await _apply(job, tools, material, revision, echo(job, context), made_by)


async def _apply(
    job: ReviseDraft, tools: Tools, material: Material, revision: Revision, echoed: dict[str, Any], made_by: Provenance
) -> DraftRevised | InstructionRefused:
    """The draft with the replacements in it; what changes nothing, or another thing than was asked, is a refusal."""
    blocks = material.draft.changes({name: unescaped(text, material.draft) for name, text in revision.texts.items()})
    old, new = material.draft.text, material.draft.replaced(blocks)
    compared = old, new, material.instruction, material.language, revision.refused
    summary, reason = await tools.computing.compute(judged, *compared)
    log.info("draft_revised", kind=job.section.kind, changed_blocks=len(blocks), refused=bool(reason))
    if reason:
        return await _refused(job, tools.artifacts, reason, echoed)
    return DraftRevised(
        **echoed,
        draft=await _store(job, tools.artifacts, new, job.draft.media_type, job.draft.name),
        summary=await _store(job, tools.artifacts, summary, "text/plain", "summary.txt"),
        provenance=made_by,
    )


async def _refused(
    job: ReviseDraft, artifacts: ArtifactStore, reason: str, echoed: dict[str, Any]
) -> InstructionRefused:
    return InstructionRefused(**echoed, reason=await _store(job, artifacts, reason, "text/plain", "reason.txt"))


async def _load(job: ReviseDraft, tools: Tools) -> Material:
    async def text(ref: ArtifactRef) -> str:
        return (await tools.artifacts.get(job.document.tenant, job.document.document_id, ref)).decode()

    refs = (job.draft, job.instruction, job.brief, *(one.draft for one in job.upstream))
    draft, instruction, brief, *drafts = await asyncio.gather(*map(text, refs))
    upstream = (
        Upstream(one.section_id, one.title, one.version, own) for one, own in zip(job.upstream, drafts, strict=True)
    )
    split = await tools.computing.compute(split_draft, draft)
    issues = ValidationReport.model_validate_json(await text(job.report)).issues if job.report is not None else ()
    return Material(
        job.section,
        split,
        instruction,
        brief,
        job.document.language or DEFAULT_LANGUAGE,
        tuple(upstream),
        issues[:MAX_ISSUES],
    )


async def _ask(
    job: ReviseDraft, models: ModelCaller, prompt: Prompt, material: Material, context: CallContext
) -> Revision:
    system = prompt.render({"title": job.section.title, "document_kind": job.document.kind})
    asked = messages(system, material)
    attributes: dict[str, str] = {Attr.GEN_AI_OPERATION: Span.INVOKE_AGENT.value, Attr.GEN_AI_AGENT: NODE}
    with span(f"{Span.INVOKE_AGENT} {NODE}", attributes=attributes):
        closed = {"block_id": [one.block_id for one in material.draft.blocks]}
        known = {DRAFT: material.draft}
        answer = await models.structured(context, NODE, asked, Revision, context=known, closed=closed)
    return answer.value


async def _store(job: ReviseDraft, artifacts: ArtifactStore, text: str, media_type: str, name: str) -> ArtifactRef:
    tenant, document_id = job.document.tenant, job.document.document_id
    return await artifacts.put(tenant, document_id, text.encode(), media_type=media_type, name=name)
