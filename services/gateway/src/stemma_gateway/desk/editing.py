"""The page on which a person writes a section: the text and its preview, images, and what came meanwhile, merged in."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, JSONResponse
from stemma_client import AnswerTimeoutError, Client, DocumentView, RequestRejectedError, SectionView
from stemma_client.differences import Meanwhile, meanwhile
from stemma_client.pictures import image_markup, with_image
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.requests import EditSection

from stemma_gateway.authentication import Caller
from stemma_gateway.forms import whole_body
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid, NotFound
from stemma_gateway.resources.addresses import AtLeast, DocumentId, SectionId, document_of
from stemma_gateway.sessions import Session
from stemma_gateway.texts import rendered

from .section import pictures, stored
from .shell import SAFE, shown
from .uploading import PICTURES, Sent, caption_of, picture_of, sent
from .verbs import BY_NAME, whole_number


@dataclass(frozen=True)
class Work:
    """A text that somebody is at, the version that it was made of, and the images that came with it."""

    text: str
    version: int
    images: tuple[UploadRef, ...] = ()


async def merged(
    client: Client, document: DocumentView, section: SectionView, work: Work
) -> tuple[Work, Meanwhile | None]:
    """The work as one made of the current version; raises `InvalidInputError` if it was made of one that never was."""
    newer = await meanwhile(client, document, section, work.text, work.version)
    return (replace(work, text=newer.text, version=newer.version.number), newer) if newer else (work, None)


WAIT_S = 20.0
MAX_PREVIEW_BYTES = 4 * 1024 * 1024
SECTION = "/desk/documents/{document_id}/sections/{section_id}"
router = APIRouter(route_class=PageRoute)


@router.get(f"{SECTION}/edit")
async def show_editor(
    request: Request, session: Caller, document_id: DocumentId, section_id: SectionId, at_least: AtLeast = 0
) -> Response:
    """The current text of a section, to be changed."""
    document, section = await _found(session, document_id, section_id, at_least)
    text = await stored(session.client, document_id, section.current)
    return await _page(request, session, document, section, Work(text, section.version))


@router.post(f"{SECTION}/edit/look")
async def look(request: Request, session: Caller, document_id: DocumentId, section_id: SectionId) -> Response:
    """What was typed as it will look, with what came meanwhile merged into it; nothing is decided."""
    document, section = await _found(session, document_id, section_id)
    async with sent(request) as form:
        work = await _work(session, form)
    work, newer = await merged(session.client, document, section, work)
    return await _page(request, session, document, section, work, newer=newer, typed=True)


@router.post(f"{SECTION}/edit")
async def write(request: Request, session: Caller, document_id: DocumentId, section_id: SectionId) -> Response:
    """Make what was typed the text of the section; if another version came, both are merged and shown instead."""
    async with sent(request) as form:
        work, draft = await _work(session, form), form.text("draft")
    try:
        asked = EditSection(
            document_id=document_id,
            section_id=section_id,
            version=work.version,
            text=work.text,
            images=tuple(image for image in work.images if image.name in work.text),
        )
        answer = await session.client.request(asked, wait_s=WAIT_S)
    except (RequestRejectedError, ValidationError, AnswerTimeoutError) as error:
        return await _refused(request, session, (document_id, section_id), work, error)
    here = SECTION.format(document_id=document_id, section_id=section_id)
    return led_to(request, f"{here}?done=edit&draft={draft}&at_least={answer.sequence or 0}")


@router.post(f"{SECTION}/edit/preview")
async def preview(request: Request, session: Caller, document_id: DocumentId, section_id: SectionId) -> Response:
    """A text as the page of its section would show it, for the script of the editor."""
    document, section = await _found(session, document_id, section_id)
    body = await whole_body(request, MAX_PREVIEW_BYTES)
    text = body.decode("utf-8", "replace")
    shown_so = await session.client.compute(rendered, text, pictures(request, document, section))
    return HTMLResponse(shown_so, headers=SAFE)


@router.post("/desk/pictures")
async def add_picture(request: Request, session: Caller) -> Response:
    """Take an image that was dropped, for the script of the editor: how a text shows it, and what goes with it."""
    async with request.form(max_files=1, max_fields=0) as form:
        file = form.get("picture")
        if not isinstance(file, UploadFile):
            raise Invalid(Problem.of("image_needed", "picture"))
        upload = await picture_of(session, file)
        return JSONResponse({"markup": image_markup(upload.name, caption_of(file)), "upload": upload.model_dump_json()})


async def _refused(
    request: Request, session: Session, about: tuple[str, str], work: Work, error: Exception
) -> Response:
    document, section = await _found(session, *about)
    work, newer = await merged(session.client, document, section, work)
    return await _page(request, session, document, section, work, newer=newer, error=error, typed=True)


async def _page(
    request: Request,
    session: Session,
    document: DocumentView,
    section: SectionView,
    work: Work,
    *,
    newer: Meanwhile | None = None,
    error: Exception | None = None,
    typed: bool = False,
) -> Response:
    return shown(
        request,
        session,
        "edit.html",
        error=error,
        document=document,
        section=section,
        work=work,
        is_open=BY_NAME["edit"].is_open(section),
        rendered=await session.client.compute(rendered, work.text, pictures(request, document, section)),
        newer=newer,
        typed=typed,
        pictures=",".join(PICTURES.values()),
    )


async def _found(
    session: Session, document_id: str, section_id: str, at_least: int = 0
) -> tuple[DocumentView, SectionView]:
    document = await document_of(session, document_id, at_least)
    if (section := document.sections.get(section_id)) is None:
        raise NotFound(Problem.of("section_unknown", section_id=section_id))
    return document, section


async def _work(session: Session, form: Sent) -> Work:
    """What a form holds; images that were chosen in it are uploaded, and stand at the end of the text."""
    if (version := whole_number(form.text("version"))) is None:
        raise Invalid(Problem.of("version_no_number", "version"))
    text, images = form.text("text"), [*form.kept("image")]
    for file in form.files("picture"):
        images.append(await picture_of(session, file))
        text = with_image(text, images[-1].name, caption_of(file), None)
    return Work(text, version, tuple(images))
