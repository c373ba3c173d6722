"""Export: as the document is now, or as a comparison of versions that it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_document.state import Document

from stemma_orchestrator.core.commands import RequestCommand, refused


@dataclass(frozen=True)
class Export(RequestCommand):
    request = requests.ExportDocument
    format: ExportFormat
    redline: tuple[VersionPair, ...] = ()
    citations: bool = False
    matrix: bool = False


def decide(command: Export, document: Document) -> Sequence[e.AnyEvent]:
    """The request for an export, or the refusal of a comparison of something that is not there."""
    return [_not_there(command, document) or _requested(command, document)]


def _requested(command: Export, document: Document) -> e.ExportRequested:
    export_id = f"export-{document.number + 1}"
    return e.ExportRequested(
        **command.asked,
        export_id=export_id,
        format=command.format,
        redline=command.redline,
        citations=command.citations,
        matrix=command.matrix,
    )


def _not_there(command: Export, document: Document) -> e.AnyRefusal | None:
    for pair in command.redline:
        section = document.sections.get(pair.section_id)
        if section is None:
            return e.RefusedUnknownSection(**refused(command))
        known = {0, *(version.number for version in section.versions)}
        if unknown := {pair.from_version, pair.to_version} - known:
            return e.RefusedUnknownVersion(**refused(command, pair.section_id), restore_version=min(unknown))
    return None
