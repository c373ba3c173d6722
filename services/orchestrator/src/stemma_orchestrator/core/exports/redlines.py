"""Exports that compare versions: which drafts and images they mean."""

from __future__ import annotations

from collections.abc import Sequence

from stemma_contracts.v1.exports import ExportSection, ExportVersion, VersionPair
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_document.state import Document, Section, status_of

_MOST_VERSIONS = 100
"""In one job, so that it stays a message."""


def compared_sections(pairs: Sequence[VersionPair], document: Document) -> tuple[ExportSection, ...]:
    """The sections of a comparison, in the order of the document."""
    asked = {pair.section_id: pair for pair in pairs}
    most = _MOST_VERSIONS // max(1, len(asked))
    return tuple(_compared(section, asked[name], most) for name, section in document.sections.items() if name in asked)


def compared_assets(pairs: Sequence[VersionPair], document: Document) -> tuple[InputFile, ...]:
    """The images that came with the compared versions."""
    chosen = ((pair.section_id, number) for pair in pairs for number in (pair.from_version, pair.to_version))
    return tuple(
        asset
        for section_id, number in chosen
        for version in document.sections[section_id].versions
        if version.number == number
        for asset in version.assets
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
