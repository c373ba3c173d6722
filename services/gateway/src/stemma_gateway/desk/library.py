"""The library: texts that people approved, searched, described, and offered to the demands of a document."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import ValidationError
from stemma_client import DocumentView
from stemma_client.differences import Change
from stemma_client.errors import LedgerFailedError
from stemma_client.library import DemandOffers, entries, offers, search
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.library import EntryRef
from stemma_contracts.v1.requests import DescribeEntry, RecordOutcome, ReuseEntry

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute, language_of
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of
from stemma_gateway.sessions import Session
from stemma_gateway.texts import pairs_compared

from .documents import Words
from .forms import DOCUMENT, NOTHING, REFUSED, ask, fields_of, led_on
from .shell import age, shown, title_of

PAGE, OFFERS = "/desk/library", f"{DOCUMENT}/library"
DONE = frozenset({"take_entry", "say_outcome", "describe_entry"})
MOST_SHOWN = 300
Done = Annotated[str, Query(max_length=32)]
router = APIRouter(route_class=PageRoute)


@router.get(PAGE)
async def show_library(request: Request, session: Caller, q: Words = "", done: Done = "") -> Response:
    return await _library(request, session, q, done=done)


@router.post(PAGE)
async def describe(request: Request, session: RepeatableCaller) -> Response:
    """Say who keeps a text, until when it holds, and whether it is withheld."""
    fields = dict(await fields_of(request))
    try:
        answer = await ask(session, _described(fields))
    except REFUSED as error:
        return await _library(request, session, "", error=error, typed=fields)
    return led_on(request, PAGE, "describe_entry", answer.sequence)


def _described(fields: dict[str, str]) -> DescribeEntry:
    day = fields.get("expires", "")
    try:
        expires = datetime.fromisoformat(f"{day}T23:59:59").replace(tzinfo=UTC) if day else None
    except ValueError:
        raise Invalid(Problem.of("time_invalid", "expires", reason=day[:20])) from None
    about = {"document_id": fields.get("document"), "section_id": fields.get("section")}
    said = {"owner": fields.get("owner", ""), "expires": expires, "withheld": "withheld" in fields}
    return DescribeEntry.model_validate({**about, **said})


async def _library(
    request: Request,
    session: Session,
    q: str,
    *,
    done: str = "",
    error: Exception | None = None,
    typed: Mapping[str, str] = NOTHING,
) -> Response:
    found = await search(session.client, q) if q.strip() else None
    return shown(
        request,
        session,
        "library.html",
        error=error,
        q=q,
        entries=() if found is not None else (await entries(session.client))[:MOST_SHOWN],
        found=found,
        age=lambda time: age(time, language_of(request)),
        done=done if done in DONE else "",
        typed=typed,
    )


@router.get(OFFERS)
async def show_offers(
    request: Request, session: Caller, document_id: DocumentId, at_least: AtLeast = 0, done: Done = ""
) -> Response:
    return await _offers(request, session, await document_of(session, document_id, at_least), done=done)


@router.post(OFFERS)
async def decide(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    """Take a text for a demand, or say what became of the bid."""
    fields = dict(await fields_of(request))
    document = await document_of(session, document_id)
    try:
        asked = _decided(document_id, fields)
        answer = await ask(session, asked)
    except REFUSED as error:
        return await _offers(request, session, document, error=error, typed=fields)
    verb = "take_entry" if isinstance(asked, ReuseEntry) else "say_outcome"
    return led_on(request, OFFERS.format(document_id=document_id), verb, answer.sequence)


def _decided(document_id: str, fields: dict[str, str]) -> ReuseEntry | RecordOutcome:
    """The button of an offer names the demand, and the document, the section and the version of the text."""
    if (outcome := fields.get("outcome")) is not None:
        return RecordOutcome.model_validate({"document_id": document_id, "outcome": outcome})
    row, source, section, version = (*fields.get("take", "").split(" "), "", "", "", "")[:4]
    try:
        entry = EntryRef.model_validate({"document_id": source, "section_id": section, "version": int(version or 0)})
    except (ValueError, ValidationError):
        raise Invalid(Problem.of("entry_unknown", "take")) from None
    return ReuseEntry.model_validate(
        {"document_id": document_id, "entry": entry, "requirement_ids": (row,) if row else ()}
    )


async def _offers(
    request: Request,
    session: Session,
    document: DocumentView,
    *,
    done: str = "",
    error: Exception | None = None,
    typed: Mapping[str, str] = NOTHING,
) -> Response:
    try:
        found = await offers(session.client, document.document_id)
    except LedgerFailedError:
        found = None
    return shown(
        request,
        session,
        "offers.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        found=found,
        changes=await _differences(session, found or [], document.language),
        taken={(one.entry.document_id, one.entry.section_id): one for one in document.reuses},
        age=lambda time: age(time, language_of(request)),
        done=done if done in DONE else "",
        outcome=typed.get("outcome", document.outcome),
    )


async def _differences(
    session: Session, found: Sequence[DemandOffers], language: str
) -> dict[tuple[str, str], tuple[Change, ...]]:
    """What each demand that was answered then says otherwise than the one of now."""
    pairs = {(offer.demand, row.demand.words) for row in found for offer in row.offers if offer.demand}
    given = tuple(sorted(pairs))
    return dict(zip(given, await session.client.compute(pairs_compared, given, language), strict=True))
