"""A document: all its sections as they are read, what leaves it, its history, its map, and how it is erased."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from graphlib import TopologicalSorter
from hashlib import sha256
from itertools import accumulate, groupby
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from stemma_client import RecordedEvent
from stemma_client.ledgers import LedgerEntry
from stemma_client.progress import read_now, seconds_left
from stemma_client.reading import at_export, is_decision, read_document, said_with, version_pairs
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.ledger import LedgerWarning
from stemma_contracts.v1.requests import (
    AnswerBudget,
    CancelDocument,
    DocumentRequest,
    EraseDocument,
    ExportDocument,
    PauseDocument,
    ResumeDocument,
    SetBudget,
)
from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.usage import Usage
from stemma_contracts.v1.views import DocumentView, ExportView, InputView, SectionView, VersionView
from stemma_domain.costs import WORKS, Costs

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.followed import some_at_once
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import (
    At,
    AtLeast,
    DocumentId,
    document_of,
    log_of,
    read_log,
    read_log_at,
    section_in,
)
from stemma_gateway.sessions import Session

from .documents import settled
from .forms import (
    DOCUMENT,
    NOTHING,
    REFUSED,
    SECTION,
    InSection,
    SectionAddress,
    ask,
    budget_typed,
    fields_of,
    led_on,
    whole_number,
)
from .inputs import ANSWERED
from .requirements import ledger_in
from .section import Part, part_of, people_of
from .shell import kind_title, shown, title_of
from .verbs import DONE, Result, result_of

STEP, MARGIN = 14, 8
MOST_BYTES, LEAST_OF_A_SECTION = 48 * 1024, 1024
"""Of Markdown on one page at first; what comes behind is loaded by the page, section by section."""
OF_THE_DOCUMENT = ("budget", "export", "keep", "regenerate")
"""What is done about a document and no section of it."""
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
    request: Request,
    session: Caller,
    document_id: DocumentId,
    at_least: AtLeast = 0,
    done: str = "",
    at: str = "",
    thread: str = "",
    whole: bool = False,
) -> Response:
    """A document; ``at`` is the section about which something was ``done``, and with ``whole`` nothing comes later."""
    return await document_page(request, session, document_id, at_least, done=done, at=at, thread=thread, whole=whole)


async def document_page(
    request: Request,
    session: Session,
    document_id: str,
    at_least: int = 0,
    *,
    done: str = "",
    at: str = "",
    thread: str = "",
    whole: bool = False,
    error: Exception | None = None,
    budget: Mapping[str, str] = NOTHING,
) -> Response:
    """The page of a document; ``budget`` is what was typed of one that was refused."""
    read = await read_log(session, document_id, at_least)
    document = read.document
    parts = await _parts(request, session, document, whole=whole)
    usual = await session.followed.usual(document) if document.at_work else {}
    return shown(
        request,
        session,
        "document.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        kind=await kind_title(session, document.kind),
        settled=settled(document.sections.values()),
        parts=parts,
        later=_later(document, parts),
        people=people_of(session, document),
        exports=list(document.exports.values())[::-1],
        formats=list(ExportFormat),
        timeline=timeline(document),
        costs=read.costs,
        works=WORKS,
        usual=usual,
        left=seconds_left(document, usual, datetime.now(UTC)),
        read_now=read_now(document),
        stops=STOPS.get(document.status, ()) if "pause-document" in session.client.rights.names else (),
        done=done if done in OF_THE_DOCUMENT and not at else "",
        result=_result(session, document, at, done, thread),
        viewed=await session.client.viewed.of(document_id),
        budget=budget,
    )


async def _parts(request: Request, session: Session, document: DocumentView, *, whole: bool) -> Mapping[str, Part]:
    first = list(document.sections.values())
    if not whole:
        sizes = accumulate(max(section.draft.size if section.draft else 0, LEAST_OF_A_SECTION) for section in first)
        first = first[: max(1, sum(size <= MOST_BYTES for size in sizes))]
    made = await some_at_once(part_of(request, session, document, one, one.section_id) for one in first)
    return dict(zip((one.section_id for one in first), made, strict=True))


def _result(session: Session, document: DocumentView, section_id: str, done: str, thread: str) -> Result | None:
    section = document.sections.get(section_id)
    if section is None or done not in DONE:
        return None
    at = SectionAddress(document.document_id, section_id)
    return replace(result_of(done, at, section, session.client.rights.names, thread), path=at.path)


def _later(document: DocumentView, parts: Mapping[str, Part]) -> Mapping[str, str]:
    """What is loaded later, each with what differs if anything about the section does."""
    return {name: _state(section) for name, section in document.sections.items() if name not in parts}


def _state(section: SectionView) -> str:
    return sha256(section.model_dump_json(exclude={"last_sequence"}).encode()).hexdigest()[:16]


@router.get(f"{SECTION}/part")
async def show_part(request: Request, session: Caller, at: InSection) -> Response:
    """One section of the page, which loads it once it is there."""
    document = await document_of(session, at.document_id)
    section = section_in(document, at.section_id)
    return shown(
        request,
        session,
        "one_part.html",
        document=document,
        part=await part_of(request, session, document, section, at.section_id),
        people=people_of(session, document),
    )


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


@router.post(f"{DOCUMENT}/budget")
async def decide_budget(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    """Set the budget, or with ``answer`` say what becomes of the sections that would pass it."""
    form = dict(await fields_of(request))
    try:
        answer = await ask(session, _budget_asked(document_id, form))
    except REFUSED as error:
        typed = NOTHING if "answer" in form else form
        return await document_page(request, session, document_id, error=error, budget=typed)
    return led_on(request, DOCUMENT.format(document_id=document_id), "budget", answer.sequence)


def _budget_asked(document_id: str, form: Mapping[str, str]) -> DocumentRequest:
    if "answer" in form:
        about = {"document_id": document_id, "question": form.get("question"), "answer": form["answer"]}
        return AnswerBudget.model_validate(about)
    return SetBudget.model_validate({"document_id": document_id, "budget": budget_typed(form)})


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
    cover = {name: form.get(name, "").strip() for name in ("client", "number")}
    return ExportDocument.model_validate(
        {
            "cover": cover if any(cover.values()) else None,
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


@router.get(f"{DOCUMENT}/erase")
async def show_erasure(request: Request, session: Caller, document_id: DocumentId) -> Response:
    return await _erasure(request, session, document_id)


@router.post(f"{DOCUMENT}/erase")
async def erase(request: Request, session: RepeatableCaller, document_id: DocumentId) -> Response:
    form = dict(await fields_of(request))
    try:
        sequence = whole_number(form.get("sequence", "")) or 1
        await ask(session, EraseDocument(document_id=document_id, sequence=sequence, library="library" in form))
    except REFUSED as error:
        return await _erasure(request, session, document_id, error)
    return led_to(request, "/desk/documents")


async def _erasure(request: Request, session: Session, document_id: str, error: Exception | None = None) -> Response:
    plan = await ask(session, EraseDocument(document_id=document_id))
    return shown(request, session, "erase.html", error=error, document_id=document_id, plan=plan)


EVENTS_ON_A_PAGE = 50


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


@dataclass(frozen=True)
class Edge:
    """A line from a section to the one that rests on it, with why that makes it stale, if it does."""

    upstream: SectionView
    reason: StaleReason | None


@dataclass(frozen=True)
class Node:
    section: SectionView
    usage: Usage
    edges: tuple[Edge, ...]
    left_out: int
    """Lines that are not drawn, since a longer way leads along others."""


@router.get(f"{DOCUMENT}/map")
async def show_map(
    request: Request, session: Caller, document_id: DocumentId, at_least: AtLeast = 0, at: At = 0
) -> Response:
    """The map as it is, or as it was at a sequence of the log: then nothing can be decided there."""
    read = await read_log_at(session, document_id, at_least, at)
    document, may = read.document, frozenset[str]() if at else session.client.rights.names
    nodes = await asyncio.to_thread(drawn, document, read.costs)
    usual = await session.followed.usual(document) if document.at_work and not at else {}
    return shown(
        request,
        session,
        "map.html",
        document=document,
        title=await title_of(session.client, document),
        nodes=nodes,
        left_out=sum(node.left_out for node in nodes),
        usual=usual,
        left=seconds_left(document, usual, datetime.now(UTC)),
        stops=STOPS.get(document.status, ()) if "pause-document" in may else (),
        then=read.events[-1] if at else None,
        may=may,
    )


def drawn(document: DocumentView, costs: Costs) -> tuple[Node, ...]:
    return tuple(nodes_of(document, {name: costs.of_section(name) for name in document.sections}))


def nodes_of(document: DocumentView, usage: Mapping[str, Usage]) -> Iterator[Node]:
    """The sections in an order in which each follows all that it rests on."""
    sections = document.sections
    upstream = {
        name: tuple(each for each in dict.fromkeys(one.depends_on) if each in sections)
        for name, one in sections.items()
    }
    above: dict[str, set[str]] = {}
    for name in TopologicalSorter(upstream).static_order():
        farther = set[str]().union(*(above[each] for each in upstream[name]))
        above[name] = farther.union(upstream[name])
        reasons = {reason.upstream_section_id: reason for reason in sections[name].stale_reasons}
        drawn = [each for each in upstream[name] if each not in farther or each in reasons]
        edges = tuple(Edge(sections[each], reasons.get(each)) for each in drawn)
        yield Node(sections[name], usage.get(name, Usage()), edges, len(upstream[name]) - len(edges))


@dataclass(frozen=True)
class Open:
    """What stands against handing in: sections, mandatory requirements, warnings of the ledger, forms, and the file.

    ``export`` is the newest file of the whole text; it is ``outdated`` if the text changed after it was asked for.
    """

    unsettled: Sequence[SectionView]
    stale: Sequence[SectionView]
    requirements: Sequence[LedgerEntry]
    unconfirmed: int
    warnings: Sequence[LedgerWarning]
    forms: Sequence[InputView]
    export: ExportView | None
    outdated: bool

    @property
    def count(self) -> int:
        listed = (self.unsettled, self.stale, self.requirements, self.warnings, self.forms)
        broken = [rule for rule in self.export.rules if rule.state == "broken"] if self.export else []
        lacks_file = self.export is None or self.outdated
        return sum(map(len, listed)) + bool(self.unconfirmed) + len(broken) + lacks_file


def open_points(document: DocumentView, entries: Sequence[LedgerEntry]) -> Open:
    sections = [each for each in document.sections.values() if not each.form_withdrawn]
    mandatory = set(document.ledger.open_mandatory if document.ledger else ())
    done = {(each.input_id, each.input_version) for each in document.form_exports.values() if each.artifact}
    exports = [each for each in document.exports.values() if each.artifact and not each.redline]
    export = exports[-1] if exports else None
    made = [each.current.made_at for each in sections if each.current and each.current.made_at]
    return Open(
        unsettled=[each for each in sections if each.status not in ANSWERED],
        stale=[each for each in sections if each.stale],
        requirements=[entry for entry in entries if entry.row.requirement_id in mandatory],
        unconfirmed=sum(entry.decided == "found" for entry in entries),
        warnings=document.ledger.warnings if document.ledger else (),
        forms=[each for each in document.counting if each.form and (each.input_id, each.version) not in done],
        export=export,
        outdated=bool(export and export.asked_at and made and max(made) > export.asked_at),
    )


@router.get("/desk/documents/{document_id}/submission")
async def show_submission(
    request: Request, session: Caller, document_id: DocumentId, at_least: AtLeast = 0
) -> Response:
    document = await document_of(session, document_id, at_least)
    ledger = await ledger_in(session, document)
    return shown(
        request,
        session,
        "submission.html",
        document=document,
        title=await title_of(session.client, document),
        open=open_points(document, ledger.entries if ledger else ()),
        rules=len(ledger.bid.found) if ledger and ledger.bid else 0,
        formats=list(ExportFormat),
    )
