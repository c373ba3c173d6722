"""Exports: the document as it is now, or a comparison of versions that it has, becomes a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, assert_never, get_args

from stemma_contracts import subjects
from stemma_contracts.base import filled_from
from stemma_contracts.media import SHOWN
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import jobs as j
from stemma_contracts.v1 import outcomes as o
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.exports import (
    OPEN,
    ExportRemark,
    ExportSection,
    ExportVersion,
    VersionPair,
)
from stemma_contracts.v1.ledger import AnsweredRows, RequirementAnswer
from stemma_contracts.v1.proofs import PROVEN, Settlement
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.validation import OPEN_HEADING
from stemma_contracts.v1.views import ExportView

from stemma_domain.commands import Asked, refused
from stemma_domain.features.inputs.material import brief_file, evidence_of
from stemma_domain.features.ledger.answering import answered_rows, answering_blocks, open_mandatory, row_of
from stemma_domain.hooks import Feature, Task, Work
from stemma_domain.jobs import CONVERT, head_of, images_of, job_id, unfitting
from stemma_domain.staleness import staleness
from stemma_domain.state import Approved, Document, Edited, Section, person_of, settled, status_of

from .cycles import exported


@dataclass(frozen=True)
class Export:
    """An export that was asked for, and its job until it is settled, with an artifact or with a failure."""

    view: ExportView
    job_id: str | None = None


def evolve(document: Document, event: e.ExportRequested | e.AnyExportOutcome) -> Document:
    export = _export_after(document, event)
    document = document if isinstance(event, e.ExportRequested) else settled(document, event.job_id)
    return replace(document, exports={**document.exports, event.export_id: export})


def _export_after(document: Document, event: e.ExportRequested | e.AnyExportOutcome) -> Export:
    before = document.exports.get(event.export_id)
    view = before.view if before else ExportView(export_id=event.export_id, format=event.format)
    match event:
        case e.ExportRequested():
            by = person_of(event)
            asked = {"asked_by": by.name, "verified": by.verified, "asked_at": document.time}
            job = job_id(document, CONVERT, event.export_id)
            return Export(ExportView.model_validate(dict(event) | asked), job)
        case e.DocumentExported():
            return Export(ExportView.model_validate(dict(view) | dict(event)))
        case e.ExportFailed():
            detail = event.detail or "failed"
            return _failed(view, detail, Problem(field="", message=detail, code=event.code, params=event.params))
        case e.ExportJobDead():
            problem = Problem.of("job_dead", reason=event.detail or "no reason given")
            return _failed(view, event.detail or "failed", problem)
        case _:
            assert_never(event)


def _failed(view: ExportView, detail: str, problem: Problem) -> Export:
    return Export(view.model_copy(update={"failure": detail, "failure_problem": problem}))


def decide(command: Asked[r.ExportDocument], document: Document) -> Sequence[e.AnyEvent]:
    return [_not_there(command, document) or _requested(command, document)]


def _requested(command: Asked[r.ExportDocument], document: Document) -> e.ExportRequested:
    return filled_from(e.ExportRequested, command.request, **command.asked, export_id=f"export-{document.number + 1}")


def _not_there(command: Asked[r.ExportDocument], document: Document) -> e.DecisionRefused | None:
    for pair in command.request.redline:
        section = document.sections.get(pair.section_id)
        if section is None:
            problem = Problem.of("section_unknown", "redline", section_id=pair.section_id)
            return refused(command, problem, pair.section_id)
        known = {0, *(version.number for version in section.versions)}
        if unknown := {pair.from_version, pair.to_version} - known:
            name, version = pair.section_id, min(unknown)
            problem = Problem.of("version_unknown", "redline", section_id=name, version=version)
            return refused(command, problem, name)
    return None


_MOST_VERSIONS = 100
"""In one job, so that it stays a message."""


def compared_sections(pairs: Sequence[VersionPair], document: Document) -> tuple[ExportSection, ...]:
    asked = {pair.section_id: pair for pair in pairs}
    most = _MOST_VERSIONS // max(1, len(asked))
    return tuple(_compared(section, asked[name], most) for name, section in document.sections.items() if name in asked)


def compared_assets(pairs: Sequence[VersionPair], document: Document) -> tuple[InputFile, ...]:
    chosen = ((pair.section_id, number) for pair in pairs for number in (pair.from_version, pair.to_version))
    return tuple(
        asset
        for section_id, number in chosen
        for version in document.sections[section_id].versions
        if version.number == number
        for asset in version.images
    )


def _compared(section: Section, pair: VersionPair, most: int) -> ExportSection:
    return ExportSection(
        section_id=section.plan.section_id,
        title=section.plan.title,
        status=status_of(section.phase),
        version=pair.to_version,
        draft=_draft_of(section, pair.to_version),
        previous=_draft_of(section, pair.from_version),
        history=_history(section, pair, most),
    )


def _history(section: Section, pair: VersionPair, most: int) -> tuple[ExportVersion, ...]:
    """The versions on the way; of too many only the names are told, of the newest."""
    passed = [version for version in section.versions if pair.from_version < version.number <= pair.to_version]
    return tuple(
        ExportVersion(
            version=v.number, author=v.author, made_at=v.made_at, draft=v.draft if len(passed) <= most else None
        )
        for v in passed[-max(1, most) :]
    )


def _draft_of(section: Section, number: int) -> ArtifactRef | None:
    return next((version.draft for version in section.versions if version.number == number), None)


class _Requirements(TypedDict):
    ledger: ArtifactRef | None
    open_requirements: tuple[str, ...]
    unsure_requirements: tuple[str, ...]
    matrix: tuple[AnsweredRows, ...]
    answers: tuple[RequirementAnswer, ...]


def work(document: Document) -> Iterator[Work]:
    for export_id, export in document.exports.items():
        if export.job_id is not None:
            yield export.job_id, _CONVERSION, (document, export_id, export)


def _convert(document: Document, export_id: str, export: Export) -> j.ConvertDocument:
    assert export.job_id is not None
    redline = export.view.redline
    return filled_from(
        j.ConvertDocument,
        export.view,
        job_id=export.job_id,
        document=head_of(document),
        sections=compared_sections(export.view.redline, document)
        if export.view.redline
        else _sections(document, export),
        assets=images_of(document, compared_assets(redline, document)),
        generator=_generator(document),
        redline=bool(redline),
        inputs=tuple(_inputs(document)) if _is_proven(export) else (),
        forms=() if redline else _forms(document, export),
        **_requirements(document, export),
    )


def _converted(document: Document, export_id: str, export: Export, outcome: o.Outcome) -> e.AnyExportOutcome:
    about = {"export_id": export_id, "format": export.view.format}
    match outcome:
        case o.DocumentConverted():
            remarks = (*outcome.remarks, *(() if export.view.redline else _open_headings(document)))
            return filled_from(e.DocumentExported, outcome, **about, remarks=remarks)
        case o.ConversionFailed():
            return filled_from(e.ExportFailed, outcome, **about)
        case o.JobDead():
            return filled_from(e.ExportJobDead, outcome, **about)
        case _:
            raise unfitting(outcome)


def _open_headings(document: Document) -> Iterator[ExportRemark]:
    for section in exported(document):
        validation = section.current.validation if section.current else None
        if validation and (count := validation.rules.get(OPEN_HEADING, 0)):
            yield ExportRemark(code=OPEN, section_id=section.plan.section_id, count=count)


def _requirements(document: Document, export: Export) -> _Requirements:
    """What the document has to answer, what of it is open, and the rules for the bid; a comparison does not go out."""
    ledger = document.ledger
    if ledger is None or export.view.redline:
        return _Requirements(ledger=None, open_requirements=(), unsure_requirements=(), matrix=(), answers=())
    matrix, still_open = answered_rows(document) if export.view.matrix else (), open_mandatory(document)
    answers = answering_blocks(document) if matrix or _is_proven(export) else ()
    unsure = tuple(name for name in still_open if row_of(document, name).status == "check")
    return _Requirements(
        ledger=ledger.rows, open_requirements=still_open, unsure_requirements=unsure, matrix=matrix, answers=answers
    )


def _sections(document: Document, export: Export) -> tuple[ExportSection, ...]:
    stale = staleness(document)
    return tuple(_section(section, section.plan.section_id in stale, export) for section in exported(document))


def _forms(document: Document, export: Export) -> tuple[ExportSection, ...]:
    """The answers to forms that are written."""
    written = (section for section in document.sections.values() if section.plan.form is not None and section.current)
    return tuple(_section(section, False, export) for section in written)


def _section(section: Section, stale: bool, export: Export) -> ExportSection:
    validation = section.current.validation if section.current else None
    return filled_from(
        ExportSection,
        section.plan,
        status=status_of(section.phase),
        stale=stale,
        version=section.current_number,
        draft=section.current.draft if section.current else None,
        coverage=validation.coverage if validation else None,
        grounding=validation.grounding if validation else None,
        blocks=validation.blocks if validation and _names_blocks(section, export) else None,
        settled=_settlements(section),
    )


def _is_proven(export: Export) -> bool:
    """Whether the file is to say what it rests on; a comparison is nobody's last word."""
    return export.view.format in PROVEN and not export.view.redline


