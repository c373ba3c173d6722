"""The question of an agent as a form: words, and for each image that is missing another one, a new one, or none."""

from typing import Any

from fastapi import APIRouter, Request, Response
from stemma_client import DocumentView, SectionView
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.needs import SKIP, Need
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.requests import AnswerNeed

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute
from stemma_gateway.problems import NotFound
from stemma_gateway.resources.addresses import document_of
from stemma_gateway.sessions import Session

from .forms import PICTURES, REFUSED, SECTION, InSection, SectionAddress, Sent, ask, picture_of, sent
from .section import PICTURES as SHOWN
from .section import section_page
from .shell import shown, title_of

CHOICE, UPLOAD = "decision:", "upload:"
"""What the fields begin with that decide about an image that is missing, and that hold a new one for it."""
router = APIRouter(route_class=PageRoute)


@router.get(f"{SECTION}/question")
async def show_question(request: Request, session: Caller, at: InSection) -> Response:
    return await _page(request, session, at)


@router.post(f"{SECTION}/question")
async def answer(request: Request, session: RepeatableCaller, at: InSection) -> Response:
    async with sent(request) as form:
        typed = {name: str(value) for name, value in form.form.items() if isinstance(value, str)}
        try:
            asked = AnswerNeed(
                document_id=at.document_id,
                section_id=at.section_id,
                need_id=form.text("need_id"),
                answer=form.text("answer"),
                decisions=await _decisions(session, form),
            )
            answered = await ask(session, asked)
        except REFUSED as error:
            return await _refused(request, session, at, typed, error)
    return at.led_on(request, "answer", answered.sequence)


async def _refused(
    request: Request, session: Session, at: SectionAddress, typed: dict[str, str], error: Exception
) -> Response:
    """The question again, or the section where it was answered meanwhile, with what was typed."""
    try:
        return await _page(request, session, at, typed, error)
    except NotFound:
        return await section_page(request, session, at, error=error, typed=typed)


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
    at: SectionAddress,
    typed: dict[str, str] | None = None,
    error: Exception | None = None,
) -> Response:
    document, section, need = await _found(session, at)
    there = [file.name for file in document.inputs if file.artifact.media_type in SHOWN]
    return shown(
        request,
        session,
        "question.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
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


async def _found(session: Session, at: SectionAddress) -> tuple[DocumentView, SectionView, Need]:
    document = await document_of(session, at.document_id)
    section = document.sections.get(at.section_id)
    if section is None or section.need is None:
        raise NotFound(Problem.of("question_closed"))
    return document, section, section.need
