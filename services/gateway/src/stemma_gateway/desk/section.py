"""A section: its text as it is meant and as it is written, what is known of it, and all that can be decided."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Query, Request, Response
from stemma_client import Client, DocumentView, RecordedEvent
from stemma_client.comments import ReadThread
from stemma_client.conflicts import conflicts_in, conflicts_of
from stemma_client.findings import findings_of
from stemma_client.recipes import outdated_recipe
from stemma_contracts.suggestions import replaceable, suggestion_in
from stemma_contracts.tokens import Token
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.grounding import CitedPlace, CitedText, GroundingReport
from stemma_contracts.v1.plans import Plan
from stemma_contracts.v1.references import InputFile
from stemma_contracts.v1.views import SectionView, VersionView
from stemma_domain.dependencies import held_up_by

from stemma_gateway.authentication import Caller
from stemma_gateway.delivery import address
from stemma_gateway.pages import PageRoute, language_of
from stemma_gateway.problems import NotFound
from stemma_gateway.resources.addresses import AtLeast, DocumentId, read_log, section_in
from stemma_gateway.sessions import Session
from stemma_gateway.texts import MOST_LINES, Compared, compared, rendered, shown_lines

from .forms import NOTHING, SECTION, InSection, SectionAddress
from .results import DONE, Decided, Result, result_elsewhere, result_of
from .shell import Told, shown, title_of, told
from .verbs import BY_NAME, Verb, barred_verbs, open_verbs

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
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
    return file.artifact.media_type in PICTURES


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
