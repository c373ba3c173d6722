"""What the forms of the desk send: decisions, each bound to the version that the person saw."""

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from stemma_client import Client, DocumentView, NotReadYetError, RequestRejectedError, SectionView
from stemma_client.conflicts import conflicts_of, settled
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_markdown import single_changes

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid, NotFound
from stemma_gateway.resources.addresses import document_of, section_in
from stemma_gateway.sessions import Session

from .forms import REFUSED, SECTION, InSection, ask, fields_of, whole_number
from .inbox import inbox_page
from .section import section_page, stored
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
