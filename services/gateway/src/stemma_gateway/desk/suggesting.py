"""Words that a comment suggests are put into the text by whoever accepts them."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from stemma_client import AnswerTimeoutError, RequestRejectedError
from stemma_client.comments import suggestion_in
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import EditSection, ResolveThread
from stemma_contracts.v1.views import SectionView

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import DocumentId, SectionId, section_of
from stemma_gateway.sessions import Session

from .commenting import ThreadId
from .deciding import WAIT_S, sent
from .section import section_page, stored
from .suggested import place_of
from .verbs import version_named, whole_number

router = APIRouter(route_class=PageRoute)


@router.post("/desk/documents/{document_id}/sections/{section_id}/threads/{thread_id}/accept")
async def accept(
    request: Request, session: RepeatableCaller, document_id: DocumentId, section_id: SectionId, thread_id: ThreadId
) -> Response:
    """Make the text with the suggested words the next version, and resolve the thread: all as it was shown."""
    form = dict(await sent(request))
    section = await section_of(session, document_id, section_id)
    try:
        text = await _text(session, document_id, section, thread_id, form)
        about = {"document_id": document_id, "section_id": section_id, "version": whole_number(form["version"])}
        await session.client.request(EditSection.model_validate(about | {"text": text}), wait_s=WAIT_S)
        answer = await session.client.request(
            ResolveThread(document_id=document_id, section_id=section_id, thread_id=thread_id)
        )
    except (RequestRejectedError, ValidationError, AnswerTimeoutError, Invalid) as error:
        return await section_page(request, session, document_id, section_id, error=error)
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    return led_to(request, f"{here}?done=accept_suggestion&at_least={answer.sequence or 0}")


async def _text(
    session: Session, document_id: str, section: SectionView, thread_id: str, form: Mapping[str, str]
) -> str:
    """The text of the version that was shown with what one comment suggests; raises `Invalid`."""
    seen = version_named(section, form.get("version", ""))
    text = await stored(session.client, document_id, seen)
    for thread in await session.client.threads(document_id, section, seen):
        for comment in thread.comments if thread.view.thread_id == thread_id else ():
            suggestion = (
                suggestion_in(comment.text or "") if comment.view.comment_id == form.get("comment_id") else None
            )
            if suggestion and (place := place_of(text, thread)):
                return f"{text[: place[0]]}{suggestion.words}{text[place[1] :]}"
    raise Invalid(Problem.of("suggestion_outdated", "comment_id"))
