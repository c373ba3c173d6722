"""Comments on a section: what the forms beside its text send, several comments at once as one review."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import TypeAdapter
from stemma_contracts.suggestions import with_suggestion
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.comments import MOST_COMMENTS, NewComment
from stemma_contracts.v1.requests import AcceptSuggestion, ReopenThread, ResolveThread

from stemma_gateway.authentication import RepeatableCaller
from stemma_gateway.pages import PageRoute
from stemma_gateway.problems import Invalid

from .forms import REFUSED, SECTION, InSection, ask, fields_of, whole_number
from .section import section_page

FIELDS = ("quote", "before", "text", "instead")
ThreadId = Annotated[str, Path(pattern=TOKEN_PATTERN)]
_COMMENTS = TypeAdapter(tuple[NewComment, ...])
router = APIRouter(route_class=PageRoute)


@router.post(f"{SECTION}/threads/{{thread_id}}/accept")
async def accept(request: Request, session: RepeatableCaller, at: InSection, thread_id: ThreadId) -> Response:
    """Put the suggested words in their place, and resolve the thread: all as it was shown."""
    form = dict(await fields_of(request))
    about = {"document_id": at.document_id, "section_id": at.section_id, "thread_id": thread_id}
    try:
        named = {"version": whole_number(form.get("version", "")), "comment_id": form.get("comment_id", "")}
        answer = await ask(session, AcceptSuggestion.model_validate(about | named))
    except REFUSED as error:
        return await section_page(request, session, at, error=error)
    return at.led_on(request, "accept_suggestion", answer.sequence)


@router.post(f"{SECTION}/comments")
async def comment(request: Request, session: RepeatableCaller, at: InSection) -> Response:
    fields = await fields_of(request)
    version = whole_number(dict(fields).get("version", ""))
    remarks = _remarks(fields)
    try:
        comments = _COMMENTS.validate_python([_comment(remark) for remark in remarks])
        if not comments or not version:
            raise Invalid(Problem.of("comment_empty", "text"))
        answer = await session.client.comment(at.document_id, at.section_id, version, comments)
    except REFUSED as error:
        return await section_page(request, session, at, error=error, remarks=tuple(remarks))
    return at.led_on(request, "comment", answer.sequence, part="#comments")


@router.post(f"{SECTION}/threads/{{thread_id}}/{{verb}}")
async def mark(
    request: Request,
    session: RepeatableCaller,
    at: InSection,
    thread_id: ThreadId,
    verb: Literal["resolve", "reopen"],
) -> Response:
    decision = ResolveThread if verb == "resolve" else ReopenThread
    try:
        answer = await ask(session, decision(document_id=at.document_id, section_id=at.section_id, thread_id=thread_id))
    except REFUSED as error:
        return await section_page(request, session, at, error=error)
    return at.led_on(request, verb, answer.sequence, f"&thread={thread_id}", "#comments")


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
