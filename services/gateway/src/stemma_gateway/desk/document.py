"""A document: its sections with their states, the map of what rests on what, what came out, and what happened to it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from stemma_client import Client, RecordedEvent
from stemma_client.costs import WORKS, costs_of
from stemma_client.progress import read_now, seconds_left
from stemma_client.reading import at_export, is_decision, read_document, said_with, version_pairs
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.requests import CancelDocument, ExportDocument, PauseDocument, ResumeDocument
from stemma_contracts.v1.summary import DocumentSummary
from stemma_contracts.v1.views import DocumentView, VersionView

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import AtLeast, DocumentId, log_of, read_log
from stemma_gateway.sessions import Session

from .forms import REFUSED, ask, fields_of, led_on, whole_number
from .shell import shown

DOCUMENT = "/desk/documents/{document_id}"
STEP, MARGIN = 14, 8
DONE = ("export", "keep", "regenerate")
EVENTS_ON_A_PAGE = 50
WORK: Mapping[str, type[PauseDocument | ResumeDocument | CancelDocument]] = {
    "pause": PauseDocument,
    "resume": ResumeDocument,
    "cancel": CancelDocument,
}
STOPS = {DocumentStatus.RUNNING: ("pause", "cancel"), DocumentStatus.PAUSED: ("resume", "cancel")}
router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Timeline:
    """The versions of each section with their places; what came later in the document stands further to the right."""

    width: int
    dots: Mapping[str, Sequence[tuple[VersionView, int]]]


def timeline(document: DocumentView) -> Timeline:
    """The versions of a document in their order; what old logs do not date stands first."""
    made = [(name, version) for name, section in document.sections.items() for version in section.versions]
    made.sort(key=lambda one: one[1].made_at.timestamp() if one[1].made_at else 0.0)
    dots: dict[str, list[tuple[VersionView, int]]] = {name: [] for name in document.sections}
    for place, (name, version) in enumerate(made):
        dots[name].append((version, MARGIN + place * STEP))
    return Timeline(2 * MARGIN + max(len(made) - 1, 0) * STEP, dots)


@router.get(DOCUMENT)
async def show_document(
    request: Request, session: Caller, document_id: DocumentId, at_least: AtLeast = 0, done: str = ""
) -> Response:
    return await document_page(request, session, document_id, at_least, done=done if done in DONE else "")


async def document_page(
    request: Request,
    session: Session,
    document_id: str,
    at_least: int = 0,
    *,
    done: str = "",
    error: Exception | None = None,
) -> Response:
    read = await read_log(session, document_id, at_least)
    log, document = read.events, read.document
    usual = await session.followed.usual(document) if document.at_work else {}
    return shown(
        request,
        session,
        "document.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        kind=await kind_title(session, document.kind),
        exports=list(document.exports.values())[::-1],
        formats=list(ExportFormat),
        timeline=timeline(document),
        costs=costs_of(log),
        works=WORKS,
        usual=usual,
        left=seconds_left(document, usual, datetime.now(UTC)) if document.at_work else None,
        read_now=read_now(document),
        stops=STOPS.get(document.status, ()) if "pause-document" in session.client.rights.names else (),
        done=done,
        viewed=await session.client.viewed.of(document_id),
    )


async def title_of(client: Client, document: DocumentView | DocumentSummary) -> str:
    return (await client.stored_text(document.document_id, document.title) or "").strip() or document.kind


async def kind_title(session: Session, kind: str) -> str:
    return next((known.title for known in await session.client.kinds() if known.kind == kind), kind)


@router.post(f"{DOCUMENT}/work")
async def stop(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    """Pause the document, go on with it, or end it for good."""
    form = dict(await fields_of(request))
    try:
        if (asked := WORK.get(form.get("how", ""))) is None:
            raise Invalid(Problem.of("decision_unknown"))
        answer = await ask(session, asked(document_id=document_id))
    except REFUSED as error:
        return await document_page(request, session, document_id, error=error)
    return led_on(request, DOCUMENT.format(document_id=document_id), "", answer.sequence)


@router.post(f"{DOCUMENT}/exports")
async def export(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    form = dict(await fields_of(request))
    try:
        asked = await _asked(session, document_id, form)
        answer = await ask(session, asked)
    except REFUSED as error:
        return await document_page(request, session, document_id, error=error)
    return led_on(request, DOCUMENT.format(document_id=document_id), "export", answer.sequence, "#exports")


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
    pairs = (asyncio.to_thread(read_document, document_id, events) for events in (before, log))
    return version_pairs(*await asyncio.gather(*pairs))


@router.get(f"{DOCUMENT}/history")
async def show_history(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    all: bool = False,
    section: Annotated[str, Query(max_length=64)] = "",
    person: Annotated[str, Query(max_length=64)] = "",
    on: Annotated[str, Query(max_length=10)] = "",
    before: Annotated[int, Query(ge=0, le=2**53)] = 0,
) -> Response:
    """The decisions about a document, or all its events, day by day, in pages that begin ``before`` a sequence.

    They can be those about a ``section``, of a ``person``, and ``on`` a day.
    """
    log = await log_of(session, document_id)
    document = await asyncio.to_thread(read_document, document_id, log)
    found = _wanted(log, all=all, section=section, person=person, on=on)
    events = [event for event in found if not before or event.sequence < before][:EVENTS_ON_A_PAGE]
    said = await asyncio.gather(*(said_with(session.client, document_id, event) for event in events))
    return shown(
        request,
        session,
        "history.html",
        document=document,
        title=await title_of(session.client, document),
        days=[(day, list(rows)) for day, rows in groupby(zip(events, said, strict=True), key=lambda row: _day(row[0]))],
        earlier=events[-1].sequence if events else 0,
        people=sorted({_actor(event) for event in log} - {""}),
        wanted={"section": section, "person": person, "on": on},
        more=bool(events) and events[-1] is not found[-1],
        total=len(found),
        all=all,
        before=before,
    )


def _wanted(log: Sequence[RecordedEvent], *, all: bool, section: str, person: str, on: str) -> list[RecordedEvent]:
    return [
        event
        for event in reversed(log)
        if (all or is_decision(event))
        and (not section or getattr(event.contract, "section_id", "") == section)
        and (not person or _actor(event) == person)
        and (not on or _day(event).isoformat() == on)
    ]


def _actor(event: RecordedEvent) -> str:
    return getattr(event.contract, "actor", None) or ""


def _day(event: RecordedEvent) -> date:
    return event.envelope.time.astimezone(UTC).date()
