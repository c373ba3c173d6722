"""What leaves a document is asked for: a file of it, or what changed in it since an earlier one."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from stemma_client import AnswerTimeoutError, RequestRejectedError
from stemma_client.reading import at_export, read_document, version_pairs
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.requests import ExportDocument

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import HttpError, Invalid
from stemma_gateway.resources.addresses import DocumentId, log_of
from stemma_gateway.sessions import Session

from .deciding import WAIT_S, sent
from .document import document_page
from .verbs import whole_number

REFUSED = (HttpError, RequestRejectedError, ValidationError, AnswerTimeoutError)
router = APIRouter(route_class=PageRoute)


@router.post("/desk/documents/{document_id}/exports")
async def export(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    """Ask for the document in a format, or for what changed in it as a DOCX with tracked changes."""
    form = dict(await sent(request))
    try:
        asked = await _asked(session, document_id, form)
        answer = await session.client.request(asked, wait_s=WAIT_S)
    except REFUSED as error:
        return await document_page(request, session, document_id, error=error)
    return led_to(request, f"/desk/documents/{document_id}?done=export&at_least={answer.sequence or 0}#exports")


async def _asked(session: Session, document_id: str, form: Mapping[str, str]) -> ExportDocument:
    if pairs := await _redline(session, document_id, form):
        return ExportDocument(document_id=document_id, format=ExportFormat.DOCX, redline=tuple(pairs))
    return ExportDocument.model_validate(
        {
            "document_id": document_id,
            "format": form.get("format", ""),
            "citations": "citations" in form,
            "matrix": "matrix" in form,
        }
    )


async def _redline(session: Session, document_id: str, form: Mapping[str, str]) -> list[VersionPair]:
    """The versions that are to be compared: of one section, or of all since an export; none if that is not asked."""
    if section_id := form.get("section"):
        old, new = (whole_number(form.get(name, "")) for name in ("old", "new"))
        if old is None or new is None:
            raise Invalid(Problem.of("version_no_number", "version"))
        return [VersionPair.model_validate({"section_id": section_id, "from_version": old, "to_version": new})]
    if not (since := form.get("since")):
        return []
    log = await log_of(session, document_id)
    if (before := at_export(log, since)) is None:
        raise Invalid(Problem.of("export_unknown", "since"))
    return version_pairs(read_document(document_id, before), read_document(document_id, log))
