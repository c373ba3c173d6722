"""Single changes of a version or of a proposed edit, each of which a person accepts or takes back at its words."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from stemma_client import AnswerTimeoutError, DocumentView, RequestRejectedError, SectionView
from stemma_client.single_changes import single_changes, without
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import HttpError, Invalid
from stemma_gateway.resources.addresses import DocumentId, SectionId, document_of, section_of
from stemma_gateway.sessions import Session

from .deciding import WAIT_S, sent
from .section import section_page, stored
from .verbs import version_named, whole_number

ACCEPTED, BACK = "accept", "back"
"""What is chosen for a change, in the field that is called by its number: ``c0`` and so on."""
router = APIRouter(route_class=PageRoute)


@router.post("/desk/documents/{document_id}/sections/{section_id}/changes")
async def decide_changes(
    request: Request, session: RepeatableCaller, document_id: DocumentId, section_id: SectionId
) -> Response:
    """Do what is chosen for each change of the version or of the edit that was shown."""
    form = dict(await sent(request))
    document = await document_of(session, document_id)
    section = await section_of(session, document_id, section_id)
    try:
        verb, asked = await _asked(session, document, section, form)
        answer = await session.client.request(asked, wait_s=WAIT_S)
    except (RequestRejectedError, ValidationError, AnswerTimeoutError, HttpError) as error:
        old = whole_number(form.get("old", ""))
        pair = (old, None) if old in {version.number for version in section.versions} and old else None
        return await section_page(request, session, document_id, section_id, pair=pair, error=error, typed=form)
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    return led_to(request, f"{here}?done={verb}&at_least={answer.sequence or 0}")


async def _asked(
    session: Session, document: DocumentView, section: SectionView, form: Mapping[str, str]
) -> tuple[str, r.DocumentRequest]:
    """The verb and the request of what was chosen; raises `Invalid` where that is nothing yet."""
    proposal = section.proposal if form.get("proposal_id") else None
    before, after = await _texts(session, document, section, form)
    changes = await session.client.compute(single_changes, before, after, document.language)
    chosen = {
        number: form.get(f"c{number}") or form.get("rest", "")
        for number, change in enumerate(changes)
        if not change.is_blank
    }
    if undecided := sum(how not in (ACCEPTED, BACK) for how in chosen.values()):
        raise Invalid(Problem.of("changes_undecided", "changes", undecided=undecided, all=len(chosen)))
    back = [changes[number] for number, how in chosen.items() if how == BACK]
    is_all_back = bool(back) and len(back) == len(chosen)
    about = {
        "document_id": document.document_id,
        "section_id": section.section_id,
        "version": whole_number(form["version"]),
    }
    if proposal is None and not back:
        return _approved(section, about)
    if proposal is not None and not back:
        return "accept_edit", r.AcceptEdit.model_validate({**about, "proposal_id": form["proposal_id"]})
    if proposal is not None and is_all_back:
        return "reject_edit", r.RejectEdit.model_validate({**about, "proposal_id": form["proposal_id"]})
    text = before if is_all_back else without(after, back)
    return "accept_some" if proposal else "take_back", r.EditSection.model_validate({**about, "text": text})


def _approved(section: SectionView, about: Mapping[str, object]) -> tuple[str, r.DocumentRequest]:
    if not section.waits_for_review:
        raise Invalid(Problem.of("changes_applied", "changes"))
    return "approve", r.ApproveSection.model_validate(about)


async def _texts(
    session: Session, document: DocumentView, section: SectionView, form: Mapping[str, str]
) -> tuple[str, str]:
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
