"""The jobs of this service: check one draft, read the demands of a request, and always answer."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from faststream.nats import NatsRouter
from pydantic import BaseModel
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_confinement import Limits
from stemma_contracts.v1.blocks import BlockIndex
from stemma_contracts.v1.jobs import ExtractRequirements, ValidateDraft
from stemma_contracts.v1.outcomes import DraftValidated, ExtractionFailed, RequirementsExtracted
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.validation import ValidationIssue
from stemma_forms import without_questions
from stemma_messaging import job_routes
from stemma_telemetry import get_logger

from .answers import answers_in
from .citing import Citations, CitationsFound
from .claims import ClaimFindings
from .confined import checked
from .covering import coverage_of
from .engines import LintEngine
from .engines.base import normalise
from .engines.rumdl import SafeFixes
from .errors import DraftDamaged, DraftNotFound, DraftNotText, DraftTooLarge, Unfinished
from .extracting import on_extract_requirements
from .files import Files
from .given import Given, given_texts, used_inputs
from .grounds import Grounds
from .identification import identified
from .report import OF_THE_WHOLE, Findings, found, nothing_found
from .resting import used_upstream
from .structure import StructureCheck, fields_of
from .sums import sums_in

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
    async def validate_draft(job: ValidateDraft) -> DraftValidated:
        return await on_validate_draft(job, tools=tools())

    async def extract_requirements(job: ExtractRequirements) -> RequirementsExtracted | ExtractionFailed:
        opened = tools()
        return await on_extract_requirements(job, artifacts=opened.artifacts, limits=opened.limits)

    return job_routes(validate_draft, extract_requirements)


async def on_validate_draft(job: ValidateDraft, *, tools: Tools) -> DraftValidated:
    """Check a draft. What keeps it from being checked is an issue of the report, never an exception."""
    files, engine, limits = Files(tools.artifacts, job.document), tools.engine, tools.limits
    blocks, claims, fixed, more = None, ClaimFindings(), None, dict[str, Any]()
    findings, unfinished = nothing_found(engine), Unfinished()
    with unfinished.noted():
        text = await _read(job.draft, files, tools.draft_limit)
        with unfinished.noted():
            text, fixed = await _mended(job, text, files, tools.fixes)
        blocks = await identified(job, text, files, limits)
        with unfinished.noted():
            findings = await _check(job, text.removeprefix(BYTE_ORDER_MARK), files, tools)
        given = await given_texts(job, files)
        findings = findings.with_issues(await _sums(job, text, given, files, limits, unfinished))
        claims = await _claims(job, text, given, tools, unfinished)
        more = await _further(job, text, given, blocks, claims, files, limits, unfinished)
    findings = _asked_for(job, findings.with_claims(claims).unfinished(unfinished.causes))
    _log(findings)
    report, index, grounding = await _kept(job, findings, fixed, blocks, claims, files)
    summary = findings.summary(report, index)
    return DraftValidated(**job.echo(), validation=summary.model_copy(update=_claims_told(claims, grounding) | more))


async def _sums(
    job: ValidateDraft, text: str, given: Sequence[Given], files: Files, limits: Limits, unfinished: Unfinished
) -> list[ValidationIssue]:
    found = list[ValidationIssue]()
    with unfinished.noted():
        found += await sums_in(job, text, given, files, limits)
    return found


async def _claims(
    job: ValidateDraft, text: str, given: Sequence[Given], tools: Tools, unfinished: Unfinished
) -> ClaimFindings:
    citations, claims = CitationsFound(), ClaimFindings()
    with unfinished.noted():
        citations = await tools.citations.of(job, text, given, tools.limits)
    with unfinished.noted():
        claims = await tools.grounds.check(job, without_questions(text) if job.section.form else text, citations.ranges)
    return citations.added_to(claims)


async def _further(
    job: ValidateDraft,
    text: str,
    given: Sequence[Given],
    blocks: BlockIndex | None,
    claims: ClaimFindings,
    files: Files,
    limits: Limits,
    unfinished: Unfinished,
) -> dict[str, Any]:
    told = dict[str, Any]()
    with unfinished.noted():
        told["coverage"] = await coverage_of(job, text, files, limits)
    with unfinished.noted():
        told["used"] = await used_inputs(given, text, limits)
    with unfinished.noted():
        told["used_upstream"] = await used_upstream(job, text, claims.report.claims, files, limits)
    with unfinished.noted():
        told["answers"] = await answers_in(job, text, given, blocks, files, limits)
    return told


def _asked_for(job: ValidateDraft, findings: Findings) -> Findings:
    return findings.without(OF_THE_WHOLE) if job.excerpt else findings


def _claims_told(claims: ClaimFindings, grounding: ArtifactRef | None) -> dict[str, Any]:
    return {"grounding": grounding, "unsupported": claims.unsupported, "unread": claims.report.unread[:MAX_UNREAD]}


async def _mended(job: ValidateDraft, text: str, files: Files, fixes: SafeFixes) -> tuple[str, ArtifactRef | None]:
    """The text with what is safe to mend, if that was asked for, and where it lies if it differs."""
    if not job.fix or (mended := await fixes.of(text)) == text:
        return text, None
    return mended, await files.put(mended, job.draft.name)


async def _read(draft: ArtifactRef, files: Files, limit: int) -> str:
    if draft.size > limit:
        raise DraftTooLarge(draft.name, limit)
    try:
        return (await files.data(draft)).decode()
    except ArtifactMissing:
        raise DraftNotFound(draft.name) from None
    except ArtifactCorrupt:
        raise DraftDamaged(draft.name) from None
    except UnicodeDecodeError:
        raise DraftNotText(draft.name) from None


async def _check(job: ValidateDraft, text: str, files: Files, tools: Tools) -> Findings:
    lint = map(normalise, await tools.engine.lint(text))
    wanted = {"required_headings": job.section.required_headings, "max_words": job.section.max_words}
    about = {"text": text, "assets": job.assets, "fields": await fields_of(job, files)}
    about["language"] = job.document.language or "en"
    check = StructureCheck.model_validate(about | ({} if job.excerpt else wanted))
    structure = await checked(check, tools.limits)
    return found(tools.engine, lint, structure)


async def _kept(
    job: ValidateDraft,
    findings: Findings,
    fixed: ArtifactRef | None,
    blocks: BlockIndex | None,
    claims: ClaimFindings,
    files: Files,
) -> tuple[ArtifactRef | None, ArtifactRef | None, ArtifactRef | None]:
    """Where report, blocks and claims lie, stored at the same time: a draft that is checked is waited for."""
    is_reported = findings.issues or job.always_report
    report = findings.report().model_copy(update={"fixed": fixed}) if is_reported else None

    async def put(body: BaseModel | None, name: str) -> ArtifactRef | None:
        return await files.put(body, name) if body is not None else None

    return await asyncio.gather(
        put(report, "validation.json"),
        put(blocks, "blocks.json"),
        put(claims.report if job.brief else None, "grounding.json"),
    )


def _log(findings: Findings) -> None:
    lines = sorted({issue.line_number for issue in findings.issues})
    log.info("validation_ran", issue_count=len(findings.issues), line_numbers=lines[:_MAX_LOGGED_LINES])
