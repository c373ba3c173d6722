"""Documents, their sections, versions and texts, their exports, and whatever else is stored of them."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel
from stemma_client import DocumentView, ExportView, SectionView
from stemma_client.comments import ReadThread
from stemma_client.differences import Change, differences
from stemma_client.errors import LedgerFailedError
from stemma_client.ledgers import ListedDeadline, RequirementLedger, listed_deadlines
from stemma_client.library import DemandOffers, LibraryEntry, Offer, entries, offers, search
from stemma_client.proofs import as_prov
from stemma_contracts.v1.answers import Problem, RequestAccepted
from stemma_contracts.v1.bids import BidRules
from stemma_contracts.v1.capabilities import DocumentKind
from stemma_contracts.v1.proofs import Proof
from stemma_contracts.v1.references import ArtifactRef, InputFile
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import EventView, FormExportView

from stemma_gateway.authentication import Caller
from stemma_gateway.bodies import asked_for, create_body_described
from stemma_gateway.content import content, served
from stemma_gateway.delivery import Made, Preferred, Stored, delivered
from stemma_gateway.problems import Conflict, NotFound, problem_in
from stemma_gateway.sessions import Session

from .addresses import (
    At,
    AtLeast,
    DigestOf,
    DocumentId,
    Number,
    SectionId,
    document_of,
    read_log_at,
    section_in,
    section_of,
    told,
)

MOST = 1000
documents = APIRouter(tags=["documents"])
sections = APIRouter(tags=["sections"], prefix="/documents/{document_id}/sections")
exports = APIRouter(tags=["exports"], prefix="/documents/{document_id}")


@documents.get("/documents/{document_id}/deadlines")
async def list_deadlines(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[ListedDeadline]:
    """The deadlines of what a document answers, by their days; ``state`` is that of today in UTC."""
    ledger = await _ledger_of(session, document_id, at_least)
    if ledger.deadlines is None:
        raise NotFound(Problem.of("deadlines_not_read"))
    return list(listed_deadlines(ledger.deadlines, datetime.now(UTC).date()))


@documents.get("/documents/{document_id}/bid-rules")
async def list_bid_rules(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> BidRules:
    """What the request says about the bid itself: limits, form, language, validity, exclusions and criteria."""
    ledger = await _ledger_of(session, document_id, at_least)
    if ledger.bid is None:
        raise NotFound(Problem.of("bid_rules_not_read"))
    return ledger.bid


async def _ledger_of(session: Session, document_id: str, at_least: int) -> RequirementLedger:
    document = await document_of(session, document_id, at_least)
    try:
        return await session.client.ledger_of(document)
    except LedgerFailedError as error:
        raise NotFound(problem_in(error)) from None


@documents.post(
    "/documents",
    status_code=202,
    responses={202: {"model": Stored}, 201: {"model": RequestAccepted, "description": "with `Prefer: wait`"}},
    openapi_extra=dict(create_body_described()),
)
async def create_document(request: Request, session: Caller, preferences: Preferred) -> Response:
    """Ask for a document, as JSON, or as a form with its files."""
    asked = await asked_for(request, session)
    return await delivered(
        request, session, asked, preferences, Made(lambda answer: f"/documents/{answer.document_id}")
    )


@documents.get("/documents")
async def list_documents(
    session: Caller,
    limit: Annotated[int, Query(ge=1, le=MOST)] = MOST,
    after: Annotated[str | None, Query(max_length=64, description="the id of the last one that was read")] = None,
) -> list[DocumentSummary]:
    """All documents of the tenant, newest first, from the read model, which follows the log."""
    found = await session.client.documents()
    begin = 0 if after is None else _place_behind(after, found)
    return found[begin : begin + limit]


def _place_behind(document_id: str, known: list[DocumentSummary]) -> int:
    """Raises `Conflict` for a document that is not there: whoever pages would begin again and again."""
    for number, document in enumerate(known, 1):
        if document.document_id == document_id:
            return number
    raise Conflict(Problem.of("cursor_unknown", "after"))


@documents.get("/documents/{document_id}")
async def show_document(session: Caller, document_id: DocumentId, at_least: AtLeast = 0, at: At = 0) -> DocumentView:
    """A document with its sections and all their versions, as its log tells it, now or at any moment before."""
    return (await read_log_at(session, document_id, at_least, at)).document


@documents.get("/documents/{document_id}/summary")
async def show_summary(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> DocumentSummary:
    """A document in short, from the read model, which follows the log."""
    await told(session, document_id, at_least)
    return (await session.client.overview(document_id, at_least=at_least)).document


@documents.get("/documents/{document_id}/history")
async def show_history(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[EventView]:
    """Everything that happened to a document so far."""
    await told(session, document_id, at_least)
    return [event.view for event in await session.client.history(document_id, at_least=at_least)]


@documents.get("/documents/{document_id}/inputs")
async def list_inputs(session: Caller, document_id: DocumentId) -> list[InputFile]:
    """The inputs of a document."""
    return list((await document_of(session, document_id)).inputs)


@content(documents, "/documents/{document_id}/inputs/{name:path}")
async def download_input(request: Request, session: Caller, document_id: DocumentId, name: str) -> Response:
    """The content of an input."""
    for file in (await document_of(session, document_id)).inputs:
        if file.name == name:
            return await served(request, session, document_id, file.artifact)
    raise NotFound(Problem.of("input_unknown", name=name))


@documents.get("/kinds")
async def list_kinds(session: Caller) -> list[DocumentKind]:
    """The document kinds that can be asked for."""
    return list(await session.client.kinds())


@sections.get("/{section_id}/comments")
async def list_comments(
    session: Caller, document_id: DocumentId, section_id: SectionId, at_least: AtLeast = 0
) -> list[ReadThread]:
    """The threads of comments on a section, with the places in the current version that they are about."""
    section = await section_of(session, document_id, section_id, at_least)
    return list(await session.client.threads(document_id, section))


@sections.get("")
async def list_sections(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[SectionView]:
    """The sections of a document in their order."""
    return list((await document_of(session, document_id, at_least)).sections.values())


@sections.get("/{section_id}")
async def show_section(
    session: Caller, document_id: DocumentId, section_id: SectionId, at_least: AtLeast = 0
) -> SectionView:
    """A section with all its versions."""
    return await section_of(session, document_id, section_id, at_least)


@content(sections, "/{section_id}/text")
async def show_text(request: Request, session: Caller, document_id: DocumentId, section_id: SectionId) -> Response:
    """The text of the current version, in Markdown."""
    section = await section_of(session, document_id, section_id)
    return await served(request, session, document_id, _draft(section, section.version))


@content(sections, "/{section_id}/versions/{version}/text")
async def show_version(
    request: Request, session: Caller, document_id: DocumentId, section_id: SectionId, version: Number
) -> Response:
    """The text of a version, in Markdown."""
    section = await section_of(session, document_id, section_id)
    return await served(request, session, document_id, _draft(section, version))


@sections.get("/{section_id}/differences")
async def show_differences(
    session: Caller,
    document_id: DocumentId,
    section_id: SectionId,
    old: Annotated[int, Query(ge=1, le=2**31, description="the version that is compared with")],
    new: Annotated[int | None, Query(ge=1, le=2**31, description="else the current one")] = None,
) -> list[Change]:
    """What changed between two versions: the lines, and in these the words."""
    document = await document_of(session, document_id)
    section = section_in(document, section_id)
    refs = (_draft(section, old), _draft(section, new or section.version))
    before, after = [(await session.client.artifact(document_id, ref)).decode() for ref in refs]
    return list(await session.client.compute(differences, before, after, document.language))


def _draft(section: SectionView, number: int) -> ArtifactRef:
    if (found := section.numbered(number)) is None:
        raise NotFound(Problem.of("version_unknown", section_id=section.section_id, version=number))
    return found.draft


@exports.get("/exports")
async def list_exports(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[ExportView]:
    """The exports that were asked for."""
    return list((await document_of(session, document_id, at_least)).exports.values())


@exports.get("/exports/{export_id}")
async def show_export(session: Caller, document_id: DocumentId, export_id: str, at_least: AtLeast = 0) -> ExportView:
    """An export: neither an artifact nor a failure while the converter is at work."""
    return _export(await document_of(session, document_id, at_least), export_id)


@content(exports, "/exports/{export_id}/content")
async def download_export(request: Request, session: Caller, document_id: DocumentId, export_id: str) -> Response:
    """The file of an export."""
    export = _export(await document_of(session, document_id), export_id)
    if export.artifact is None:
        raise NotFound(_not_made(export.failure))
    return await served(request, session, document_id, export.artifact)


@content(exports, "/exports/{export_id}/proof")
async def download_proof(request: Request, session: Caller, document_id: DocumentId, export_id: str) -> Response:
    """What a DOCX proves of itself, with all names: `Proof` as JSON."""
    return await served(request, session, document_id, _proof(await document_of(session, document_id), export_id))


@exports.get("/exports/{export_id}/provenance")
async def show_provenance(session: Caller, document_id: DocumentId, export_id: str) -> dict[str, Any]:
    """The same as W3C PROV has it (PROV-JSON)."""
    ref = _proof(await document_of(session, document_id), export_id)
    return as_prov(Proof.model_validate_json(await session.client.artifact(document_id, ref)))


def _proof(document: DocumentView, export_id: str) -> ArtifactRef:
    export = _export(document, export_id)
    if export.proof is None:
        raise NotFound(Problem.of("content_missing"))
    return export.proof


@exports.get("/form-exports")
async def list_form_exports(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[FormExportView]:
    """The forms with answers in them that were asked for."""
    return list((await document_of(session, document_id, at_least)).form_exports.values())


@exports.get("/form-exports/{export_id}")
async def show_form_export(
    session: Caller, document_id: DocumentId, export_id: str, at_least: AtLeast = 0
) -> FormExportView:
    """A form with answers in it: neither an artifact nor reasons while the converter is at work."""
    return _form_export(await document_of(session, document_id, at_least), export_id)


@content(exports, "/form-exports/{export_id}/content")
async def download_form_export(request: Request, session: Caller, document_id: DocumentId, export_id: str) -> Response:
    """The file of a form with answers in it."""
    export = _form_export(await document_of(session, document_id), export_id)
    if export.artifact is None:
        raise NotFound(_not_made("; ".join(export.reasons)))
    return await served(request, session, document_id, export.artifact)


@content(exports, "/artifacts/{digest}")
async def download_artifact(request: Request, session: Caller, document_id: DocumentId, digest: DigestOf) -> Response:
    """Whatever the view of a document refers to, by its digest."""
    ref = await asyncio.to_thread(reference_of, await document_of(session, document_id), digest)
    if ref is None:
        raise NotFound(Problem.of("content_missing"))
    return await served(request, session, document_id, ref)


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


def reference_of(found: Any, digest: str) -> ArtifactRef | None:
    """The reference to a digest in a view: of a long document it takes a tenth of a second to look at all of them."""
    match found:
        case ArtifactRef():
            return found if found.digest == digest else None
        case BaseModel():
            inside: Iterable[Any] = (value for _, value in found)
        case Mapping():
            inside = found.values()
        case tuple() | list():
            inside = found
        case _:
            return None
    return next((ref for each in inside if (ref := reference_of(each, digest))), None)


library = APIRouter(tags=["library"])


@library.get("/library")
async def list_library(session: Caller) -> list[LibraryEntry]:
    """All texts that a person ever approved in the tenant, the latest first; ``lapse`` says why one is not offered."""
    return await entries(session.client)


@library.get("/library/search")
async def search_library(session: Caller, q: Annotated[str, Query(min_length=1, max_length=200)]) -> list[Offer]:
    """The texts that may be used and share words with a query, the best first, each with its nearest passage."""
    return await search(session.client, q)


@library.get("/documents/{document_id}/offers")
async def list_offers(session: Caller, document_id: DocumentId) -> list[DemandOffers]:
    """The demands of a document that nothing answers yet, each with the best texts of others; none is taken by it."""
    try:
        return await offers(session.client, document_id)
    except LedgerFailedError as error:
        raise NotFound(problem_in(error)) from None
