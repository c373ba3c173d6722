"""What was read of the inputs, what was found in them and what was missed; one confirmation makes it count."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import APIRouter, Query, Request, Response
from stemma_client import DocumentView
from stemma_client.ledgers import LedgerEntry, RequirementLedger, listed_deadlines
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import BRIEF
from stemma_contracts.v1.ledger import LedgerWarning, RequirementDecision
from stemma_contracts.v1.requests import DecideRequirements
from stemma_contracts.v1.views import InputView

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Conflict
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of
from stemma_gateway.sessions import Session

from .forms import REFUSED, ask, fields_of
from .requirements import PAGE, ledger_in, places
from .shell import shown, title_of

READING = "/desk/documents/{document_id}/reading"
MOST_SHOWN, AT_ONCE = 200, 1000
router = APIRouter(route_class=PageRoute)


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
