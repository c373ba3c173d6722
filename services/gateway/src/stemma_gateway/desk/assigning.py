"""Who is asked to see to sections: what the forms of the inbox and of a section send."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from stemma_client import AnswerTimeoutError, Client, NotReadYetError, RequestRejectedError
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import AssignSection, UnassignSection

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import DocumentId, SectionId

from .deciding import WAIT_S, sent
from .inbox import inbox_page
from .section import section_page
from .verbs import Form

MOST_AT_ONCE = 200
SEEN_WITHIN_S = 5.0
router = APIRouter(route_class=PageRoute)


@router.post("/desk/documents/{document_id}/sections/{section_id}/assign")
async def assign(
    request: Request, session: RepeatableCaller, document_id: DocumentId, section_id: SectionId
) -> Response:
    """Assign a section, or with ``nobody`` to nobody in particular; what is refused is told beside what was typed."""
    form = dict(await sent(request))
    try:
        asked = _asked(document_id, section_id, form)
        answer = await session.client.request(asked, wait_s=WAIT_S)
    except (RequestRejectedError, ValidationError, AnswerTimeoutError) as error:
        return await section_page(request, session, document_id, section_id, error=error, typed=form)
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    done = "unassign" if isinstance(asked, UnassignSection) else "assign_to_person"
    return led_to(request, f"{here}?done={done}&at_least={answer.sequence or 0}")


@router.post("/desk/assign")
async def assign_all(request: Request, session: RepeatableCaller) -> Response:
    """Assign what was ticked in the inbox, or with ``nobody`` take it from whom it is assigned to, section by section.

    If one of them is refused, the inbox tells why.
    """
    fields = await sent(request)
    form = dict(fields)
    sections = dict.fromkeys(_chosen(value) for name, value in fields if name in ("seen", "item"))
    if not sections or len(sections) > MOST_AT_ONCE:
        raise Invalid(Problem.of("sections_needed", "item", most=MOST_AT_ONCE))
    made: dict[str, int] = {}
    count, refusal = 0, None
    for document_id, section_id in sections:
        try:
            answer = await session.client.request(_asked(document_id, section_id, form), wait_s=WAIT_S)
        except (RequestRejectedError, ValidationError, AnswerTimeoutError) as error:
            refusal = error
        else:
            count, made[document_id] = count + 1, answer.sequence or 0
    await _shown_by_the_read_model(session.client, made)
    if refusal is not None:
        return await inbox_page(request, session, assigned=count, nobody="nobody" in form, error=refusal)
    return led_to(request, f"/desk?assigned={count}{'&nobody=true' if 'nobody' in form else ''}")


async def _shown_by_the_read_model(client: Client, made: dict[str, int]) -> None:
    """Wait until the inbox tells of it, as long as that takes no longer than people wait."""
    for document_id, sequence in made.items():
        try:
            await client.overview(document_id, at_least=sequence, wait_s=SEEN_WITHIN_S)
        except NotReadYetError:
            return


def _chosen(value: str) -> tuple[str, str]:
    """The document and the section that a box of the inbox stands for."""
    document_id, section_id, *_ = (*value.split("/"), "", "")
    return document_id, section_id


def _asked(document_id: str, section_id: str, form: Form) -> AssignSection | UnassignSection:
    """The request of a form; raises `pydantic.ValidationError` for one that lacks something."""
    about = {"document_id": document_id, "section_id": section_id}
    if "nobody" in form:
        return UnassignSection.model_validate(about)
    due = f"{form['due']}{form.get('zone', '')}" if form.get("due") else None
    return AssignSection.model_validate(about | {"assignee": form.get("assignee", "").strip(), "due": due})
