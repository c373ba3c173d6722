"""Single changes of a version that a person takes back: what is left of it is a text of that person."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from stemma_client import AnswerTimeoutError, RequestRejectedError
from stemma_client.single_changes import single_changes, without

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import DocumentId, SectionId, document_of, section_of

from .deciding import sent
from .section import section_page, stored
from .verbs import whole_number

router = APIRouter(route_class=PageRoute)


@router.post("/desk/documents/{document_id}/sections/{section_id}/take-back")
async def take_back(request: Request, session: Caller, document_id: DocumentId, section_id: SectionId) -> Response:
    """Write the version that was shown without the changes that were ticked; a newer one is not overwritten."""
    fields = await sent(request)
    numbers = [whole_number(dict(fields).get(name, "")) for name in ("old", "version")]
    document = await document_of(session, document_id)
    section = await section_of(session, document_id, section_id)
    known = {version.number: version for version in section.versions}
    if not set(numbers) <= set(known):
        raise Invalid("version: the section has no such version")
    old, new = [await stored(session.client, document_id, known[number]) for number in numbers if number]
    changes = single_changes(old, new, document.language)
    chosen = {whole_number(value) for name, value in fields if name == "change"}
    text = without(new, [change for place, change in enumerate(changes) if place in chosen])
    try:
        answer = await session.client.edit(document_id, section_id, numbers[1] or 0, text=text)
    except (RequestRejectedError, AnswerTimeoutError) as error:
        return await section_page(request, session, document, section_id, error=error)
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    return led_to(request, f"{here}?done=take_back&at_least={answer.sequence or 0}")
