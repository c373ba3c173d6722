"""One conversion from its drafts to its format; it reads what strangers wrote, and is called in a process of its own.

It finds all artifacts in a folder, and leaves the document there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from html import unescape
from math import ceil
from pathlib import Path
from urllib.parse import quote, unquote

from stemma_contracts.v1.exports import ExportSection, OverlongSection
from stemma_contracts.v1.jobs import ConvertDocument
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_languages import language, shipped

from .assembly import (
    Draft,
    assemble,
    draft,
    key_of,
    language_of,
    replayed_drafts,
    versions,
    wanted_images,
    with_previous,
)
from .converter import Converter, file_name
from .errors import ConversionError
from .images import Picture, vet
from .manuscript import Manuscript
from .matrix import answer_places
from .not_covered import ledger_rows, read_report, report_refs
from .order import EXPORT, Done, Failure, Order, Staged, keep_pages, kept_pages
from .pages import Pages, SectionPages
from .source import decode, flatten_footnotes, with_citations

TOLERANCE = 0.05
"""Of a page: the space above the next heading is no text."""


def too_long(sections: Sequence[ExportSection], pages: Pages | None) -> tuple[OverlongSection, ...]:
    """The sections beyond their limit, by the pages of our PDF; none where no pages were set."""
    found = pages.of_sections() if pages is not None else ()
    return tuple(_beyond(sections, found)) if len(found) == len(sections) else ()


def _beyond(sections: Sequence[ExportSection], found: Sequence[SectionPages]) -> Iterator[OverlongSection]:
    for section, stands in zip(sections, found, strict=True):
        if section.max_pages is not None and stands.length > section.max_pages + TOLERANCE:
            pages = max(ceil(stands.length - TOLERANCE), section.max_pages + 1)
            yield OverlongSection(section_id=section.section_id, pages=pages, max_pages=section.max_pages)


READ_AT_ONCE = 2


def prepare() -> None:
    """Read what every conversion reads: imports aside, the languages are half of a short one."""
    for tag in shipped():
        language(tag).name_of(tag)


def convert(folder: Path, order: Order) -> Done:
    return asyncio.run(_done(order, folder))


def may_show(folder: Path, texts: list[ArtifactRef], assets: list[InputFile]) -> list[InputFile]:
    """The assets whose file name stands in one of the texts of a folder, however it is escaped."""
    written = "\n".join(Staged(folder).get(text).decode("utf-8", errors="replace") for text in texts)
    spellings = [written, plain := unescape(written).replace("\\", ""), unquote(plain)]
    return [asset for asset in assets if any(name in text for text in spellings for name in _names(asset.name))]


def _names(name: str) -> tuple[str, str]:
    last = name.rpartition("/")[2]
    return last, quote(last)


async def _done(order: Order, folder: Path) -> Done:
    """Convert; what cannot be converted is told and not raised."""
    job, converter, artifacts = order.job, order.converter(), Staged(folder)
    if pages := kept_pages(folder):
        converter.kept.put(key_of(job), pages)
    try:
        manuscript = await _manuscript(job, artifacts, converter)
        export = await converter.write(job.format, manuscript)
    except ConversionError as error:
        return Done(failure=Failure.of(error))
    (folder / EXPORT).write_bytes(export.data)
    if export.pages:
        keep_pages(folder, export.pages)
    return Done(
        name=file_name(manuscript, job.format),
        warnings=manuscript.warnings,
        remarks=export.remarks,
        too_long=too_long(job.sections, export.pages),
    )


async def _manuscript(job: ConvertDocument, artifacts: Staged, converter: Converter) -> Manuscript:
    title = decode(artifacts.get(job.document.title)) if job.document.title else ""
    now, before = versions(job)
    drafts = await _drafts(job, now, artifacts, converter)
    earlier = await _drafts(job, before, artifacts, converter)
    pictures = _pictures(job, [*drafts, *earlier], artifacts, converter)
    reports = filter(None, (read_report(artifacts.get(ref)) for ref in report_refs(job) if artifacts.has(ref)))
    demands = ledger_rows(artifacts.get(job.ledger)) if job.ledger and artifacts.has(job.ledger) else ()
    places = answer_places(job, artifacts)
    manuscript = assemble(job, title, converter.house, drafts, pictures, list(reports), demands, places)
    if not job.redline:
        return manuscript
    previous = assemble(job, title, converter.house, earlier, pictures)
    texts = {digest: decode(artifacts.get(ref)) for digest, ref in replayed_drafts(job).items()}
    return with_previous(manuscript, previous, job, texts)


async def _drafts(
    job: ConvertDocument, sections: Sequence[ExportSection], artifacts: Staged, converter: Converter
) -> list[Draft]:
    """The drafts of sections, few of them read at a time: each takes a process and memory of its own."""
    few = asyncio.Semaphore(READ_AT_ONCE)

    async def one(section: ExportSection) -> Draft:
        async with few:
            return await _draft(job, section, artifacts, converter)

    return await asyncio.gather(*map(one, sections))


async def _draft(job: ConvertDocument, section: ExportSection, artifacts: Staged, converter: Converter) -> Draft:
    if section.draft is None:
        return draft(section, [])
    source = flatten_footnotes(decode(_cited(job, section, section.draft, artifacts)))
    return draft(section, await converter.pandoc.read(source))


def _cited(job: ConvertDocument, section: ExportSection, ref: ArtifactRef, artifacts: Staged) -> bytes:
    """A draft, with its citations if they are asked for and known."""
    data = artifacts.get(ref)
    if not job.citations or section.grounding is None or not artifacts.has(section.grounding):
        return data
    text, report = data.decode("utf-8", errors="replace"), artifacts.get(section.grounding)
    return with_citations(text, ref, report, language_of(job.document.language)).encode()


def _pictures(
    job: ConvertDocument, drafts: Sequence[Draft], artifacts: Staged, converter: Converter
) -> dict[str, Picture | None]:
    wanted = wanted_images(drafts)
    assets = {asset.name: asset.artifact for asset in job.assets if asset.name in wanted}
    return {
        name: vet(artifacts.get(ref), converter.images) if artifacts.has(ref) else None
        for name, ref in sorted(assets.items())
    }
