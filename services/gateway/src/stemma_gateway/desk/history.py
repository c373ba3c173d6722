"""What happened to a document: who decided what about which version, day by day, and what became stale."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from stemma_client import RecordedEvent
from stemma_client.reading import is_decision, said_with

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute
from stemma_gateway.resources.addresses import DocumentId, read_log

from .forms import DOCUMENT
from .shell import shown, title_of

EVENTS_ON_A_PAGE = 50
router = APIRouter(route_class=PageRoute)


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
    read = await read_log(session, document_id)
    log, document = read.events, read.document
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
