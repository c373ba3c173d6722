"""Comments on a section: what the forms beside its text send, several comments at once as one review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import TypeAdapter, ValidationError
from stemma_client import AnswerTimeoutError, InvalidInputError, RequestRejectedError
from stemma_client.comments import with_suggestion
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import MOST_COMMENTS, NewComment
from stemma_contracts.v1.requests import ReopenThread, ResolveThread

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid
from stemma_gateway.resources.addresses import DocumentId, SectionId
from stemma_gateway.sessions import Session

from .deciding import sent
from .section import section_page
from .verbs import whole_number

FIELDS = ("quote", "before", "text", "instead")
ThreadId = Annotated[str, Path(pattern=TOKEN_PATTERN)]
_COMMENTS = TypeAdapter(tuple[NewComment, ...])
router = APIRouter(route_class=PageRoute)


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
    """The comments of a form in their order, without those that say nothing."""
    columns = {name: [_unix(value) for field, value in fields if field == name] for name in FIELDS}
    thread = dict(fields).get("thread_id")
    about = {"thread_id": thread} if thread else {}
    rows = zip(*(columns[name] or [""] * len(columns["text"]) for name in FIELDS), strict=False)
    named = (dict(zip(FIELDS, row, strict=True)) for row in list(rows)[:MOST_COMMENTS])
    said = (row for row in named if row["text"].strip() or row["quote"] or row["instead"])
    return [row | {"before": row["before"][-200:]} | about for row in said]


def _comment(remark: Mapping[str, str]) -> dict[str, str]:
    """A comment of the form, with what it suggests in its text."""
    made = {name: value for name, value in remark.items() if name != "instead"}
    if not remark["instead"]:
        return made
    if not remark["quote"] and "thread_id" not in remark:
        raise Invalid(Problem.of("quote_needed", "quote"))
    return made | {"text": with_suggestion(remark["text"].strip(), remark["instead"])}


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")


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
