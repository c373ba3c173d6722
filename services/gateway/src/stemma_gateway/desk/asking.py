"""The question of an agent as a form: words, and for each image that is missing another one, a new one, or none."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from stemma_client import AnswerTimeoutError, DocumentView, RequestRejectedError, SectionView
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.needs import SKIP, Need
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.requests import AnswerNeed

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import HttpError, NotFound
from stemma_gateway.resources.addresses import DocumentId, SectionId, document_of
from stemma_gateway.sessions import Session

from .section import PICTURES as SHOWN
from .shell import shown
from .uploading import PICTURES, Sent, picture_of, sent

WAIT_S = 20.0
SECTION = "/desk/documents/{document_id}/sections/{section_id}"
CHOICE, UPLOAD = "decision:", "upload:"
"""What the fields begin with that decide about an image that is missing, and that hold a new one for it."""
REFUSED = (HttpError, RequestRejectedError, ValidationError, AnswerTimeoutError)
router = APIRouter(route_class=PageRoute)


@router.get(f"{SECTION}/question")
async def show_question(request: Request, session: Caller, document_id: DocumentId, section_id: SectionId) -> Response:
    """What a section waits to be told."""
    document, section, need = await _found(session, document_id, section_id)
    return await _page(request, session, document, section, need)


@router.post(f"{SECTION}/question")
async def answer(
    request: Request, session: RepeatableCaller, document_id: DocumentId, section_id: SectionId
) -> Response:
    """Answer the question that was shown; what is refused is told, and what was typed and chosen is still there."""
    async with sent(request) as form:
        typed = {name: str(value) for name, value in form.form.items() if isinstance(value, str)}
        try:
            asked = AnswerNeed(
                document_id=document_id,
                section_id=section_id,
                need_id=form.text("need_id"),
                answer=form.text("answer"),
                decisions=await _decisions(session, form),
            )
            answered = await session.client.request(asked, wait_s=WAIT_S)
        except REFUSED as error:
            document, section, need = await _found(session, document_id, section_id)
            return await _page(request, session, document, section, need, typed, error)
    here = SECTION.format(document_id=document_id, section_id=section_id)
    return led_to(request, f"{here}?done=answer&at_least={answered.sequence or 0}")


async def _decisions(session: Session, form: Sent) -> dict[str, str | UploadRef]:
    """What is chosen for each reference; a new image goes before what else is chosen for it."""
    chosen: dict[str, str | UploadRef] = {
        name.removeprefix(CHOICE): form.text(name) for name in form.form if name.startswith(CHOICE) and form.text(name)
    }
    for name in [name for name in form.form if name.startswith(UPLOAD)]:
        for file in form.files(name):
            chosen[name.removeprefix(UPLOAD)] = await picture_of(session, file)
    return chosen


async def _page(
    request: Request,
    session: Session,
    document: DocumentView,
    section: SectionView,
    need: Need,
    typed: dict[str, str] | None = None,
    error: Exception | None = None,
) -> Response:
    there = [file.name for file in document.inputs if file.artifact.media_type in SHOWN]
    return shown(
        request,
        session,
        "question.html",
        error=error,
        document=document,
        section=section,
        need=need,
        fits=section.asks,
        question=await session.client.text(document.document_id, need.question),
        choices=[(each, _others(each.candidates, there)) for each in need.references],
        skip=SKIP,
        pictures=",".join(PICTURES.values()),
        typed=typed or {},
        raw=need.model_dump_json(indent=1),
    )


def _others(candidates: tuple[str, ...], there: list[str]) -> dict[str, Any]:
    return {"alike": candidates, "others": [name for name in there if name not in candidates]}


async def _found(session: Session, document_id: str, section_id: str) -> tuple[DocumentView, SectionView, Need]:
    document = await document_of(session, document_id)
    section = document.sections.get(section_id)
    if section is None or section.need is None:
        raise NotFound(Problem.of("question_closed"))
    return document, section, section.need
