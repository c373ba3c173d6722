"""What happened to a document, the latest first: who decided what about which version, and what followed from it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from stemma_client import RecordedEvent
from stemma_client.reading import is_decision, read_document, said_with
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.staleness import StaleMark

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute
from stemma_gateway.resources.addresses import DocumentId, log_of

from .document import title_of
from .shell import shown

ON_A_PAGE = 50
LONGEST = 400
"""Characters of what was said with a decision; the section has all of it."""
BY_POLICY, EDITOR_AGENT = "by policy", "editor agent"
"""Who is no person; no name of one has a space."""
router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class HistoryRow:
    """What happened, as far as it is shown.

    ``said`` is what was said with it in words, None where that is not stored any more.
    """

    event: RecordedEvent
    who: str
    claimed: bool
    section_id: str
    version: int
    format: str
    rows: tuple[str, ...]
    detail: str
    problem: Problem | None
    makes_stale: tuple[StaleMark, ...]
    said: str | None


@router.get("/desk/documents/{document_id}/history")
async def show_history(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    all: bool = False,
    section: Annotated[str, Query(max_length=64)] = "",
    before: Annotated[int, Query(ge=0, le=2**53)] = 0,
) -> Response:
    """The decisions about a document, or all its events, in pages that begin ``before`` a sequence of the log."""
    log = await log_of(session, document_id)
    document = read_document(document_id, log)
    found = _wanted(log, all=all, section=section)
    events = [event for event in found if not before or event.sequence < before][:ON_A_PAGE]
    said = await asyncio.gather(*(said_with(session.client, document_id, event) for event in events))
    return shown(
        request,
        session,
        "history.html",
        document=document,
        title=await title_of(session.client, document),
        rows=[_row(event, words) for event, words in zip(events, said, strict=True)],
        more=bool(events) and events[-1] is not found[-1],
        total=len(found),
        all=all,
        section=section,
        before=before,
    )


def _wanted(log: Sequence[RecordedEvent], *, all: bool, section: str) -> list[RecordedEvent]:
    return [
        event
        for event in reversed(log)
        if (all or is_decision(event)) and (not section or getattr(event.contract, "section_id", "") == section)
    ]


def _row(event: RecordedEvent, said: str | None) -> HistoryRow:
    contract: Any = event.contract
    decided = contract.decisions if isinstance(contract, e.RequirementsDecided) else ()
    return HistoryRow(
        event=event,
        who=_who(contract),
        claimed=bool(getattr(contract, "actor", None)) and not contract.actor_verified,
        section_id=getattr(contract, "section_id", None) or "",
        version=getattr(contract, "version", 0),
        format=getattr(contract, "format", ""),
        rows=tuple(one.requirement_id for one in decided),
        detail=getattr(contract, "detail", ""),
        problem=getattr(contract, "problem", None),
        makes_stale=getattr(contract, "makes_stale", ()),
        said=said if said is None or len(said) <= LONGEST else f"{said[:LONGEST]}…",
    )


def _who(contract: Any) -> str:
    if getattr(contract, "actor", None):
        return str(contract.actor)
    if isinstance(contract, e.SectionApproved):
        return BY_POLICY
    return EDITOR_AGENT if isinstance(contract, e.SectionRevised | e.SectionRevisionRefused) else ""
