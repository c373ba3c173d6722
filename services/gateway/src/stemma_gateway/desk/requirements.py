"""The requirement ledger of a document: what it demands, where that stands and is answered, and what people decide."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import BaseModel, Field
from stemma_artifacts.store import ArtifactMissing
from stemma_client import DocumentView
from stemma_client.differences import Change, differences
from stemma_client.errors import InvalidCutError, LedgerFailedError
from stemma_client.ledgers import UNANSWERED, LedgerEntry, RequirementLedger, listed_deadlines, matrix_of
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.ledger import (
    AnswerStatus,
    ChangedRow,
    LedgerWarning,
    Obligation,
    RequirementDecision,
    RequirementKind,
)
from stemma_contracts.v1.requests import DecideRequirements, ReadRequirements, SplitRequirements
from stemma_contracts.v1.views import InputView

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Conflict, Invalid, NotFound, problem_in
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of
from stemma_gateway.sessions import Session
from stemma_gateway.texts import pairs_compared

from .forms import DOCUMENT, REFUSED, ask, fields_of, led_on, whole_number
from .shell import shown, title_of
from .sources import MarkedPage, page_of

Decided = Literal["found", "confirmed", "dropped", "merged"]
NO_SECTION = "-"
"""What stands for the rows that nobody gave to a section, where a section is named."""
ON_A_PAGE = 100


class Filter(BaseModel):
    """The rows that are listed; what is empty limits nothing, but that rows which do not count are left out."""

    status: AnswerStatus | Literal["unanswered", ""] = ""
    decided: Decided | Literal[""] = ""
    kind: RequirementKind | Literal[""] = ""
    obligation: Obligation | Literal[""] = ""
    section: str = Field("", max_length=64)
    suspect: bool = False
    text: str = Field("", max_length=300)
    page: int = Field(1, ge=1, le=1000)

    def lists(self, entry: LedgerEntry) -> bool:
        row, standing = entry.row, entry.standing
        return (
            (self.decided == entry.decided if self.decided else entry.counts)
            and (
                self.status in ("", standing.status) or (self.status == "unanswered" and standing.status in UNANSWERED)
            )
            and self.kind in ("", row.kind)
            and self.obligation in ("", row.obligation)
            and self.section in ("", standing.section_id or NO_SECTION)
            and (not self.suspect or bool(standing.suspect))
            and (not self.text or self.text.strip().casefold() in _words(entry))
        )

    def query(self, **other: object) -> str:
        given = {name: value for name, value in {**self.model_dump(exclude_defaults=True), **other}.items() if value}
        return urlencode(given)


def filter_of(wanted: Annotated[Filter, Query()]) -> Filter:
    return wanted


Wanted = Annotated[Filter, Depends(filter_of)]


@dataclass(frozen=True)
class Listed:
    entries: tuple[LedgerEntry, ...]
    total: int
    page: int
    pages: int


def listed(entries: Iterable[LedgerEntry], wanted: Filter) -> Listed:
    found = [entry for entry in entries if wanted.lists(entry)]
    pages = max(1, -(-len(found) // ON_A_PAGE))
    page = min(wanted.page, pages)
    return Listed(tuple(found[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]), len(found), page, pages)


@dataclass(frozen=True)
class Coverage:
    """How the rows stand that count: by status, those that nobody confirmed, those of no section."""

    rows: int
    by_status: Mapping[AnswerStatus, int]
    mandatory: int
    open_mandatory: int
    unconfirmed: int
    unassigned: int
    suspect: int

    def bars(self) -> Iterator[tuple[AnswerStatus, int, int]]:
        at = 0
        for status, count in self.by_status.items():
            yield status, at, count
            at += count


STATUSES: tuple[AnswerStatus, ...] = ("verified", "addressed", "not_applicable", "check", "open")


def coverage_of(entries: Sequence[LedgerEntry], open_mandatory: Sequence[str]) -> Coverage:
    """The coverage of a ledger, or of the rows of a section; what must be answered and is not is told with it."""
    counted = [entry for entry in entries if entry.counts]
    statuses = Counter(entry.standing.status for entry in counted)
    names = {entry.row.requirement_id for entry in counted}
    return Coverage(
        len(counted),
        {status: statuses[status] for status in STATUSES},
        sum(entry.row.obligation == "mandatory" for entry in counted),
        len(names.intersection(open_mandatory)),
        sum(entry.decided == "found" for entry in counted),
        sum(not entry.standing.section_id for entry in counted),
        sum(bool(entry.standing.suspect) for entry in counted),
    )


def by_section(entries: Sequence[LedgerEntry], open_mandatory: Sequence[str]) -> Mapping[str, Coverage]:
    rows = defaultdict[str, list[LedgerEntry]](list)
    for entry in entries:
        if entry.counts and entry.standing.section_id:
            rows[entry.standing.section_id].append(entry)
    return {name: coverage_of(of, open_mandatory) for name, of in rows.items()}


def _words(entry: LedgerEntry) -> str:
    row = entry.row
    told = (row.requirement_id, row.quote, row.announced_by, row.source, row.place, *row.headings)
    return " ".join((*told, entry.standing.owner)).casefold()


PAGE = "/desk/documents/{document_id}/requirements"
MOST_CHANGES = 200
VERBS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "confirm": {"confirmed": True},
        "drop": {"dropped": True},
        "take_up": {"dropped": False},
        "verify": {"status": "verified"},
        "not_applicable": {"status": "not_applicable"},
        "reopen_row": {"status": "open"},
        "looked_at": {"looked": True},
    }
)
"""What is decided about a row with nothing more to say."""
FIELDS: Mapping[str, str] = MappingProxyType({"assign": "section_id", "own": "owner", "merge": "merged_into"})
"""What is decided by a field of the form, with what a decision calls it."""
CUT = "cut"
MOST_DIGITS = 18
"""Of a sequence."""
RowId = Annotated[Token, Path()]
Done = Annotated[str, Query(max_length=32)]
router = APIRouter(route_class=PageRoute)


@router.get(PAGE)
async def show_requirements(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    wanted: Wanted,
    at_least: AtLeast = 0,
    done: Done = "",
    count: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    document = await document_of(session, document_id, at_least)
    return await _list(request, session, document, wanted, done=known_verb(done), count=count)


@router.post(PAGE)
async def decide(request: Request, session: RepeatableCaller, document_id: DocumentId, wanted: Wanted) -> Response:
    """Decide about the rows that are ticked, or about the one whose button was pressed: all of it is done, or none."""
    fields = await fields_of(request)
    document = await document_of(session, document_id)
    try:
        verb, decisions = decisions_in(fields)
        sequence = await decided(session, document, fields, decisions)
    except REFUSED as error:
        return await _list(request, session, document, wanted, error=error, ticked=all_of(fields, "row"))
    place = f"#{decisions[0].requirement_id}" if len(decisions) == 1 else ""
    query = wanted.query(done=verb, count=len(decisions), at_least=sequence)
    return led_to(request, f"{PAGE.format(document_id=document_id)}?{query}{place}")


@router.post(f"{PAGE}/read")
async def read(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    """Have the demands of the requests read again, of the brief if it is ticked; by a model, too, if asked."""
    fields = await fields_of(request)
    document = await document_of(session, document_id)
    try:
        asked = ReadRequirements(
            document_id=document_id,
            without_brief="brief" not in dict(fields),
            second_opinion="second_opinion" in dict(fields),
        )
        answer = await ask(session, asked)
    except REFUSED as error:
        return await _list(request, session, document, Filter(), error=error)
    return led_on(request, PAGE.format(document_id=document_id), "read_requirements", answer.sequence)


@router.post(f"{PAGE}/close")
async def close(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    """Say that a warning of the ledger was looked into."""
    code, _, source = dict(await fields_of(request)).get("warning", "").partition("=")
    try:
        closed = (LedgerWarning(code=code, source=source),)
        answer = await ask(session, DecideRequirements(document_id=document_id, decisions=(), closed=closed))
    except REFUSED as error:
        return await _list(request, session, await document_of(session, document_id), Filter(), error=error)
    return led_on(request, PAGE.format(document_id=document_id), "close_warning", answer.sequence)


@router.get(f"{PAGE}/{{row_id}}")
async def show_row(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    row_id: RowId,
    wanted: Wanted,
    at_least: AtLeast = 0,
    done: Done = "",
) -> Response:
    document = await document_of(session, document_id, at_least)
    return await _one(request, session, document, row_id, wanted, done=known_verb(done))


@router.post(f"{PAGE}/{{row_id}}")
async def decide_row(
    request: Request, session: RepeatableCaller, document_id: DocumentId, row_id: RowId, wanted: Wanted
) -> Response:
    fields = await fields_of(request)
    document = await document_of(session, document_id)
    try:
        verb, sequence = await _decided_row(session, document, row_id, fields)
    except REFUSED as error:
        return await _one(request, session, document, row_id, wanted, error=error, typed=dict(fields))
    query = wanted.query(done=verb, at_least=sequence)
    return led_to(request, f"{PAGE.format(document_id=document_id)}/{row_id}?{query}")


async def _decided_row(
    session: Session, document: DocumentView, row_id: str, fields: Sequence[tuple[str, str]]
) -> tuple[str, int]:
    if dict(fields).get("verb") == CUT:
        return CUT, await _cut(session, document, row_id, dict(fields).get(CUT, ""))
    verb, decisions = decisions_in([*fields, ("row", row_id)])
    return verb, await decided(session, document, fields, decisions)


async def _cut(session: Session, document: DocumentView, row_id: str, begins: str) -> int:
    """Cut a row in two where these words begin; the sequence of that."""
    ledger = await session.client.ledger_of(document)
    try:
        cuts = ledger.cuts_before(row_id, [" ".join(begins.split())])
    except InvalidCutError as error:
        raise Invalid(problem_in(error)) from None
    asked = SplitRequirements(document_id=document.document_id, rows_digest=ledger.rows_digest, splits=(cuts,))
    return (await ask(session, asked)).sequence or 0


def known_verb(done: str) -> str:
    return done if done in {*VERBS, *FIELDS, CUT, "read_requirements", "close_warning"} else ""


def all_of(fields: Sequence[tuple[str, str]], name: str) -> list[str]:
    return [value for field, value in fields if field == name]


def decisions_in(fields: Sequence[tuple[str, str]]) -> tuple[str, list[RequirementDecision]]:
    """What a form decides, and the verb of it; raises `Invalid` and `ValidationError`."""
    form = dict(fields)
    verb, _, alone = form.get("one", form.get("verb", "")).partition(" ")
    rows = [alone] if alone else list(dict.fromkeys(all_of(fields, "row")))
    if not rows:
        raise Invalid(Problem.of("rows_needed", "row"))
    said = _said(verb, form)
    return verb, [RequirementDecision.model_validate({"requirement_id": row, **said}) for row in rows]


def _said(verb: str, form: Mapping[str, str]) -> Mapping[str, object]:
    if verb in VERBS:
        return VERBS[verb]
    if verb not in FIELDS:
        raise Invalid(Problem.of("decision_unknown", "verb"))
    if verb == "merge" and not form.get(verb):
        raise Invalid(Problem.of("merge_needed", "merge"))
    if verb == "assign" and not form.get(verb):
        raise Invalid(Problem.of("section_needed", "section"))
    value = form.get(verb, "").strip()
    return {FIELDS[verb]: "" if value == NO_SECTION else value}


async def decided(
    session: Session,
    document: DocumentView,
    fields: Sequence[tuple[str, str]],
    decisions: Sequence[RequirementDecision],
) -> int:
    form = dict(fields)
    if document.ledger is None or document.ledger.rows is None or document.ledger.rows.digest != form.get("rows"):
        raise Conflict(Problem.of("rows_read_again"))
    shown_at = whole_number(form.get("shown", ""), MOST_DIGITS)
    asked = DecideRequirements(document_id=document.document_id, decisions=tuple(decisions), shown=shown_at)
    return (await ask(session, asked)).sequence or 0


async def _list(
    request: Request,
    session: Session,
    document: DocumentView,
    wanted: Filter,
    *,
    done: str = "",
    count: int = 0,
    error: Exception | None = None,
    ticked: Sequence[str] = (),
) -> Response:
    ledger = await ledger_in(session, document)
    found, open_rows = (ledger.entries, ledger.view.open_mandatory) if ledger else ((), ())
    return shown(
        request,
        session,
        "requirements.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        ledger=ledger,
        wanted=wanted,
        listed=await asyncio.to_thread(listed, found, wanted),
        coverage=coverage_of(found, open_rows),
        by_section=by_section(found, open_rows),
        amended=await _amended(session, ledger, document.language) if ledger else None,
        deadlines=listed_deadlines((ledger and ledger.deadlines) or (), datetime.now(UTC).date()),
        places=places(document),
        readable=readable(document),
        done=done,
        count=count,
        ticked=frozenset(ticked),
        no_section=NO_SECTION,
    )


async def _one(
    request: Request,
    session: Session,
    document: DocumentView,
    row_id: str,
    wanted: Filter,
    *,
    done: str = "",
    error: Exception | None = None,
    typed: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    ledger = await ledger_in(session, document)
    found = {entry.row.requirement_id: entry for entry in ledger.entries} if ledger else {}
    if ledger is None or row_id not in found:
        raise NotFound(Problem.of("row_unknown", requirement_id=row_id))
    order = await asyncio.to_thread(_listed_or, row_id, found, wanted)
    at = order.index(row_id)
    changed = {change.requirement_id: change for change in ledger.difference.changed}
    return shown(
        request,
        session,
        "requirement.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        ledger=ledger,
        entry=found[row_id],
        wanted=wanted,
        before=order[at - 1] if at else "",
        after=order[at + 1] if at + 1 < len(order) else "",
        changes=await _reworded(session, changed.get(row_id), document.language),
        places=places(document),
        drawn=await _drawn(session, document, found[row_id]),
        done=done,
        typed=typed,
        no_section=NO_SECTION,
    )


def _listed_or(row_id: str, found: Mapping[str, LedgerEntry], wanted: Filter) -> list[str]:
    return [name for name, entry in found.items() if wanted.lists(entry) or name == row_id]


async def _drawn(session: Session, document: DocumentView, entry: LedgerEntry) -> MarkedPage | None:
    """The page that a row stands on, of the version of its source that counts."""
    row = entry.row
    source = next((one for one in readable(document) if one.source == row.source), None)
    if source is None:
        return None
    return await page_of(session.client, document.document_id, source, row.place, row.quote)


async def ledger_in(session: Session, document: DocumentView) -> RequirementLedger | None:
    try:
        return await session.client.ledger_of(document)
    except (LedgerFailedError, ArtifactMissing):
        return None


def places(document: DocumentView) -> Mapping[str, str]:
    return {one.source: one.input_id for one in readable(document)}


def readable(document: DocumentView) -> list[InputView]:
    return [one for one in document.counting if one.text is not None]


async def _amended(session: Session, ledger: RequirementLedger, language: str) -> dict[str, Any] | None:
    """What the last reading changed; nothing of the first one, which found all that there is."""
    difference = ledger.difference
    if len(difference.new) == len(ledger.entries) or not (difference.new or difference.changed or difference.withdrawn):
        return None
    shown_ones = difference.changed[:MOST_CHANGES]
    pairs = tuple((change.before.quote, change.after.quote) for change in shown_ones)
    words = await session.client.compute(pairs_compared, pairs, language)
    changed = zip(shown_ones, words, strict=True)
    return {"new": difference.new, "changed": list(changed), "withdrawn": difference.withdrawn}


async def _reworded(session: Session, change: ChangedRow | None, language: str) -> tuple[Change, ...]:
    if change is None:
        return ()
    return await session.client.compute(differences, change.before.quote, change.after.quote, language)


MATRIX = f"{DOCUMENT}/matrix"


@router.get(MATRIX)
async def show_matrix(
    request: Request, session: Caller, document_id: DocumentId, wanted: Wanted, at_least: AtLeast = 0, done: Done = ""
) -> Response:
    document = await document_of(session, document_id, at_least)
    return await _matrix(request, session, document, wanted, done=known_verb(done))


@router.post(MATRIX)
async def look(request: Request, session: RepeatableCaller, document_id: DocumentId, wanted: Wanted) -> Response:
    """Say that the rows that are ticked were compared with the texts of their sections."""
    fields = await fields_of(request)
    document = await document_of(session, document_id)
    try:
        verb, decisions = decisions_in(fields)
        sequence = await decided(session, document, fields, decisions)
    except REFUSED as error:
        return await _matrix(request, session, document, wanted, error=error)
    query = wanted.query(done=verb, at_least=sequence)
    return led_to(request, f"{MATRIX.format(document_id=document_id)}?{query}")


async def _matrix(
    request: Request,
    session: Session,
    document: DocumentView,
    wanted: Filter,
    *,
    done: str = "",
    error: Exception | None = None,
) -> Response:
    ledger = await ledger_in(session, document)
    found = await asyncio.to_thread(listed, ledger.entries if ledger else (), wanted)
    return shown(
        request,
        session,
        "matrix.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        ledger=ledger,
        matrix=matrix_of(document, ledger, found.entries) if ledger else None,
        listed=found,
        wanted=wanted,
        no_section=NO_SECTION,
        done=done,
    )
