"""What the converter does with a job."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from stemma_artifacts.store import ArtifactStore
from stemma_contracts.v1.exports import ExportSection
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.outcomes import ConversionFailed, DocumentConverted
from stemma_contracts.v1.values import ArtifactRef
from stemma_telemetry import get_logger

from .assembly import Draft, assemble, draft, replayed_drafts, versions, wanted_images, with_previous
from .converter import Converter, file_name, media_type
from .errors import ConversionError
from .images import Picture, vet
from .length import too_long
from .manuscript import Manuscript
from .not_covered import not_covered, reports
from .source import decode, flatten_footnotes

log = get_logger()


async def on_convert_document(
    job: ConvertDocument, *, artifacts: ArtifactStore, converter: Converter
) -> DocumentConverted | ConversionFailed:
    """Assemble the sections and write them in the format asked for."""
    document = job.document
    echo = {"job_id": job.job_id, "tenant": document.tenant, "document_id": document.document_id}
    try:
        manuscript = await _manuscript(job, artifacts, converter)
        export = await converter.write(job.format, manuscript)
    except ConversionError as error:
        # Of what a program says about its input nothing is kept: it quotes the text.
        why = {"reason": error.code, "program": error.program, "exit_code": error.exit_code}
        log.warning("conversion_failed", format=job.format, **why)
        return ConversionFailed(**echo, detail=error.code)
    lacks = {"too_long": too_long(job.sections, export.pages), "not_covered": not_covered(job.sections)}
    told = {"warnings": manuscript.warnings, "remarks": export.remarks, **lacks}
    kind, name = media_type(job.format), file_name(manuscript, job.format)
    artifact = await artifacts.put(document.tenant, document.document_id, export.data, media_type=kind, name=name)
    return DocumentConverted.model_validate({**echo, **told, "artifact": artifact})


async def _manuscript(job: ConvertDocument, artifacts: ArtifactStore, converter: Converter) -> Manuscript:
    get = partial(artifacts.get, job.document.tenant, job.document.document_id)
    title = decode(await get(job.document.title)) if job.document.title else ""
    now, before = versions(job)
    drafts = [await _draft(section, job, artifacts, converter) for section in now]
    earlier = [await _draft(section, job, artifacts, converter) for section in before]
    pictures = await _pictures(job, [*drafts, *earlier], artifacts, converter)
    uncovered = await reports(job, artifacts)
    manuscript = await asyncio.to_thread(assemble, job, title, converter.house, drafts, pictures, uncovered)
    if not job.redline:
        return manuscript
    previous = await asyncio.to_thread(assemble, job, title, converter.house, earlier, pictures)
    texts = {digest: decode(await get(ref)) for digest, ref in replayed_drafts(job).items()}
    return with_previous(manuscript, previous, job, texts)


async def _draft(section: ExportSection, job: ConvertDocument, artifacts: ArtifactStore, converter: Converter) -> Draft:
    if section.draft is None:
        return draft(section, [])
    data = await artifacts.get(job.document.tenant, job.document.document_id, section.draft)
    source = await asyncio.to_thread(lambda: flatten_footnotes(decode(data)))
    blocks = await converter.pandoc.read(source)
    return await asyncio.to_thread(draft, section, blocks)


async def _pictures(
    job: ConvertDocument, drafts: Sequence[Draft], artifacts: ArtifactStore, converter: Converter
) -> dict[str, Picture | None]:
    """The images that the drafts refer to, one after the other: they are large."""
    wanted = wanted_images(drafts)
    assets: dict[str, ArtifactRef] = {asset.name: asset.artifact for asset in job.assets if asset.name in wanted}
    pictures = {}
    for name, ref in sorted(assets.items()):
        pictures[name] = await _picture(ref, job, artifacts, converter)
    return pictures


async def _picture(
    ref: ArtifactRef, job: ConvertDocument, artifacts: ArtifactStore, converter: Converter
) -> Picture | None:
    if ref.size > converter.images.max_bytes:
        return None
    data = await artifacts.get(job.document.tenant, job.document.document_id, ref)
    return await asyncio.to_thread(vet, data, converter.images)
