"""What the forms of the desk decide, bound to the version that was seen; stale sections are decided about together."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from pydantic import ValidationError
from stemma_client import Client, NotReadYetError, RequestRejectedError
from stemma_client.differences import conflicts_of, settled
from stemma_client.progress import Seconds
from stemma_client.reading import ReadLog
from stemma_contracts.tokens import Token
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.plans import PlannedWork
from stemma_contracts.v1.requests import KeepSections, RegenerateSections
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_domain.commands import Asked
from stemma_domain.costs import usual
from stemma_domain.foresight import Foreseen, foreseen, plan_of
from stemma_domain.state import Document
from stemma_markdown import single_changes

from stemma_gateway.authentication import Caller, RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid, NotFound
from stemma_gateway.resources.addresses import document_of, read_log, section_in
from stemma_gateway.sessions import Session

from .forms import DOCUMENT, REFUSED, SECTION, InSection, ask, fields_of, led_on, whole_number
from .inbox import inbox_page
from .section import section_page, stored
from .shell import shown
from .verbs import BY_NAME, Form, version_named

ACCEPTED, BACK = "accept", "back"
"""What is chosen for a change, in the field that is called by its number: ``c0`` and so on."""
MOST_AT_ONCE = 200
SEEN_WITHIN_S = 5.0
router = APIRouter(route_class=PageRoute)


@router.post(f"{SECTION}/changes")
async def decide_changes(request: Request, session: RepeatableCaller, at: InSection) -> Response:
    """Do what is chosen for each change of the version or of the edit that was shown."""
    form = dict(await fields_of(request))
    document = await document_of(session, at.document_id)
    section = section_in(document, at.section_id)
    try:
        verb, wanted = await _wanted_changes(session, document, section, form)
        answer = await ask(session, wanted)
    except REFUSED as error:
        old = whole_number(form.get("old", ""))
        pair = (old, None) if old and section.numbered(old) else None
        return await section_page(request, session, at, pair=pair, error=error, typed=form)
    return at.led_on(request, verb, answer.sequence)


async def _wanted_changes(
    session: Session, document: DocumentView, section: SectionView, form: Form
) -> tuple[str, r.DocumentRequest]:
    before, after = await _texts(session, document, section, form)
    changes = await session.client.compute(single_changes, before, after, document.language)
    chosen = {
        number: form.get(f"c{number}") or form.get("rest", "")
        for number, change in enumerate(changes)
        if not change.is_blank
    }
    if undecided := sum(how not in (ACCEPTED, BACK) for how in chosen.values()):
        raise Invalid(Problem.of("changes_undecided", "changes", undecided=undecided, all=len(chosen)))
    back = [number + 1 for number, how in chosen.items() if how == BACK]
    is_all_back = bool(back) and len(back) == len(chosen)
    about: dict[str, object] = {
        "document_id": document.document_id,
        "section_id": section.section_id,
        "version": whole_number(form["version"]),
    }
    proposal_id = form.get("proposal_id")
    if proposal_id and not back:
        return "accept_edit", r.AcceptEdit.model_validate({**about, "proposal_id": proposal_id})
    if proposal_id and is_all_back:
        return "reject_edit", r.RejectEdit.model_validate({**about, "proposal_id": proposal_id})
    if not back:
        return _approval_of_changes(section, about)
    of = {"proposal_id": proposal_id} if proposal_id else {"since": whole_number(form.get("old", ""))}
    taken = r.TakeBackChanges.model_validate({**about, **of, "changes": back, "shown": len(changes)})
    return "accept_some" if proposal_id else "take_back", taken


def _approval_of_changes(section: SectionView, about: Mapping[str, object]) -> tuple[str, r.DocumentRequest]:
    if not section.waits_for_review:
        raise Invalid(Problem.of("changes_applied", "changes"))
    return "approve", r.ApproveSection.model_validate(about)


async def _texts(session: Session, document: DocumentView, section: SectionView, form: Form) -> tuple[str, str]:
    """The text before the changes and the one with them, as they were shown; raises `Invalid` if they are gone."""
    current = version_named(section, form.get("version", ""))
    text = await stored(session.client, document.document_id, current)
    if proposal_id := form.get("proposal_id"):
        proposal = section.proposal
        if proposal is None or proposal.draft is None or proposal.proposal_id != proposal_id:
            raise Invalid(Problem.of("proposal_unknown", "proposal_id", proposal_id=proposal_id))
        return text, await session.client.text(document.document_id, proposal.draft)
    old = version_named(section, form.get("old", ""))
    return await stored(session.client, document.document_id, old), text


@router.post(f"{SECTION}/settle")
async def settle(request: Request, session: RepeatableCaller, at: InSection) -> Response:
    """Make what is chosen at each conflict of the version that was shown the text of the section."""
    form = dict(await fields_of(request))
    section = section_in(await document_of(session, at.document_id), at.section_id)
    try:
        current = version_named(section, form.get("version", ""))
        conflicts = await conflicts_of(session.client, at.document_id, current)
        choices = [form.get(f"c{number}", "") for number in range(len(conflicts))]
        if undecided := choices.count(""):
            raise Invalid(Problem.of("changes_undecided", "changes", undecided=undecided, all=len(choices)))
        text = settled(await stored(session.client, at.document_id, current), conflicts, choices)
        about = {"document_id": at.document_id, "section_id": at.section_id, "version": current.number}
        answer = await ask(session, r.EditSection.model_validate({**about, "text": text}))
    except REFUSED as error:
        return await section_page(request, session, at, error=error, typed=form)
    return at.led_on(request, "edit", answer.sequence)


@router.post(f"{SECTION}/assign")
async def assign(request: Request, session: RepeatableCaller, at: InSection) -> Response:
    """Assign a section, or with ``nobody`` to nobody in particular."""
    form = dict(await fields_of(request))
    try:
        answer = await ask(session, _assignment(at.document_id, at.section_id, form))
    except REFUSED as error:
        return await section_page(request, session, at, error=error, typed=form)
    return at.led_on(request, "unassign" if "nobody" in form else "assign_to_person", answer.sequence)


@router.post("/desk/assign")
async def assign_all(request: Request, session: RepeatableCaller) -> Response:
    """Assign what was ticked in the inbox, or with ``nobody`` take it from whom it is assigned to, section by section.

    If one of them is refused, the inbox tells why.
    """
    fields = await fields_of(request)
    form = dict(fields)
    sections = dict.fromkeys(chosen_section(value) for name, value in fields if name in ("seen", "item"))
    if not sections or len(sections) > MOST_AT_ONCE:
        raise Invalid(Problem.of("sections_needed", "item", most=MOST_AT_ONCE))
    try:
        wanted = [_assignment(document_id, section_id, form) for document_id, section_id in sections]
    except ValidationError as error:
        return await inbox_page(request, session, error=error)
    count, refusals = await _asked_each(session, wanted)
    if refusals:
        return await inbox_page(request, session, assigned=count, nobody="nobody" in form, error=refusals[-1])
    return led_to(request, f"/desk?assigned={count}{'&nobody=true' if 'nobody' in form else ''}")


async def _asked_each(session: Session, wanted: Iterable[r.DocumentRequest]) -> tuple[int, list[Exception]]:
    """How many requests were taken, once the inbox tells of them, and the refusals of others.

    What would go wrong with each that follows ends it, as where nobody answers.
    """
    made: dict[str, int] = {}
    count, refusals = 0, list[Exception]()
    for each in wanted:
        try:
            answer = await ask(session, each)
        except REFUSED as error:
            refusals.append(error)
            if not isinstance(error, RequestRejectedError):
                break
        else:
            count, made[each.document_id] = count + 1, answer.sequence
    await wait_for_read_model(session.client, made)
    return count, refusals


async def wait_for_read_model(client: Client, made: Mapping[str, int]) -> None:
    """Wait until the inbox tells of it, as long as that takes no longer than people wait."""
    for document_id, sequence in made.items():
        try:
            await client.overview(document_id, at_least=sequence, wait_s=SEEN_WITHIN_S)
        except NotReadYetError:
            return


def chosen_section(value: str) -> tuple[str, str]:
    document_id, section_id, *_ = (*value.split("/"), "", "")
    return document_id, section_id


def _assignment(document_id: str, section_id: str, form: Form) -> r.DocumentRequest:
    about = {"document_id": document_id, "section_id": section_id}
    if "nobody" in form:
        return r.UnassignSection.model_validate(about)
    due = f"{form['due']}{form.get('zone', '')}" if form.get("due") else None
    return r.AssignSection.model_validate(about | {"assignee": form.get("assignee", "").strip(), "due": due})


@router.post(f"{SECTION}/{{verb}}")
async def decide(request: Request, session: RepeatableCaller, at: InSection, verb: str) -> Response:
    """Do it, or with ``plan`` only show what it would lead to."""
    if verb not in BY_NAME:
        raise NotFound(Problem.of("decision_unknown"))
    form = dict(await fields_of(request))
    try:
        wanted = BY_NAME[verb].asked(at.document_id, at.section_id, form)
        answer = await ask(session, r.PlanChange.of(wanted) if "plan" in form else wanted)
    except REFUSED as error:
        return await section_page(request, session, at, error=error, typed=form)
    if answer.plan:
        return await section_page(request, session, at, typed=form, plan=answer.plan)
    if "next" not in form:
        return at.led_on(request, verb, answer.sequence)
    await wait_for_read_model(session.client, {at.document_id: answer.sequence or 0})
    decided = f"{at.document_id}/{at.section_id}/{whole_number(form.get('version', '')) or 0}"
    return led_to(request, f"/desk/next?done={verb}&of={quote(decided)}")


@router.post("/desk/approve")
async def approve_all(request: Request, session: RepeatableCaller) -> Response:
    fields = await fields_of(request)
    wanted = [_approval(seen) for seen in dict.fromkeys(value for name, value in fields if name == "seen")]
    left = sum(name == "item" for name, _ in fields)
    count, refusals = await _asked_each(session, wanted)
    refused = sum(isinstance(one, RequestRejectedError) for one in refusals)
    if refused < len(refusals):
        return await inbox_page(request, session, None, None, count, refused, left, error=refusals[-1])
    return led_to(request, f"/desk?approved={count}&refused={refused}&left={left}")


def _approval(seen: str) -> r.ApproveSection:
    document_id, _, rest = seen.partition("/")
    section_id, _, version = rest.partition("/")
    about = {"document_id": document_id, "section_id": section_id, "version": whole_number(version)}
    try:
        return r.ApproveSection.model_validate(about)
    except ValidationError:
        raise Invalid(Problem.of("inbox_item_unknown", "seen")) from None


Chosen = Mapping[str, Mapping[str, int]]
"""By document, the sections that are decided about, with the versions that were seen; 0 where none was."""
Ticked = Annotated[list[str], Query(max_length=MOST_AT_ONCE)]
MOST_OF_ONE = 100
NOBODY_YET: Any = {"request_id": "preview", "request_digest": "0" * 64, "actor": "nobody", "actor_verified": False}


@dataclass(frozen=True)
class Choice:
    """A stale section: what writing a version of it took so far in tokens, dollars and seconds; None if unknown."""

    section: SectionView
    tokens: float | None
    cost: float | None
    seconds: float | None


@dataclass(frozen=True)
class Together:
    """The stale sections of one document that were chosen, and what follows for others.

    ``fresh`` are not stale any more and ``starts`` are written once these are kept; ``below`` may become stale when
    these are written anew.
    """

    document: DocumentView
    title: str
    choices: tuple[Choice, ...]
    fresh: tuple[SectionView, ...]
    starts: tuple[SectionView, ...]
    below: tuple[SectionView, ...]


@router.get("/desk/stale")
async def show_stale(
    request: Request,
    session: Caller,
    item: Ticked = [],  # noqa: B006 - read only
    seen: Ticked = [],  # noqa: B006
    document: Token | None = None,
) -> Response:
    """What was ticked, as far as it is stale; with ``document`` one comes from its page and goes back there."""
    return await _page(request, session, _chosen((*item, *seen)), document)


@router.post("/desk/stale")
async def decide_stale(request: Request, session: RepeatableCaller) -> Response:
    """Keep what was chosen, or have it written anew: of each document all of it, or none."""
    fields = await fields_of(request)
    form, chosen = dict(fields), _chosen([value for name, value in fields if name == "item"])
    back, made = form.get("document") or None, dict[str, int]()
    try:
        for asked in [_asked(document_id, sections, form) for document_id, sections in chosen.items()]:
            made[asked.document_id] = (await ask(session, asked)).sequence or 0
    except REFUSED as error:
        await wait_for_read_model(session.client, made)
        left = {name: sections for name, sections in chosen.items() if name not in made}
        done = sum(len(chosen[name]) for name in made)
        return await _page(request, session, left, back, error, done=done, how=form.get("how"))
    if back in made:
        return led_on(request, DOCUMENT.format(document_id=back), form["how"], made[back])
    await wait_for_read_model(session.client, made)
    return led_to(request, f"/desk?stale={sum(map(len, chosen.values()))}&how={form['how']}")


def _chosen(values: Iterable[str]) -> Chosen:
    found: dict[str, dict[str, int]] = {}
    for value in values:
        document_id, section_id = chosen_section(value)
        found.setdefault(document_id, {})[section_id] = whole_number(value.rpartition("/")[2]) or 0
    if not found or sum(map(len, found.values())) > MOST_AT_ONCE:
        raise Invalid(Problem.of("sections_needed", "item", most=MOST_AT_ONCE))
    return found


def _asked(document_id: str, sections: Mapping[str, int], form: Mapping[str, str]) -> KeepSections | RegenerateSections:
    if len(sections) > MOST_OF_ONE:
        raise Invalid(Problem.of("sections_needed", "item", most=MOST_OF_ONE))
    seen = [{"section_id": name, "version": version} for name, version in sections.items()]
    about = {"document_id": document_id, "sections": seen}
    match form.get("how"):
        case "keep":
            return KeepSections.model_validate(about)
        case "regenerate":
            return RegenerateSections.model_validate(about | {"replace_edited": "replace_edited" in form})
        case _:
            raise Invalid(Problem.of("decision_unknown"))


async def _page(
    request: Request,
    session: Session,
    chosen: Chosen,
    back: str | None,
    error: Exception | None = None,
    *,
    done: int = 0,
    how: str | None = None,
) -> Response:
    """``done``: how many sections of other documents were decided about before the error, and ``how``."""
    found = [await _together(session, document_id, names) for document_id, names in chosen.items()]
    documents = [one for one in found if one.choices]
    choices = [choice for one in documents for choice in one.choices]
    return shown(
        request,
        session,
        "stale.html",
        error=error,
        documents=documents,
        choices=choices,
        left_out=sum(map(len, chosen.values())) - len(choices),
        back=back,
        done=done,
        how=how,
        tokens=_total([choice.tokens for choice in choices]),
        cost=_total([choice.cost for choice in choices]),
    )


def _total(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


async def _together(session: Session, document_id: str, names: Iterable[str]) -> Together:
    read = await read_log(session, document_id)
    document, seconds = read.document, await session.followed.usual(read.document)
    wanted = set(names)
    sections = [one for one in document.stale if one.section_id in wanted and one.is_to_be_kept_or_regenerated]
    kept, anew = await asyncio.to_thread(_foreseen, read, sections)
    takes = await asyncio.to_thread(_takes, read, anew) if anew else {}

    def told(found: Iterable[str]) -> tuple[SectionView, ...]:
        return tuple(document.sections[name] for name in dict.fromkeys(found) if name not in wanted)

    return Together(
        document,
        (await session.followed.titles([document]))[0],
        tuple(_choice(section, takes.get(section.section_id), seconds) for section in sections),
        told(kept.fresh if kept else ()),
        told(name for name, kind in (kept.work if kept else ()) if kind == "write"),
        told(anew.stale if anew else ()),
    )


def _foreseen(read: ReadLog, sections: Sequence[SectionView]) -> tuple[Foreseen | None, Foreseen | None]:
    """What comes of keeping the sections, and of writing them anew; decided by the rules, and not asked for."""
    seen = [{"section_id": one.section_id, "version": one.version} for one in sections[:MOST_OF_ONE]]
    state, about = read.reading.state, {"document_id": read.document.document_id, "sections": seen}
    if not seen or not isinstance(state, Document):
        return None, None
    asked = [one.model_validate(about) for one in (KeepSections, RegenerateSections)]
    kept, anew = [foreseen(Asked(one, NOBODY_YET, datetime.now(UTC)), state) for one in asked]
    return kept, anew


def _takes(read: ReadLog, anew: Foreseen) -> dict[str, PlannedWork]:
    usually = usual([({name: one.kind for name, one in read.document.sections.items()}, read.costs)])
    return {one.section_id: one for one in plan_of(anew, usually).work}


def _choice(section: SectionView, work: PlannedWork | None, usually: Seconds) -> Choice:
    usage, seconds = (work.usage, work.seconds) if work else (None, None)
    tokens, cost = (usage.tokens, usage.cost) if usage and usage.tokens else (None, None)
    return Choice(section, tokens, cost, seconds or usually.get(section.kind))
