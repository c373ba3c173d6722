"""The demands of a document's sources, read into its ledger, with a bound on size, time and memory."""

import asyncio
from collections.abc import Mapping
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ValidationError
from stemma_artifacts.store import ArtifactStore
from stemma_confinement import Limits
from stemma_contracts.media import READ
from stemma_contracts.v1.bids import BidRules
from stemma_contracts.v1.deadlines import Deadlines
from stemma_contracts.v1.inputs import Anchor, Anchors
from stemma_contracts.v1.jobs import ExtractRequirements, LedgerSource
from stemma_contracts.v1.ledger import LedgerDifference, LedgerRow, LedgerRows, LedgerSummary, LedgerWarning
from stemma_contracts.v1.outcomes import ExtractionFailed, RequirementsExtracted
from stemma_contracts.v1.outline import AskedChapters
from stemma_evidence import Labels, language_of
from stemma_evidence.requirements import Source, demanded_chapters, difference, read_ledger, warnings_of

from .confined import Check, checked
from .errors import ValidationImpossible
from .files import Files

SOURCES_LIMIT = 16 * 1024 * 1024
"""Bytes of all sources together: a request of ten thousand pages."""
MAX_DETAIL = 300
Read = TypeVar("Read", Deadlines | None, BidRules | None)


class Origin(BaseModel):
    """Which version of an input a text is, as far as it is known."""

    version: int = 0
    file: str = ""


class Extracted(BaseModel):
    """A ledger, and what it has that the one before had not."""

    rows: LedgerRows
    difference: LedgerDifference
    warnings: tuple[LedgerWarning, ...] = ()
    chapters: AskedChapters | None = None


class Extraction(Check[Extracted]):
    """What is read: texts by their names, and the rows of the reading before."""

    name: ClassVar = "reading of requirements"

    texts: dict[str, str]
    language: str
    previous: LedgerRows
    anchors: dict[str, tuple[Anchor, ...]]
    origins: dict[str, Origin]

    @property
    def characters(self) -> int:
        before = sum(len(row.quote) + len(row.announced_by) for row in self.previous.rows)
        return sum(map(len, self.texts.values())) + before

    def run(self) -> Extracted:
        sources = [self._source(name, text) for name, text in self.texts.items()]
        found = read_ledger(sources, self.previous)
        labels = {name: Labels(self.texts[name], anchors=anchors) for name, anchors in self.anchors.items() if anchors}
        placed = tuple(_placed(row, labels.get(row.source)) for row in found.rows)
        others = {"deadlines": _found_placed(found.deadlines, labels), "bid": _found_placed(found.bid, labels)}
        rows = found.model_copy(update={"rows": placed, **others})
        return Extracted(
            rows=rows,
            difference=difference(self.previous, rows),
            warnings=warnings_of(sources, rows),
            chapters=demanded_chapters(sources, rows.bid) if rows.bid else None,
        )

    def _source(self, name: str, text: str) -> Source:
        origin = self.origins.get(name, Origin())
        return Source(name, text, language_of(text, self.language), origin.version, origin.file)


def _found_placed(read: Read, labels: Mapping[str, Labels]) -> Read:
    if read is None:
        return read
    placed = (one.model_copy(update={"place": _place(labels.get(one.source), one.line)}) for one in read.found)
    return read.model_copy(update={"found": tuple(placed)})


def _placed(row: LedgerRow, labels: Labels | None) -> LedgerRow:
    return row.model_copy(update={"place": _place(labels, row.line)})


def _place(labels: Labels | None, line: int) -> str:
    anchor = labels.at(line) if labels else None
    return anchor.label if anchor else ""


async def on_extract_requirements(
    job: ExtractRequirements, *, artifacts: ArtifactStore, limits: Limits
) -> RequirementsExtracted | ExtractionFailed:
    """Read the demands. What keeps them from being read is told, never raised."""
    if sum(source.artifact.size for source in job.sources) > SOURCES_LIMIT:
        return ExtractionFailed(**job.echo(), detail=f"the sources are more than {SOURCES_LIMIT // 1024**2} MiB")
    files = Files(artifacts, job.document)
    # At a time: the store waits for each that is lost.
    found_texts = await asyncio.gather(*(_text(source, files) for source in job.sources))
    texts = {source.name: text for source, text in zip(job.sources, found_texts, strict=True)}
    check = Extraction(
        texts={name: text for name, text in texts.items() if text is not None},
        language=job.document.language or "en",
        previous=await _previous(job, files),
        anchors=dict(await asyncio.gather(*(_anchors(source, files) for source in job.sources if texts[source.name]))),
        origins={source.name: Origin(version=source.version, file=source.file) for source in job.sources},
    )
    try:
        found = await checked(check, limits)
    except ValidationImpossible as cause:
        return ExtractionFailed(**job.echo(), detail=str(cause)[:MAX_DETAIL])
    unread = tuple(name for name, text in texts.items() if text is None)
    return RequirementsExtracted(
        **job.echo(),
        rows=await files.put(found.rows, "requirements.json"),
        difference=await files.put(found.difference, "requirements-changed.json"),
        summary=_summary(found, unread),
        chapters=found.chapters,
    )


def _summary(found: Extracted, unread: tuple[str, ...]) -> LedgerSummary:
    rows, changes = found.rows.rows, found.difference
    return LedgerSummary(
        mandatory=tuple(row.requirement_id for row in rows if row.obligation == "mandatory"),
        others=tuple(row.requirement_id for row in rows if row.obligation != "mandatory"),
        new=len(changes.new),
        changed=tuple(change.requirement_id for change in changes.changed),
        withdrawn=tuple(row.requirement_id for row in changes.withdrawn),
        unread=unread,
        warnings=found.warnings,
        more=found.rows.more,
    )


async def _text(source: LedgerSource, files: Files) -> str | None:
    return await files.text(source.artifact) if source.artifact.media_type in READ else None


async def _anchors(source: LedgerSource, files: Files) -> tuple[str, tuple[Anchor, ...]]:
    """The name of a source and the places of its file; none if they are lost, for a row is a row without one."""
    found = await files.body(source.anchors, Anchors)
    return source.name, found.anchors if found else ()


async def _previous(job: ExtractRequirements, files: Files) -> LedgerRows:
    """The reading before; a lost one raises, for without it ids would be given twice."""
    try:
        return LedgerRows.model_validate_json(await files.data(job.previous)) if job.previous else LedgerRows()
    except ValidationError:
        return LedgerRows()
