"""A document as it is read: all its sections in their order, what is said beside their words, and what leaves it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import accumulate

from fastapi import APIRouter, Request, Response
from stemma_client.progress import read_now, seconds_left
from stemma_client.reading import at_export, read_document, version_pairs
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.requests import (
    AnswerBudget,
    CancelDocument,
    DocumentRequest,
    ExportDocument,
    PauseDocument,
    ResumeDocument,
    SetBudget,
)
from stemma_contracts.v1.views import DocumentView, SectionView, VersionView
from stemma_domain.costs import WORKS

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.followed import some_at_once
from stemma_gateway.pages import PageRoute
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of, log_of, read_log, section_in
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
from .results import DONE, Result, result_of
from .section import Part, part_of, people_of
from .shell import kind_title, shown, title_of

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
