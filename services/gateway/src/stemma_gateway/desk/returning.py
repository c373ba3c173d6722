"""A DOCX that comes back: what people did in it is shown, and taken over when a person says so."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Path, Request, Response
from stemma_client import DocumentView
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.requests import ApplyReturn, ReadReturn
from stemma_contracts.v1.returned import CommentUse, ReturnedDocument, ReturnedSection
from stemma_contracts.v1.views import ReturnView

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid, NotFound
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of
from stemma_gateway.sessions import Session
from stemma_gateway.texts import pairs_compared

from .forms import REFUSED, Sent, ask, input_of, sent
from .shell import shown, title_of

RETURNS = "/desk/documents/{document_id}/returns"
USES: Sequence[CommentUse] = get_args(CommentUse)
AS = "as-"
"""What begins the name of the field that says what a comment becomes."""
ReturnId = Annotated[Token, Path()]
router = APIRouter(route_class=PageRoute)


@router.get(RETURNS)
async def begin(request: Request, session: Caller, document_id: DocumentId) -> Response:
    return await _begun(request, session, await document_of(session, document_id))


@router.post(RETURNS)
async def read(request: Request, session: Caller, document_id: DocumentId) -> Response:
    """Have a file compared. Nothing is changed by it."""
    async with sent(request) as form:
        try:
            if len(files := form.files("file")) != 1:
                raise Invalid(Problem.of("file_needed", "file"))
            upload = await input_of(session, files[0], "evidence")
            answer = await ask(session, ReadReturn(document_id=document_id, upload=upload))
        except REFUSED as error:
            return await _begun(request, session, await document_of(session, document_id), error)
    here = f"{RETURNS.format(document_id=document_id)}/{answer.return_id}"
    return led_to(request, f"{here}?at_least={answer.sequence or 0}")


async def _begun(
    request: Request, session: Session, document: DocumentView, error: Exception | None = None
) -> Response:
    returns = list(document.returns.values())[::-1]
    title = await title_of(session.client, document)
    return shown(request, session, "returns.html", error=error, document=document, title=title, returns=returns)


@router.get(f"{RETURNS}/{{return_id}}")
async def show(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    return_id: ReturnId,
    at_least: AtLeast = 0,
    done: bool = False,
) -> Response:
    document = await document_of(session, document_id, at_least)
    return await _page(request, session, document, _found(document, return_id), done=done)


@router.post(f"{RETURNS}/{{return_id}}")
async def take_over(request: Request, session: Caller, document_id: DocumentId, return_id: ReturnId) -> Response:
    async with sent(request) as form:
        asked = _asked(form, document_id, return_id)
    try:
        answer = await ask(session, ApplyReturn.model_validate(asked))
    except REFUSED as error:
        document = await document_of(session, document_id)
        return await _page(request, session, document, _found(document, return_id), error)
    here = f"{RETURNS.format(document_id=document_id)}/{return_id}"
    return led_to(request, f"{here}?done=true&at_least={answer.sequence or 0}")


def _asked(form: Sent, document_id: str, return_id: str) -> Mapping[str, Any]:
    """A request of what is ticked; a comment becomes what is chosen for it."""
    fields = [(name, value) for name, value in form.form.multi_items() if isinstance(value, str)]
    return {
        "document_id": document_id,
        "return_id": return_id,
        "digest": form.text("digest"),
        "sections": [value for name, value in fields if name == "section"],
        "comments_as": {name.removeprefix(AS): value for name, value in fields if name.startswith(AS)},
    }


async def _page(
    request: Request,
    session: Session,
    document: DocumentView,
    one: ReturnView,
    error: Exception | None = None,
    *,
    done: bool = False,
) -> Response:
    found = await session.client.stored(document.document_id, one.found, ReturnedDocument) or ReturnedDocument()
    pairs = tuple((edit.before, edit.after) for section in found.sections for edit in section.edits)
    changes = iter(await session.client.compute(pairs_compared, pairs, document.language))
    applied = one.applied
    told = [(section, [(edit, next(changes)) for edit in section.edits]) for section in found.sections]
    return shown(
        request,
        session,
        "return.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        one=one,
        found=found,
        sections=[(section, edits) for section, edits in told if _says(section)],
        left=[one.section_id for one in found.sections if one.merged or one.comments if one.section_id not in applied],
        uses=USES,
        done=done,
    )


def _says(section: ReturnedSection) -> bool:
    return bool(section.edits or section.comments or section.unwritten or section.unsupported or section.removed)


def _found(document: DocumentView, return_id: str) -> ReturnView:
    if (one := document.returns.get(return_id)) is None:
        raise NotFound(Problem.of("return_unknown", return_id=return_id))
    return one
