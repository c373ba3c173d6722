"""The page on which a person writes a section, and the one that changes a fact wherever it stands."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request, Response
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, JSONResponse
from stemma_client import DocumentView
from stemma_client.differences import Meanwhile, meanwhile
from stemma_client.facts import Stated, places_of
from stemma_client.pictures import image_markup, with_image
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.requests import ChangeFact, EditSection

from stemma_gateway.authentication import Caller
from stemma_gateway.bodies import whole_body
from stemma_gateway.pages import SAFE, PageRoute, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of, section_in
from stemma_gateway.sessions import Session
from stemma_gateway.texts import rendered

from .forms import (
    DOCUMENT,
    PICTURES,
    REFUSED,
    SECTION,
    InSection,
    SectionAddress,
    Sent,
    ask,
    caption_of,
    fields_of,
    picture_of,
    sent,
    whole_number,
)
from .section import pictures, stored
from .shell import shown, title_of
from .verbs import BY_NAME

MAX_PREVIEW_BYTES = 4 * 1024 * 1024
router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Work:
    """A text that somebody is at, the version that it was made of, and the images that came with it."""

    text: str
    version: int
    images: tuple[UploadRef, ...] = ()


@router.get(f"{SECTION}/edit")
async def show_editor(request: Request, session: Caller, at: InSection, at_least: AtLeast = 0) -> Response:
    return await _page(request, session, at, None, at_least=at_least)


@router.post(f"{SECTION}/edit/look")
async def look(request: Request, session: Caller, at: InSection) -> Response:
    """What was typed as it will look, with what came meanwhile merged into it; nothing is decided."""
    async with sent(request) as form:
        work = await _work(session, form)
    return await _page(request, session, at, work)


@router.post(f"{SECTION}/edit")
async def write(request: Request, session: Caller, at: InSection) -> Response:
    """Make what was typed the text of the section; if another version came, both are merged and shown instead."""
    async with sent(request) as form:
        work, draft = await _work(session, form), form.text("draft")
    try:
        asked = EditSection(
            document_id=at.document_id,
            section_id=at.section_id,
            version=work.version,
            text=work.text,
            images=tuple(image for image in work.images if image.name in work.text),
        )
        answer = await ask(session, asked)
    except REFUSED as error:
        return await _page(request, session, at, work, error=error)
    return at.led_on(request, "edit", answer.sequence, f"&draft={quote(draft, safe='')}")


@router.post(f"{SECTION}/edit/preview")
async def preview(request: Request, session: Caller, at: InSection) -> Response:
    """A text as the page of its section would show it, for the script of the editor."""
    document = await document_of(session, at.document_id)
    images = pictures(request, document, section_in(document, at.section_id))
    text = (await whole_body(request, MAX_PREVIEW_BYTES)).decode("utf-8", "replace")
    return HTMLResponse(await session.client.compute(rendered, text, images), headers=SAFE)


@router.post("/desk/pictures")
async def add_picture(request: Request, session: Caller) -> Response:
    """Take an image that was dropped, for the script of the editor: how a text shows it, and what goes with it."""
    async with request.form(max_files=1, max_fields=0) as form:
        file = form.get("picture")
        if not isinstance(file, UploadFile):
            raise Invalid(Problem.of("image_needed", "picture"))
        upload = await picture_of(session, file)
        return JSONResponse({"markup": image_markup(upload.name, caption_of(file)), "upload": upload.model_dump_json()})


async def _page(
    request: Request,
    session: Session,
    at: SectionAddress,
    typed: Work | None,
    *,
    at_least: int = 0,
    error: Exception | None = None,
) -> Response:
    document = await document_of(session, at.document_id, at_least)
    section = section_in(document, at.section_id)
    if typed is None:
        work, newer = Work(await stored(session.client, at.document_id, section.current), section.version), None
    else:
        newer = await meanwhile(session.client, document, section, typed.text, typed.version)
        work = _merged(typed, newer)
    return shown(
        request,
        session,
        "edit.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        section=section,
        work=work,
        is_open=BY_NAME["edit"].is_open(section),
        rendered=await session.client.compute(rendered, work.text, pictures(request, document, section)),
        newer=newer,
        typed=typed is not None,
        pictures=",".join(PICTURES.values()),
    )


def _merged(work: Work, newer: Meanwhile | None) -> Work:
    return replace(work, text=newer.text, version=newer.version.number) if newer else work


async def _work(session: Session, form: Sent) -> Work:
    """What a form holds; images that were chosen in it are uploaded, and stand at the end of the text."""
    if (version := whole_number(form.text("version"))) is None:
        raise Invalid(Problem.of("version_no_number", "version"))
    text, images = form.text("text"), [*form.kept("image")]
    for file in form.files("picture"):
        images.append(await picture_of(session, file))
        text = with_image(text, images[-1].name, caption_of(file), None)
    return Work(text, version, tuple(images))


FACT = f"{DOCUMENT}/fact"
AROUND, MOST_WORDS = 80, 150
Words = Annotated[str, Query(max_length=MOST_WORDS)]


@router.get(FACT)
async def show_fact(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    written: Words = "",
    instead: Words = "",
    at_least: AtLeast = 0,
    done: bool = False,
) -> Response:
    """Each place of some words. Nothing is changed by it."""
    document = await document_of(session, document_id, at_least)
    return await _fact_page(request, session, document, {"written": written, "instead": instead}, done=done)


@router.post(FACT)
async def change(request: Request, session: Caller, document_id: DocumentId) -> Response:
    fields = await fields_of(request)
    words = {name: dict(fields).get(name, "") for name in ("written", "instead")}
    try:
        sections = list(_sections(value for name, value in fields if name == "place"))
        asked = {"document_id": document_id, "sections": sections, **words}
        answer = await ask(session, ChangeFact.model_validate(asked))
    except REFUSED as error:
        return await _fact_page(request, session, await document_of(session, document_id), words, error)
    query = urlencode(words | {"done": "true", "at_least": answer.sequence or 0})
    return led_to(request, f"{FACT.format(document_id=document_id)}?{query}")


def _sections(ticked: Iterable[str]) -> Iterable[Mapping[str, object]]:
    """The places by section, of values such as ``offer/3/120``: its version, and where the words begin."""
    found = dict[tuple[str, int], list[int]]()
    for value in ticked:
        section_id, *numbers = value.split("/")
        match [whole_number(number) for number in numbers]:
            case [int(version), int(start)]:
                found.setdefault((section_id, version), []).append(start)
            case _:
                raise Invalid(Problem.of("fact_not_there", "place"))
    for (section_id, version), starts in found.items():
        yield {"section_id": section_id, "version": version, "places": starts}


async def _fact_page(
    request: Request,
    session: Session,
    document: DocumentView,
    words: Mapping[str, str],
    error: Exception | None = None,
    *,
    done: bool = False,
) -> Response:
    found: tuple[Stated, ...] = ()
    if words["written"].strip() and len(words["written"]) <= MOST_WORDS:
        found = await places_of(session.client, document, words["written"])
    title = await title_of(session.client, document)
    about = {"document": document, "title": title, "found": found, "around": AROUND, "done": done, **words}
    return shown(request, session, "fact.html", error=error, **about)