def _names_blocks(section: Section, export: Export) -> bool:
    answers = section.current and any(found.block_id for found in section.current.sought.values())
    return export.view.matrix or (bool(answers) and _is_proven(export))


def _settlements(section: Section) -> tuple[Settlement, ...]:
    version = section.current
    if version is None or not isinstance(section.phase, Approved | Edited):
        return ()
    if isinstance(section.phase, Approved):
        return version.approvals
    return (Settlement(how="written", by=version.made_by, verified=version.verified, at=version.made_at),)


def _inputs(document: Document) -> Iterator[InputFile]:
    """What drafts may rest on, the brief among it."""
    brief = brief_file(document)
    found = (*evidence_of(document, with_forms=True), *([brief] if brief else []))
    return (file for file in found if file.artifact.media_type not in SHOWN)


def _generator(document: Document) -> str:
    versions = (version for section in document.sections.values() for version in section.versions)
    return ", ".join(sorted({version.provenance.model for version in versions if version.provenance}))[:200]


_CONVERSION = Task(_convert, _converted, of_section=False, after_reading=True)


FEATURE = Feature[Asked[r.ExportDocument]](
    requests=(r.ExportDocument,),
    decide=decide,
    events=(e.ExportRequested, *get_args(e.AnyExportOutcome)),
    evolve=evolve,
    work=work,
    job_owners={CONVERT: subjects.CONVERTER},
)
