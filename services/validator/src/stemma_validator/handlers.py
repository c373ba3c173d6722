"""The jobs of this service: check one draft, read the demands of a request, and always answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from faststream import AckPolicy
from faststream.nats import JStream, NatsRouter
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_confinement import Limits
from stemma_contracts import subjects
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.jobs import ExtractRequirements, ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated, ExtractionFailed, RequirementsExtracted
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import ValidationSummary
from stemma_forms import without_ids
from stemma_telemetry import get_logger

from .answers import answers_in
from .citing import Citations, CitationsFound
from .claims import ClaimFindings
from .confined import checked
from .covering import coverage_of
from .engines import LintEngine
from .engines.base import normalise
from .errors import DraftDamaged, DraftNotFound, DraftNotText, DraftTooLarge, Unfinished
from .extracting import on_extract_requirements
from .fixes import SafeFixes
from .given import Given, given_texts, used_inputs
from .grounds import Grounds
from .identification import identified, stored
from .report import OF_THE_WHOLE, Findings, found, nothing_found
from .structure import StructureCheck, fields_of

DRAFT_LIMIT = 4 * 1024 * 1024
BYTE_ORDER_MARK = "\ufeff"
MAX_UNREAD = 20
_MAX_LOGGED_LINES = 50

log = get_logger()


@dataclass(frozen=True)
class Tools:
    artifacts: ArtifactStore
    engine: LintEngine
    grounds: Grounds
    fixes: SafeFixes
    limits: Limits
    draft_limit: int = DRAFT_LIMIT
    citations: Citations = field(default_factory=Citations)


def routes(tools: Callable[[], Tools]) -> NatsRouter:
    router, jobs = NatsRouter(ack_policy=AckPolicy.MANUAL), JStream(subjects.JOBS, declare=False)

    @router.subscriber(subjects.bulk_job(subjects.VALIDATOR, "validate-draft"), stream=jobs)
    @router.subscriber(subjects.job(subjects.VALIDATOR, "validate-draft"), stream=jobs)
    async def validate_draft(job: ValidateDraft) -> DraftValidated:
        return await on_validate_draft(job, tools=tools())

    @router.subscriber(subjects.bulk_job(subjects.VALIDATOR, "extract-requirements"), stream=jobs)
    @router.subscriber(subjects.job(subjects.VALIDATOR, "extract-requirements"), stream=jobs)
    async def extract_requirements(job: ExtractRequirements) -> RequirementsExtracted | ExtractionFailed:
        opened = tools()
        return await on_extract_requirements(job, artifacts=opened.artifacts, limits=opened.limits)

    return router


async def on_validate_draft(job: ValidateDraft, *, tools: Tools) -> DraftValidated:
    """Check a draft. What keeps it from being checked is an issue of the report, never an exception."""
    artifacts, engine, limits = tools.artifacts, tools.engine, tools.limits
    blocks, claims, fixed, more = None, ClaimFindings(), None, dict[str, Any]()
    findings, unfinished = nothing_found(engine), Unfinished()
    with unfinished.noted():
        text = await _read(job, artifacts, tools.draft_limit)
        with unfinished.noted():
            text, fixed = await _mended(job, text, artifacts, tools.fixes)
        blocks = await identified(job, text, artifacts, limits)
        with unfinished.noted():
            findings = await _check(job, text.removeprefix(BYTE_ORDER_MARK), tools)
        given = await given_texts(job, artifacts)
        claims = await _claims(job, text, given, tools, unfinished)
        more = await _further(job, text, given, blocks, tools, unfinished)
    findings = _asked_for(job, findings.with_claims(claims).unfinished(unfinished.causes))
    _log(findings)
    report, index, grounding = await _kept(job, findings, fixed, blocks, claims, artifacts)
    summary = findings.summary(report, index)
    return _outcome(job, summary.model_copy(update=_claims_told(claims, grounding) | more))


async def _claims(
    job: ValidateDraft, text: str, given: Sequence[Given], tools: Tools, unfinished: Unfinished
) -> ClaimFindings:
    """Where the claims of the draft stand, and which places of inputs its sentences rest on."""
    citations, claims = CitationsFound(), ClaimFindings()
    with unfinished.noted():
        citations = await tools.citations.of(job, text, given, tools.limits)
    with unfinished.noted():
        claims = await tools.grounds.check(job, without_ids(text) if job.section.form else text, citations.ranges)
    return citations.added_to(claims)


async def _further(
    job: ValidateDraft,
    text: str,
    given: Sequence[Given],
    blocks: BlockIndex | None,
    tools: Tools,
    unfinished: Unfinished,
) -> dict[str, Any]:
    """What of the inputs the draft covers, what of them it rests on, and which requirements it answers."""
    told = dict[str, Any]()
    with unfinished.noted():
        told["coverage"] = await coverage_of(job, text, tools.artifacts, tools.limits)
    with unfinished.noted():
        told["used"] = await used_inputs(given, text, tools.limits)
    with unfinished.noted():
        told["answers"] = await answers_in(job, text, blocks, tools.artifacts, tools.limits)
    return told


def _asked_for(job: ValidateDraft, findings: Findings) -> Findings:
    """Of an excerpt what only the whole can tell is not asked."""
    return findings.without(OF_THE_WHOLE) if job.excerpt else findings


def _claims_told(claims: ClaimFindings, grounding: ArtifactRef | None) -> dict[str, Any]:
    return {"grounding": grounding, "unsupported": claims.unsupported, "unread": claims.report.unread[:MAX_UNREAD]}


def _outcome(job: ValidateDraft, validation: ValidationSummary) -> DraftValidated:
    return DraftValidated(
        job_id=job.job_id,
        tenant=job.document.tenant,
        document_id=job.document.document_id,
        section_id=job.section.section_id,
        validation=validation,
    )


async def _mended(
    job: ValidateDraft, text: str, artifacts: ArtifactStore, fixes: SafeFixes
) -> tuple[str, ArtifactRef | None]:
    """The text with what is safe to mend, if that was asked for, and where it lies if it differs."""
    if not job.fix or (mended := await fixes.of(text)) == text:
        return text, None
    return mended, await _put(job, mended.encode(), artifacts, job.draft.name, "text/markdown")


async def _read(job: ValidateDraft, artifacts: ArtifactStore, limit: int) -> str:
    draft = job.draft
    if draft.size > limit:
        raise DraftTooLarge(draft.name, limit)
    try:
        data = await artifacts.get(job.document.tenant, job.document.document_id, draft)
        return data.decode()
    except ArtifactMissing:
        raise DraftNotFound(draft.name) from None
    except ArtifactCorrupt:
        raise DraftDamaged(draft.name) from None
    except UnicodeDecodeError:
        raise DraftNotText(draft.name) from None


async def _check(job: ValidateDraft, text: str, tools: Tools) -> Findings:
    lint = map(normalise, await tools.engine.lint(text))
    wanted = {"required_headings": job.section.required_headings, "max_words": job.section.max_words}
    about = {"text": text, "assets": job.assets, "fields": await fields_of(job, tools.artifacts)}
    check = StructureCheck.model_validate(about | ({} if job.excerpt else wanted))
    structure = await checked(check, tools.limits)
    return found(tools.engine, lint, structure)


async def _kept(
    job: ValidateDraft,
    findings: Findings,
    fixed: ArtifactRef | None,
    blocks: BlockIndex | None,
    claims: ClaimFindings,
    artifacts: ArtifactStore,
) -> tuple[ArtifactRef | None, ArtifactRef | None, ArtifactRef | None]:
    """Where report, blocks and claims lie, stored at the same time: a draft that is checked is waited for."""
    return await asyncio.gather(
        _store(job, findings, fixed, artifacts), stored(job, blocks, artifacts), _store_claims(job, claims, artifacts)
    )


async def _store(
    job: ValidateDraft, findings: Findings, fixed: ArtifactRef | None, artifacts: ArtifactStore
) -> ArtifactRef | None:
    if not findings.issues and not job.always_report:
        return None
    report = findings.report().model_copy(update={"fixed": fixed})
    return await _put(job, report.model_dump_json().encode(), artifacts, "validation.json")


async def _store_claims(job: ValidateDraft, claims: ClaimFindings, artifacts: ArtifactStore) -> ArtifactRef | None:
    if job.brief is None:
        return None
    return await _put(job, claims.report.model_dump_json().encode(), artifacts, "grounding.json")


async def _put(
    job: ValidateDraft, data: bytes, artifacts: ArtifactStore, name: str, media_type: str = "application/json"
) -> ArtifactRef:
    head = job.document
    return await artifacts.put(head.tenant, head.document_id, data, media_type=media_type, name=name)


def _log(findings: Findings) -> None:
    lines = sorted({issue.line_number for issue in findings.issues})
    log.info("validation_ran", issue_count=len(findings.issues), line_numbers=lines[:_MAX_LOGGED_LINES])
