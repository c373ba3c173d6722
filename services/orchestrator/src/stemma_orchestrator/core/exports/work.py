"""The work of exports: a conversion of what leaves as the document, and what its outcome means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1.exports import ExportFormat, ExportSection
from stemma_contracts.v1.ledger import AnsweredRows, RequirementAnswer
from stemma_contracts.v1.references import ArtifactRef
from stemma_document.answering import answered_rows, answering_blocks, open_mandatory
from stemma_document.staleness import staleness
from stemma_document.state import Document, Export, Section, status_of

from stemma_orchestrator.core.cycles import exported
from stemma_orchestrator.core.hooks import Task, Work
from stemma_orchestrator.core.job_parts import head_of, images_of
from stemma_orchestrator.core.outcomes import unfitting

from .redlines import compared_assets, compared_sections


class _Settled(TypedDict):
    export_id: str
    format: ExportFormat
    job_id: str


class _Requirements(TypedDict):
    ledger: ArtifactRef | None
    open_requirements: tuple[str, ...]
    matrix: tuple[AnsweredRows, ...]
    answers: tuple[RequirementAnswer, ...]


def work(document: Document) -> Iterator[Work]:
    """The conversions that are open, also while the document is paused."""
    for export_id, export in document.exports.items():
        if export.job_id is not None:
            yield export.job_id, _CONVERSION, (document, export_id, export)


def _convert(document: Document, export_id: str, export: Export) -> j.ConvertDocument:
    assert export.job_id is not None
    return j.ConvertDocument(
        job_id=export.job_id,
        document=head_of(document),
        export_id=export_id,
        format=export.format,
        sections=compared_sections(export.redline, document) if export.redline else _sections(document, export),
        assets=images_of(document, compared_assets(export.redline, document)),
        generator=_generator(document),
        redline=bool(export.redline),
        citations=export.citations,
        **_requirements(document, export),
    )


def _converted(document: Document, export_id: str, export: Export, outcome: o.Outcome) -> e.AnyExportOutcome:
    settled = _Settled(export_id=export_id, format=export.format, job_id=outcome.job_id)
    match outcome:
        case o.DocumentConverted():
            return e.DocumentExported(
                **settled,
                artifact=outcome.artifact,
                warnings=outcome.warnings,
                remarks=outcome.remarks,
                too_long=outcome.too_long,
                not_covered=outcome.not_covered,
                open_requirements=outcome.open_requirements,
            )
        case o.ConversionFailed():
            return e.ExportFailed(**settled, detail=outcome.detail)
        case o.JobDead():
            return e.ExportJobDead(**settled, detail=outcome.detail)
        case _:
            raise unfitting(outcome)


def _requirements(document: Document, export: Export) -> _Requirements:
    """What the document has to answer, and what of it is open; a comparison does not go out."""
    ledger = document.ledger
    if ledger is None or export.redline:
        return _Requirements(ledger=None, open_requirements=(), matrix=(), answers=())
    matrix, still_open = answered_rows(document) if export.matrix else (), open_mandatory(document)
    rows = ledger.rows if matrix or still_open else None
    answers = answering_blocks(document) if matrix else ()
    return _Requirements(ledger=rows, open_requirements=still_open, matrix=matrix, answers=answers)


def _sections(document: Document, export: Export) -> tuple[ExportSection, ...]:
    stale = staleness(document)
    return tuple(_section(section, section.plan.section_id in stale, export) for section in exported(document))


def _section(section: Section, stale: bool, export: Export) -> ExportSection:
    validation = section.current.validation if section.current else None
    return ExportSection(
        section_id=section.plan.section_id,
        title=section.plan.title,
        status=status_of(section.phase),
        stale=stale,
        version=section.current_number,
        draft=section.current.draft if section.current else None,
        max_pages=section.plan.max_pages,
        covers_inputs=section.plan.covers_inputs,
        coverage=validation.coverage if validation else None,
        grounding=validation.grounding if validation and export.citations else None,
        blocks=validation.blocks if validation and export.matrix else None,
    )


def _generator(document: Document) -> str:
    versions = (version for section in document.sections.values() for version in section.versions)
    return ", ".join(sorted({version.provenance.model for version in versions if version.provenance}))[:200]


_CONVERSION = Task(_convert, _converted, of_section=False)
