"""Pause, resume, cancel, export: what people decide about a whole document."""

from __future__ import annotations

from typing import assert_never

from stemma_contracts import Contract, registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests
from stemma_document.state import Document, Lifecycle

from .commands import Cancel, DocumentCommand, Export, Pause, Resume
from .edit_commands import by
from .redlines import refusal_of

_REQUEST_TYPES: dict[type, type[Contract]] = {
    Pause: requests.PauseDocument,
    Resume: requests.ResumeDocument,
    Cancel: requests.CancelDocument,
    Export: requests.ExportDocument,
}
_ALLOWED = {
    Pause: frozenset({Lifecycle.RUNNING, Lifecycle.FAILED}),
    Resume: frozenset({Lifecycle.PAUSED}),
    Cancel: frozenset(Lifecycle) - {Lifecycle.CANCELLED, Lifecycle.COMPLETED},
    Export: frozenset(Lifecycle),
}


def decide_document(command: DocumentCommand, document: Document) -> e.AnyEvent:
    """The event of a request about the document, or the refusal by its status."""
    asked = by(command.asked)
    if document.lifecycle not in _ALLOWED[type(command)]:
        wire_name = registry.entry_of(_REQUEST_TYPES[type(command)]).ce_type
        return e.RefusedByDocumentStatus(**asked, request=wire_name, document_status=document.lifecycle)
    match command:
        case Pause():
            return e.DocumentPaused(**asked)
        case Resume():
            return e.DocumentResumed(**asked)
        case Cancel():
            return e.DocumentCancelled(**asked)
        case Export():
            return _export(command, document)
        case _:
            assert_never(command)


def _export(command: Export, document: Document) -> e.AnyEvent:
    asked = by(command.asked)
    refusal = {**asked, "request": registry.entry_of(requests.ExportDocument).ce_type}
    return refusal_of(command.redline, document, refusal) or e.ExportRequested(
        **asked, export_id=f"export-{document.number + 1}", format=command.format, redline=command.redline
    )
