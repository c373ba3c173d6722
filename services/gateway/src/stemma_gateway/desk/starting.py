"""Asking for a document: from a brief, or from a request alone, with files, an outline and who settles its drafts."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from starlette.datastructures import UploadFile
from stemma_client.inputs import media_type_of
from stemma_client.outlines import read_outline
from stemma_client.recipes import models_in
from stemma_contracts.media import READ
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.capabilities import DocumentKind
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy

from stemma_gateway.authentication import Caller
from stemma_gateway.catalogues import LANGUAGES, words
from stemma_gateway.pages import PageRoute, language_of, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.sessions import Session

from .forms import BOUNDS, REFUSED, WAIT_S, Sent, budget_typed, input_of, inputs_of, sent
from .inputs import ROLES
from .shell import shown

TYPED: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("kind", "title", "language", "brief", "outline", "review", "min_score", *BOUNDS), "")
)
router = APIRouter(route_class=PageRoute)


@router.get("/desk/new")
async def show_new(request: Request, session: Caller) -> Response:
    return await _new_page(request, session)


@router.post("/desk/new")
async def create(request: Request, session: Caller) -> Response:
    """Ask for a document; what is refused is told, and neither words nor files have to be given again."""
    async with sent(request) as form:
        texts = {name: form.text(name) for name in TYPED}
        kept: tuple[UploadRef, ...] = ()
        try:
            kept = await _inputs(session, form)
            requests = [upload.name for upload in kept if upload.role == "request"]
            brief = await _brief(session, form)
            texts["brief"] = brief if isinstance(brief, str) else ""
            answer = await session.client.create_document(
                texts["kind"],
                brief=brief or _brief_for(requests, texts["language"], language_of(request)),
                inputs=kept,
                title=texts["title"].strip() or ("" if brief else PurePosixPath(requests[0]).stem[:300]),
                review=_policy(texts),
                language=texts["language"].strip() or None,
                outline=await _outline(form),
                budget=_budget(texts),
                request_id=form.text("request_id") or None,
                wait_s=WAIT_S,
            )
        except REFUSED as error:
            return await _new_page(request, session, texts, kept, error)
    here = f"/desk/documents/{answer.document_id}/reading"
    return led_to(request, f"{here}?new=true&at_least={answer.sequence or 0}")


async def _inputs(session: Session, form: Sent) -> tuple[UploadRef, ...]:
    """The files of a form, and those of the one before that was refused, unless another one has the name by now."""
    new = await inputs_of(session, {role: form.files(role) for role in ROLES})
    names = {upload.name for upload in new}
    return (*(upload for upload in form.kept("kept") if upload.name not in names), *new)


async def _brief(session: Session, form: Sent) -> str | UploadRef | None:
    text, files = form.text("brief"), form.files("brief_file")
    if text.strip() and files:
        raise Invalid(Problem.of("brief_ambiguous", "brief"))
    return await _brief_in(session, files[0]) if files else text if text.strip() else None


def _brief_for(requests: list[str], language: str, otherwise: str) -> str:
    """What a request asks for is brief enough; raises `Invalid` without one."""
    if not requests:
        raise Invalid(Problem.of("brief_ambiguous", "brief"))
    tag = language.strip().lower().partition("-")[0]
    return words(tag if tag in LANGUAGES else otherwise)["brief_of_request"] % ", ".join(requests)


async def _brief_in(session: Session, file: UploadFile) -> str | UploadRef:
    """The words of a brief; a file of another format than text goes as it is, to be read first."""
    if media_type_of(file.filename or "") not in READ:
        return await input_of(session, file, "evidence")
    return await _text_in(file, "brief")


async def _text_in(file: UploadFile, field: str) -> str:
    try:
        return (await file.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid(Problem.of("file_not_utf8", field)) from None


async def _outline(form: Sent) -> tuple[OutlineSection, ...] | None:
    """The sections of a file, else those that were typed as Markdown; None if there are neither."""
    if files := form.files("outline_file"):
        return read_outline(files[0].filename or "", await _text_in(files[0], "outline"))
    return read_outline("outline.md", text) if (text := form.text("outline")).strip() else None


def _policy(texts: Mapping[str, str]) -> ReviewPolicy | None:
    if not (mode := texts["review"]):
        return None
    score = {"min_score": texts["min_score"]} if mode == ReviewMode.AUTO and texts["min_score"] else {}
    return ReviewPolicy.model_validate({"mode": mode, **score})


def _budget(texts: Mapping[str, str]) -> Budget | None:
    bounds = budget_typed(texts)
    return Budget.model_validate(bounds) if bounds else None


async def _new_page(
    request: Request,
    session: Session,
    typed: Mapping[str, str] = TYPED,
    kept: tuple[UploadRef, ...] = (),
    error: Exception | None = None,
) -> Response:
    kinds = await session.client.kinds()
    usual = typed["kind"] or await _usual_kind(session, kinds)
    has_form = bool(kinds) and "create-document" in session.client.rights.names
    return shown(
        request,
        session,
        "new.html",
        error=error,
        kinds=[(kind, _needs(kind)) for kind in kinds],
        roles=ROLES[1:],
        modes=list(ReviewMode),
        models=models_in(await session.client.recipes()),
        typed={**typed, "kind": usual},
        kept=kept,
        request_id=uuid4().hex,
        unplaced=() if has_form else [typed[name] for name in ("title", "brief", "outline") if typed[name].strip()],
    )


def _needs(kind: DocumentKind) -> list[Any]:
    return [(section.title, section.needs_input) for section in kind.sections if section.needs_input]


async def _usual_kind(session: Session, kinds: Sequence[DocumentKind]) -> str:
    """The kind of the newest document, else the one with the most sections."""
    offered = sorted(kinds, key=lambda kind: -len(kind.sections))
    known = {kind.kind for kind in kinds}
    there = (document.kind for document in await session.client.documents(warns=False))
    return next((kind for kind in there if kind in known), offered[0].kind if offered else "")
