"""The inputs that a draft has to cover, and what its writer left out, read from the artifacts."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import ValidationError
from stemma_artifacts.store import ArtifactCorrupt, ArtifactMissing, ArtifactStore
from stemma_confinement import Limits
from stemma_contracts.media import READ, SHOWN
from stemma_contracts.v1.coverage import CoverageSummary, LeftOutList
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.references import ArtifactRef

from .confined import checked
from .covering import CoverageCheck, InputToCover, reported, summarised


async def coverage_of(
    job: ValidateDraft, text: str, artifacts: ArtifactStore, limits: Limits
) -> CoverageSummary | None:
    """What of the inputs a draft covers, if it has to; raises `ValidationImpossible` past the limits."""
    if not job.section.covers_inputs:
        return None
    inputs = [
        InputToCover(
            name=item.name, text=await _text(job, item.artifact, artifacts), media_type=item.artifact.media_type
        )
        for item in job.inputs
        if item.artifact.media_type not in SHOWN
    ]
    left_out = await _left_out(job, artifacts)
    check = CoverageCheck(text=text, inputs=tuple(_each(inputs)), left_out=left_out.left_out)
    blocks = await checked(check, limits)
    report = await artifacts.put(
        job.document.tenant,
        job.document.document_id,
        reported(check, blocks).model_dump_json().encode(),
        media_type="application/json",
        name="coverage.json",
    )
    return summarised(blocks, report, check.language)


def _each(inputs: Iterable[InputToCover]) -> Iterable[InputToCover]:
    return {item.name: item for item in inputs}.values()


async def _text(job: ValidateDraft, ref: ArtifactRef, artifacts: ArtifactStore) -> str | None:
    if ref.media_type not in READ:
        return None
    try:
        return (await artifacts.get(job.document.tenant, job.document.document_id, ref)).decode("utf-8-sig")
    except (ArtifactMissing, ArtifactCorrupt, UnicodeDecodeError):
        return None


async def _left_out(job: ValidateDraft, artifacts: ArtifactStore) -> LeftOutList:
    if job.left_out is None:
        return LeftOutList()
    try:
        data = await artifacts.get(job.document.tenant, job.document.document_id, job.left_out)
        return LeftOutList.model_validate_json(data)
    except (ArtifactMissing, ArtifactCorrupt, ValidationError):
        return LeftOutList()
