"""Exports of documents, and whatever else is stored of one, by its digest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from stemma_client import DocumentView, ExportView
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.views import FormExportView

from stemma_gateway.authentication import Caller
from stemma_gateway.content import content, served
from stemma_gateway.problems import NotFound

from .addresses import AtLeast, DigestOf, DocumentId, document_of


def references(found: Any) -> Iterator[ArtifactRef]:
    if isinstance(found, ArtifactRef):
        yield found
        return
    for inner in _inside(found):
        yield from references(inner)


def _inside(found: Any) -> Iterator[Any]:
    if isinstance(found, BaseModel):
        yield from (value for _, value in found)
    elif isinstance(found, Mapping):
        yield from found.values()
    elif isinstance(found, (tuple, list)):
        yield from found


router = APIRouter(tags=["exports"], prefix="/documents/{document_id}")


@router.get("/exports")
async def list_exports(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[ExportView]:
    """The exports that were asked for."""
    return list((await document_of(session, document_id, at_least)).exports.values())


@router.get("/exports/{export_id}")
async def show_export(session: Caller, document_id: DocumentId, export_id: str, at_least: AtLeast = 0) -> ExportView:
    """An export: neither an artifact nor a failure while the converter is at work."""
    return _export(await document_of(session, document_id, at_least), export_id)


@content(router, "/exports/{export_id}/content")
async def download_export(request: Request, session: Caller, document_id: DocumentId, export_id: str) -> Response:
    """The file of an export."""
    export = _export(await document_of(session, document_id), export_id)
    if export.artifact is None:
        raise NotFound(_not_made(export.failure))
    return await served(request, session, document_id, export.artifact)


@router.get("/form-exports")
async def list_form_exports(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[FormExportView]:
    """The forms with answers in them that were asked for."""
    return list((await document_of(session, document_id, at_least)).form_exports.values())


@router.get("/form-exports/{export_id}")
async def show_form_export(
    session: Caller, document_id: DocumentId, export_id: str, at_least: AtLeast = 0
) -> FormExportView:
    """A form with answers in it: neither an artifact nor reasons while the converter is at work."""
    return _form_export(await document_of(session, document_id, at_least), export_id)


@content(router, "/form-exports/{export_id}/content")
async def download_form_export(request: Request, session: Caller, document_id: DocumentId, export_id: str) -> Response:
    """The file of a form with answers in it."""
    export = _form_export(await document_of(session, document_id), export_id)
    if export.artifact is None:
        raise NotFound(_not_made("; ".join(export.reasons)))
    return await served(request, session, document_id, export.artifact)


@content(router, "/artifacts/{digest}")
async def download_artifact(request: Request, session: Caller, document_id: DocumentId, digest: DigestOf) -> Response:
    """Whatever the view of a document refers to, by its digest."""
    for ref in references(await document_of(session, document_id)):
        if ref.digest == digest:
            return await served(request, session, document_id, ref)
    raise NotFound(Problem.of("content_missing"))


def _not_made(failure: str | None) -> Problem:
    return Problem.of("export_failed", reason=failure) if failure else Problem.of("export_not_made")


def _form_export(document: DocumentView, export_id: str) -> FormExportView:
    if export_id not in document.form_exports:
        raise NotFound(Problem.of("form_export_unknown"))
    return document.form_exports[export_id]


def _export(document: DocumentView, export_id: str) -> ExportView:
    if export_id not in document.exports:
        raise NotFound(Problem.of("export_unknown"))
    return document.exports[export_id]
