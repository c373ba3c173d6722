"""Comments on a section: what the forms beside its text send, several comments at once as one review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import TypeAdapter, ValidationError
from stemma_client import AnswerTimeoutError, InvalidInputError, RequestRejectedError
from stemma_client.comments import suggestion_in, with_suggestion
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import MOST_COMMENTS, NewComment
from stemma_contracts.v1.requests import EditSection, ReopenThread, ResolveThread
from stemma_contracts.v1.views import SectionView

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import DocumentId, SectionId, section_of
from stemma_gateway.sessions import Session

from .deciding import WAIT_S, sent
from .section import place_of, section_page, stored
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


FIELDS = ("quote", "before", "text", "instead")
ThreadId = Annotated[str, Path(pattern=TOKEN_PATTERN)]
_COMMENTS = TypeAdapter(tuple[NewComment, ...])


@router.post("/desk/documents/{document_id}/sections/{section_id}/comments")
async def comment(
    request: Request, session: RepeatableCaller, document_id: DocumentId, section_id: SectionId
) -> Response:
    """Make the comments of a form, all or none; what is refused is told beside what was typed."""
    fields = await sent(request)
    version = whole_number(dict(fields).get("version", ""))
    remarks = _remarks(fields)
    try:
        comments = _COMMENTS.validate_python([_comment(remark) for remark in remarks])
        if not comments or not version:
            raise Invalid(Problem.of("comment_empty", "text"))
        answer = await session.client.comment(document_id, section_id, version, comments)
    except (RequestRejectedError, ValidationError, AnswerTimeoutError, InvalidInputError, Invalid) as error:
        return await _refused(request, session, document_id, section_id, error, remarks)
    return _shown(request, document_id, section_id, "comment", answer.sequence)


@router.post("/desk/documents/{document_id}/sections/{section_id}/threads/{thread_id}/{verb}")
async def mark(
    request: Request,
    session: RepeatableCaller,
    document_id: DocumentId,
    section_id: SectionId,
    thread_id: ThreadId,
    verb: Literal["resolve", "reopen"],
) -> Response:
    """Resolve or reopen a thread; what somebody else did meanwhile is told."""
    decision = ResolveThread if verb == "resolve" else ReopenThread
    asked = decision(document_id=document_id, section_id=section_id, thread_id=thread_id)
    try:
        answer = await session.client.request(asked)
    except (RequestRejectedError, AnswerTimeoutError) as error:
        return await _refused(request, session, document_id, section_id, error)
    return _shown(request, document_id, section_id, verb, answer.sequence)


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


def _shown(request: Request, document_id: str, section_id: str, done: str, sequence: int | None) -> Response:
    here = f"/desk/documents/{document_id}/sections/{section_id}"
    return led_to(request, f"{here}?done={done}&at_least={sequence or 0}#comments")


async def _refused(
    request: Request,
    session: Session,
    document_id: str,
    section_id: str,
    error: Exception,
    remarks: Sequence[dict[str, str]] = (),
) -> Response:
    return await section_page(request, session, document_id, section_id, error=error, remarks=tuple(remarks))
