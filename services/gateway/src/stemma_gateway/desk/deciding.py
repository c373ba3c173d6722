"""What the forms of the desk send: decisions, each bound to the version that the person saw."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from stemma_client import AnswerTimeoutError, RequestRejectedError
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import ApproveSection

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.incoming import whole_body
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid, NotFound
from stemma_gateway.resources.addresses import DocumentId, SectionId
from stemma_gateway.sessions import Session

from .section import section_page
from .verbs import BY_NAME, whole_number

WAIT_S = 20.0
MAX_BYTES = 4 * 1024 * 1024
MAX_FIELDS = 500
router = APIRouter(route_class=PageRoute)


@router.post("/desk/documents/{document_id}/sections/{section_id}/{verb}")
async def decide(
    request: Request, session: RepeatableCaller, document_id: DocumentId, section_id: SectionId, verb: str
) -> Response:
    """Do what a form asks for, and show the section as it is then; what is refused is told beside what was typed."""
    if verb not in BY_NAME:
        raise NotFound(Problem.of("decision_unknown"))
    form = dict(await sent(request))
    try:
        asked = BY_NAME[verb].asked(document_id, section_id, form)
        answer = await session.client.request(asked, wait_s=WAIT_S)
    except (RequestRejectedError, ValidationError, AnswerTimeoutError) as error:
        return await section_page(request, session, document_id, section_id, error=error, typed=form)
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    return led_to(request, f"{here}?done={verb}&at_least={answer.sequence or 0}")


@router.post("/desk/approve")
async def approve_all(request: Request, session: RepeatableCaller) -> Response:
    """Approve what was ticked in the inbox and had passed, each in the version that was shown there."""
    fields = await sent(request)
    chosen = [value for name, value in fields if name == "seen"]
    left = sum(name == "item" for name, _ in fields)
    made = [await _approved(session, each) for each in dict.fromkeys(chosen)]
    return led_to(request, f"/desk?approved={sum(made)}&refused={len(made) - sum(made)}&left={left}")


async def _approved(session: Session, seen: str) -> bool:
    document_id, _, rest = seen.partition("/")
    section_id, _, version = rest.partition("/")
    try:
        asked = ApproveSection.model_validate(
            {"document_id": document_id, "section_id": section_id, "version": whole_number(version)}
        )
    except ValidationError:
        raise Invalid(Problem.of("inbox_item_unknown", "seen")) from None
    try:
        await session.client.request(asked, wait_s=WAIT_S)
    except RequestRejectedError:
        return False
    return True


async def sent(request: Request) -> list[tuple[str, str]]:
    """The fields of a form in their order."""
    body = await whole_body(request, MAX_BYTES)
    try:
        return await asyncio.to_thread(
            parse_qsl, body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS
        )
    except ValueError:
        raise Invalid(Problem.of("form_fields_too_many")) from None
