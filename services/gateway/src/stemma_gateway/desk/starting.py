"""Asking for a document, and what was read and found of its inputs, which one confirmation makes count."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Query, Request, Response
from starlette.datastructures import UploadFile
from stemma_client import DocumentView
from stemma_client.inputs import media_type_of
from stemma_client.ledgers import LedgerEntry, RequirementLedger, listed_deadlines
from stemma_client.outlines import read_outline
from stemma_client.recipes import models_in
from stemma_contracts.media import READ
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.capabilities import DocumentKind
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.ledger import LedgerWarning, RequirementDecision
from stemma_contracts.v1.outline import OutlineSection
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.requests import DecideRequirements
from stemma_contracts.v1.review import ReviewMode, ReviewPolicy
from stemma_contracts.v1.views import InputView

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.catalogues import LANGUAGES, words
from stemma_gateway.pages import PageRoute, language_of, led_to
from stemma_gateway.problems import Conflict, Invalid
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of
from stemma_gateway.sessions import Session

from .forms import BOUNDS, REFUSED, WAIT_S, Sent, ask, budget_typed, fields_of, input_of, inputs_of, sent
from .inputs import ROLES
from .requirements import PAGE, ledger_in, places
from .shell import shown, title_of

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


READING = "/desk/documents/{document_id}/reading"
MOST_SHOWN, AT_ONCE = 200, 1000


@dataclass(frozen=True)
class Read:
    """An input, the demands that were found in it, how many of them are mandatory, and what was missed."""

    input: InputView
    found: int
    mandatory: int
    warnings: tuple[LedgerWarning, ...]


def read_of(document: DocumentView, entries: Sequence[LedgerEntry]) -> list[Read]:
    """The inputs that were given, requests first."""
    found = Counter(entry.row.source for entry in entries)
    mandatory = Counter(entry.row.source for entry in entries if entry.row.obligation == "mandatory")
    warnings = document.ledger.warnings if document.ledger else ()
    there = (one for one in document.counting if one.input_id != BRIEF or one.unreadable or found[one.source])
    return [
        Read(one, found[one.source], mandatory[one.source], tuple(w for w in warnings if w.source == one.source))
        for one in sorted(there, key=lambda one: one.used_as != "request")
    ]


@router.get(READING)
async def show_reading(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    at_least: AtLeast = 0,
    new: bool = False,
    done: int = Query(0, ge=0),
) -> Response:
    document = await document_of(session, document_id, at_least)
    return await _page(request, session, document, new=new, done=done)


@router.post(READING)
async def confirm(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    """Confirm all demands that were found and that nobody decided about, of the reading that was shown."""
    seen = dict(await fields_of(request)).get("rows", "")
    document = await document_of(session, document_id)
    ledger = await ledger_in(session, document)
    names = [entry.row.requirement_id for entry in _undecided(ledger)]
    sequence = 0
    try:
        if ledger is None or ledger.rows_digest != seen:
            raise Conflict(Problem.of("rows_read_again"))
        for at in range(0, len(names), AT_ONCE):
            some = names[at : at + AT_ONCE]
            decisions = tuple(RequirementDecision(requirement_id=name, confirmed=True) for name in some)
            answer = await ask(session, DecideRequirements(document_id=document_id, decisions=decisions))
            sequence = answer.sequence or 0
    except REFUSED as error:
        return await _page(request, session, document, error=error)
    return led_to(request, f"{READING.format(document_id=document_id)}?done={len(names)}&at_least={sequence}")


def _undecided(ledger: RequirementLedger | None) -> list[LedgerEntry]:
    return [entry for entry in ledger.entries if entry.decided == "found"] if ledger else []


async def _page(
    request: Request,
    session: Session,
    document: DocumentView,
    *,
    new: bool = False,
    done: int = 0,
    error: Exception | None = None,
) -> Response:
    ledger = await ledger_in(session, document)
    entries = [entry for entry in ledger.entries if entry.counts] if ledger else []
    there = document.counting
    return shown(
        request,
        session,
        "reading.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        ledger=ledger,
        inputs=read_of(document, entries),
        entries=sorted(entries, key=lambda entry: entry.row.obligation != "mandatory")[:MOST_SHOWN],
        total=len(entries),
        undecided=len(_undecided(ledger)),
        deadlines=listed_deadlines((ledger and ledger.deadlines) or (), datetime.now(UTC).date()),
        asked_of=any(one.used_as == "request" and one.version and one.input_id != BRIEF for one in there),
        read=sum(one.state != "reading" for one in there),
        given=len(there),
        places=places(document),
        requirements=PAGE.format(document_id=document.document_id),
        new=new,
        done=done,
    )
