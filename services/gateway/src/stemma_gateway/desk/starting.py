"""Asking for a new document: its kind, its brief, and the files that it is written from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from stemma_client import AnswerTimeoutError, InvalidInputError, RequestRejectedError
from stemma_client.inputs import media_type_of
from stemma_contracts.media import READ
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.capabilities import DocumentKind
from stemma_contracts.v1.references import UploadRef, UploadRole

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import HttpError, Invalid
from stemma_gateway.sessions import Session

from .shell import shown
from .uploading import Sent, input_of, inputs_of, sent

WAIT_S = 20.0
ROLES: tuple[UploadRole, ...] = ("request", "evidence", "past-text", "style", "form")
REFUSED = (HttpError, InvalidInputError, RequestRejectedError, AnswerTimeoutError, ValidationError)
router = APIRouter(route_class=PageRoute)


@router.get("/desk/new")
async def show_new(request: Request, session: Caller) -> Response:
    """The form of a new document."""
    return await _page(request, session)


@router.post("/desk/new")
async def create(request: Request, session: Caller) -> Response:
    """Ask for a document; what is refused is told, and neither words nor files have to be given again."""
    async with sent(request) as form:
        texts = {name: form.text(name) for name in ("kind", "title", "language", "brief")}
        kept: tuple[UploadRef, ...] = ()
        try:
            kept = await _inputs(session, form)
            brief = await _brief(session, form)
            texts["brief"] = brief if isinstance(brief, str) else ""
            answer = await session.client.create_document(
                texts["kind"],
                brief=brief,
                inputs=kept,
                title=texts["title"].strip(),
                language=texts["language"].strip() or None,
                request_id=form.text("request_id") or None,
                wait_s=WAIT_S,
            )
        except REFUSED as error:
            return await _page(request, session, texts, kept, error)
    return led_to(request, f"/desk/documents/{answer.document_id}/inputs?new=true&at_least={answer.sequence or 0}")


async def _inputs(session: Session, form: Sent) -> tuple[UploadRef, ...]:
    """The files of a form, and those of the one before that was refused, unless another one has the name by now."""
    new = await inputs_of(session, {role: form.files(role) for role in ROLES})
    names = {upload.name for upload in new}
    return (*(upload for upload in form.kept("kept") if upload.name not in names), *new)


async def _brief(session: Session, form: Sent) -> str | UploadRef:
    words, files = form.text("brief"), form.files("brief_file")
    if bool(words.strip()) == bool(files):
        raise Invalid(Problem.of("brief_ambiguous", "brief"))
    return await _brief_in(session, files[0]) if files else words


async def _brief_in(session: Session, file: UploadFile) -> str | UploadRef:
    """The words of a brief; a file of another format than text goes as it is, to be read first."""
    if media_type_of(file.filename or "") not in READ:
        return await input_of(session, file, "evidence")
    try:
        return (await file.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid(Problem.of("file_not_utf8", "brief")) from None


async def _page(
    request: Request,
    session: Session,
    typed: Mapping[str, str] | None = None,
    kept: tuple[UploadRef, ...] = (),
    error: Exception | None = None,
) -> Response:
    kinds = await session.client.kinds()
    return shown(
        request,
        session,
        "new.html",
        error=error,
        kinds=[(kind, _needs(kind)) for kind in kinds],
        roles=ROLES,
        typed=typed or {"kind": kinds[0].kind if kinds else "", "title": "", "language": "", "brief": ""},
        kept=kept,
        request_id=uuid4().hex,
    )


def _needs(kind: DocumentKind) -> list[Any]:
    """The sections that only some inputs make possible, with the endings of such files."""
    return [(section.title, section.needs_input) for section in kind.sections if section.needs_input]
