"""A section: its text as it is meant and as it is written, what is said about it, and what it asks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Form, Path, Query, Request, Response
from pydantic import TypeAdapter
from stemma_client import Client, DocumentView, RecordedEvent
from stemma_client.comments import ReadThread
from stemma_client.differences import conflicts_in, conflicts_of
from stemma_client.findings import findings_of
from stemma_client.recipes import outdated_recipe
from stemma_contracts.suggestions import replaceable, suggestion_in, with_suggestion
from stemma_contracts.tokens import TOKEN_PATTERN, Token
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import MOST_COMMENTS, NewComment
from stemma_contracts.v1.grounding import CitedPlace, CitedText, GroundingReport
from stemma_contracts.v1.needs import SKIP, Need
from stemma_contracts.v1.plans import Plan
from stemma_contracts.v1.references import InputFile, UploadRef
from stemma_contracts.v1.requests import AcceptSuggestion, AnswerNeed, ReopenThread, ResolveThread
from stemma_contracts.v1.views import SectionView, VersionView
from stemma_domain.dependencies import held_up_by

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.delivery import address
from stemma_gateway.pages import PageRoute, language_of
from stemma_gateway.problems import Invalid, NotFound
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of, read_log, section_in
from stemma_gateway.sessions import Session
from stemma_gateway.texts import MOST_LINES, Compared, compared, rendered, shown_lines

from .forms import (
    NOTHING,
    PICTURES,
    REFUSED,
    SECTION,
    InSection,
    SectionAddress,
    Sent,
    ask,
    fields_of,
    picture_of,
    sent,
    whole_number,
)
from .shell import Told, shown, title_of, told
from .verbs import BY_NAME, DONE, Decided, Result, Verb, barred_verbs, open_verbs, result_elsewhere, result_of

Number = Annotated[int | None, Query(ge=1, le=2**31)]
router = APIRouter(route_class=PageRoute)


@router.get(SECTION)
async def show_section(
    request: Request,
    session: Caller,
    at: InSection,
    at_least: AtLeast = 0,
    old: Number = None,
    new: Number = None,
    done: str = "",
    draft: str = "",
    of: Decided = "",
    thread: str = "",
) -> Response:
    """A section, and with ``old`` what changed since that version; ``of`` is what was ``done`` about another one."""
    pair = (old, new) if old else None
    done, draft = done if done in DONE else "", draft if draft.isalnum() else ""
    return await section_page(request, session, at, at_least, pair=pair, done=done, draft=draft, of=of, thread=thread)


async def section_page(
    request: Request,
    session: Session,
    at: SectionAddress,
    at_least: int = 0,
    *,
    pair: tuple[int, int | None] | None = None,
    done: str = "",
    draft: str = "",
    of: str = "",
    thread: str = "",
    error: Exception | None = None,
    typed: Mapping[str, str] = NOTHING,
    remarks: tuple[Mapping[str, str], ...] = (),
    plan: Plan | None = None,
) -> Response:
    """The page of a section; ``typed`` and ``remarks`` are what was refused, with its error: nothing of it is lost.

    A ``plan`` is what that which was ``typed`` would lead to.
    """
    read = await read_log(session, at.document_id, at_least)
    document, section = read.document, section_in(read.document, at.section_id)
    client = session.client
    verbs = open_verbs(section, client.rights.names)
    text = await stored(client, at.document_id, section.current)
    findings = told(await findings_of(client, at.document_id, section.current), language_of(request))
    return shown(
        request,
        session,
        "section.html",
        error=error,
        document=document,
        title=await title_of(client, document),
        section=section,
        held_up_by=held_up_by(document, at.section_id),
        usual=await session.followed.usual(document) if section.at_work else {},
        part=await part_of(request, session, document, section),
        lines=shown_lines(text),
        findings=findings,
        by_line=_by_line(findings),
        proposed=await _proposed(client, document, section, text),
        conflicts=await conflicts_of(client, at.document_id, section.current),
        disputed=await conflicts_in(client, at.document_id, section.proposal.merge if section.proposal else None),
        pair=pair,
        compared=await _compared(client, document, section, pair) if pair else None,
        lineage=await lineage_of(client, document, section, read.events),
        result=await _result(session, at, section, done, of, thread),
        draft=draft,
        typed=typed,
        remarks=remarks,
        plan=plan,
        unplaced=_unplaced(verbs, typed, () if "comment-section" in client.rights.names else remarks),
        people=people_of(session, document),
        viewed=await client.viewed.of(at.document_id),
    )


async def _result(
    session: Session, at: SectionAddress, section: SectionView, done: str, of: str, thread: str
) -> Result | None:
    if of:
        return await result_elsewhere(session, done, of)
    return result_of(done, at, section, session.client.rights.names, thread) if done else None


def _unplaced(verbs: Mapping[str, Verb], typed: Mapping[str, str], remarks: Iterable[Mapping[str, str]]) -> list[str]:
    """The words of a form that was refused and is not on the page any more."""
    placed = {field for verb in verbs.values() if verb.name != "edit" for field in verb.fields}
    words = [typed.get(field, "") for verb in BY_NAME.values() for field in verb.fields if field not in placed]
    said = [words for each in remarks for words in (each["text"], each["instead"])]
    return [each for each in (*words, *said) if each.strip()]


@dataclass(frozen=True)
class Part:
    """A section as it is read: its text, what is said beside it, and what can be decided, here or by somebody else."""

    section: SectionView
    text: str
    rendered: str
    threads: Sequence[ReadThread]
    replacements: Mapping[str, "Replacement"]
    verbs: Mapping[str, Verb]
    barred: Sequence[str]
    question: str


async def part_of(
    request: Request, session: Session, document: DocumentView, section: SectionView, name: str = "line"
) -> Part:
    """A part of a page, on which its lines are called ``line-3``, or by another name before the number."""
    client, document_id = session.client, document.document_id
    text = await stored(client, document_id, section.current)
    threads = await client.threads(document_id, section) if section.threads else ()
    shown_text = await client.compute(rendered, text, pictures(request, document, section), 1, name)
    return Part(
        section,
        text,
        without_title(shown_text, section.title),
        sorted(threads, key=lambda thread: thread.start or 0),
        replacements(text, section, threads),
        open_verbs(section, client.rights.names),
        barred_verbs(section, client.rights.names),
        await client.text(document_id, section.need.question) if section.need else "",
    )


def without_title(html: str, title: str) -> str:
    """The text of a section below its title, where it begins with that title itself."""
    head, end, rest = html.partition("</h2>\n")
    return rest if end and head.startswith("<h2") and head.partition(">")[2] == escape(title) else html


async def stored(client: Client, document_id: str, version: VersionView | None) -> str:
    return await client.stored_text(document_id, version.draft if version else None) or ""


async def _compared(
    client: Client, document: DocumentView, section: SectionView, pair: tuple[int, int | None]
) -> Compared:
    """The changes between two versions; those since an earlier one can be decided, unless something is at work."""
    numbers = (pair[0], pair[1] or section.version)
    found = [section.numbered(number) for number in numbers]
    if None in found:
        missing = numbers[found.index(None)]
        raise NotFound(Problem.of("version_unknown", section_id=section.section_id, version=missing))
    old, new = [await stored(client, document.document_id, version) for version in found]
    is_open = numbers[1] == section.version != numbers[0] and not section.at_work
    is_open = is_open and "take-back-changes" in client.rights.names
    return await client.compute(compared, old, new, document.language, is_open)


async def _proposed(client: Client, document: DocumentView, section: SectionView, text: str) -> Compared | None:
    if section.proposal is None or section.proposal.draft is None:
        return None
    new = await client.text(document.document_id, section.proposal.draft)
    return await client.compute(
        compared, text, new, document.language, section.proposes and "take-back-changes" in client.rights.names
    )


def people_of(session: Session, document: DocumentView) -> list[str]:
    asked = (section.assignment.assignee for section in document.sections.values() if section.assignment)
    return sorted({session.user, *asked})


def _by_line(findings: tuple[Told, ...]) -> Mapping[int, list[Told]]:
    lines: dict[int, list[Told]] = {}
    for finding in findings:
        if finding.line:
            lines.setdefault(min(finding.line, MOST_LINES + 1), []).append(finding)
    return lines


def pictures(request: Request, document: DocumentView, section: SectionView | None) -> dict[str, str]:
    here = f"/documents/{document.document_id}"
    sent = [image for version in (section.versions if section else ()) for image in version.images]
    found = {image.name: f"{here}/artifacts/{image.artifact.digest}" for image in sent if _is_picture(image)}
    found |= {file.name: f"{here}/inputs/{quote(file.name)}" for file in document.inputs if _is_picture(file)}
    return {name: address(request, path) for name, path in found.items()}


def _is_picture(file: InputFile) -> bool:
    return file.artifact.media_type in PICTURES.values()


async def lineage_of(
    client: Client, document: DocumentView, section: SectionView, log: Sequence[RecordedEvent]
) -> Mapping[str, object]:
    """The sources of a version: each input with the places that it was cited at, and each sentence with its own.

    ``approval`` is the event by which the current version was settled, if that still holds; ``outdated`` is what would
    be another today; ``rows`` are the requirements that the section has to answer.
    """
    ref = section.validation.grounding if section.validation else None
    report = await client.stored(document.document_id, ref, GroundingReport) or GroundingReport()
    standings = document.ledger.standings if document.ledger else {}
    return {
        "places": _places(report.cited),
        "sentences": report.cited,
        "approval": approval_of(section, log),
        "outdated": outdated_recipe(section, await client.recipes()),
        "rows": {name: one.status for name, one in standings.items() if one.section_id == section.section_id},
    }


def approval_of(section: SectionView, log: Sequence[RecordedEvent]) -> RecordedEvent | None:
    for event in reversed(log):
        match event.contract:
            case e.SectionApproved(section_id=section.section_id, version=section.version):
                return event
    return None


def _places(cited: Sequence[CitedText]) -> Mapping[str, tuple[CitedPlace, ...]]:
    found: dict[str, dict[str, CitedPlace]] = {}
    for place in sorted((place for text in cited for place in text.places), key=lambda one: one.line):
        found.setdefault(place.input_id, {}).setdefault(place.label, place)
    return {name: tuple(places.values()) for name, places in found.items()}


@router.post("/desk/documents/{document_id}/viewed", status_code=HTTPStatus.NO_CONTENT)
async def view(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    section: Annotated[Token, Form()],
    version: Annotated[int, Form(ge=0, le=2**31)],
) -> Response:
    """Tick a section as viewed in a version, or with 0 take that back."""
    await session.client.viewed.mark(document_id, section, version)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@dataclass(frozen=True)
class Replacement:
    """What a comment suggests: ``old`` is what of the text it replaces, None where it cannot be put there."""

    old: str | None
    new: str
    said: str


def replacements(text: str, section: SectionView, threads: Iterable[ReadThread]) -> Mapping[str, Replacement]:
    is_open = BY_NAME["edit"].is_open(section)
    found = {}
    for thread in threads:
        place = place_of(text, thread) if is_open and not thread.view.resolved else None
        for comment in thread.comments:
            if thread.quote and comment.text and (suggestion := suggestion_in(comment.text)):
                old = text[slice(*place)] if place else None
                found[comment.view.comment_id] = Replacement(old, suggestion.words, suggestion.said)
    return found


def place_of(text: str, thread: ReadThread) -> tuple[int, int] | None:
    """What of a text is replaced if a suggestion in a thread is accepted; None where its passage is not in it."""
    if thread.start is None or thread.end is None:
        return None
    return replaceable(text, thread.start, thread.end)


FIELDS = ("quote", "before", "text", "instead")
ThreadId = Annotated[str, Path(pattern=TOKEN_PATTERN)]
_COMMENTS = TypeAdapter(tuple[NewComment, ...])


@router.post(f"{SECTION}/threads/{{thread_id}}/accept")
async def accept(request: Request, session: RepeatableCaller, at: InSection, thread_id: ThreadId) -> Response:
    """Put the suggested words in their place, and resolve the thread: all as it was shown."""
    form = dict(await fields_of(request))
    about = {"document_id": at.document_id, "section_id": at.section_id, "thread_id": thread_id}
    try:
        named = {"version": whole_number(form.get("version", "")), "comment_id": form.get("comment_id", "")}
        answer = await ask(session, AcceptSuggestion.model_validate(about | named))
    except REFUSED as error:
        return await section_page(request, session, at, error=error)
    return at.led_on(request, "accept_suggestion", answer.sequence)


@router.post(f"{SECTION}/comments")
async def comment(request: Request, session: RepeatableCaller, at: InSection) -> Response:
    fields = await fields_of(request)
    version = whole_number(dict(fields).get("version", ""))
    remarks = _remarks(fields)
    try:
        comments = _COMMENTS.validate_python([_comment(remark) for remark in remarks])
        if not comments or not version:
            raise Invalid(Problem.of("comment_empty", "text"))
        answer = await session.client.comment(at.document_id, at.section_id, version, comments)
    except REFUSED as error:
        return await section_page(request, session, at, error=error, remarks=tuple(remarks))
    return at.led_on(request, "comment", answer.sequence, part="#comments")


@router.post(f"{SECTION}/threads/{{thread_id}}/{{verb}}")
async def mark(
    request: Request,
    session: RepeatableCaller,
    at: InSection,
    thread_id: ThreadId,
    verb: Literal["resolve", "reopen"],
) -> Response:
    decision = ResolveThread if verb == "resolve" else ReopenThread
    try:
        answer = await ask(session, decision(document_id=at.document_id, section_id=at.section_id, thread_id=thread_id))
    except REFUSED as error:
        return await section_page(request, session, at, error=error)
    return at.led_on(request, verb, answer.sequence, f"&thread={thread_id}", "#comments")


def _remarks(fields: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    columns = {name: [value.replace("\r\n", "\n") for field, value in fields if field == name] for name in FIELDS}
    thread = dict(fields).get("thread_id")
    about = {"thread_id": thread} if thread else {}
    rows = zip(*(columns[name] or [""] * len(columns["text"]) for name in FIELDS), strict=False)
    named = (dict(zip(FIELDS, row, strict=True)) for row in list(rows)[:MOST_COMMENTS])
    said = (row for row in named if row["text"].strip() or row["quote"] or row["instead"])
    return [row | {"before": row["before"][-200:]} | about for row in said]


def _comment(remark: Mapping[str, str]) -> dict[str, str]:
    made = {name: value for name, value in remark.items() if name != "instead"}
    if not remark["instead"]:
        return made
    if not remark["quote"] and "thread_id" not in remark:
        raise Invalid(Problem.of("quote_needed", "quote"))
    return made | {"text": with_suggestion(remark["text"].strip(), remark["instead"])}


CHOICE, UPLOAD = "decision:", "upload:"
"""What the fields begin with that decide about an image that is missing, and that hold a new one for it."""


@router.get(f"{SECTION}/question")
async def show_question(request: Request, session: Caller, at: InSection) -> Response:
    return await _question_page(request, session, at)


@router.post(f"{SECTION}/question")
async def answer(request: Request, session: RepeatableCaller, at: InSection) -> Response:
    async with sent(request) as form:
        typed = {name: str(value) for name, value in form.form.items() if isinstance(value, str)}
        try:
            asked = AnswerNeed(
                document_id=at.document_id,
                section_id=at.section_id,
                need_id=form.text("need_id"),
                answer=form.text("answer"),
                decisions=await _decisions(session, form),
            )
            answered = await ask(session, asked)
        except REFUSED as error:
            return await _refused(request, session, at, typed, error)
    return at.led_on(request, "answer", answered.sequence)


async def _refused(
    request: Request, session: Session, at: SectionAddress, typed: dict[str, str], error: Exception
) -> Response:
    """The question again, or the section where it was answered meanwhile, with what was typed."""
    try:
        return await _question_page(request, session, at, typed, error)
    except NotFound:
        return await section_page(request, session, at, error=error, typed=typed)


async def _decisions(session: Session, form: Sent) -> dict[str, str | UploadRef]:
    """What is chosen for each reference; a new image goes before what else is chosen for it."""
    chosen: dict[str, str | UploadRef] = {
        name.removeprefix(CHOICE): form.text(name) for name in form.form if name.startswith(CHOICE) and form.text(name)
    }
    for name in [name for name in form.form if name.startswith(UPLOAD)]:
        for file in form.files(name):
            chosen[name.removeprefix(UPLOAD)] = await picture_of(session, file)
    return chosen


async def _question_page(
    request: Request,
    session: Session,
    at: SectionAddress,
    typed: dict[str, str] | None = None,
    error: Exception | None = None,
) -> Response:
    document, section, need = await _found(session, at)
    there = [file.name for file in document.inputs if file.artifact.media_type in PICTURES.values()]
    return shown(
        request,
        session,
        "question.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        section=section,
        need=need,
        fits=section.asks,
        question=await session.client.text(document.document_id, need.question),
        choices=[(each, _others(each.candidates, there)) for each in need.references],
        skip=SKIP,
        pictures=",".join(PICTURES.values()),
        typed=typed or {},
        raw=need.model_dump_json(indent=1),
    )


def _others(candidates: tuple[str, ...], there: list[str]) -> dict[str, Any]:
    return {"alike": candidates, "others": [name for name in there if name not in candidates]}


async def _found(session: Session, at: SectionAddress) -> tuple[DocumentView, SectionView, Need]:
    document = await document_of(session, at.document_id)
    section = document.sections.get(at.section_id)
    if section is None or section.need is None:
        raise NotFound(Problem.of("question_closed"))
    return document, section, section.need
