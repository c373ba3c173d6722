"""What a document is written from: how far it is read, what uses it, and an amendment, shown before it counts."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import ValidationError
from stemma_client import AnswerTimeoutError, DocumentView, InvalidInputError, RequestRejectedError
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem, RequestAccepted
from stemma_contracts.v1.inputs import InputChanges
from stemma_contracts.v1.requests import ApplyInput, WithdrawInput
from stemma_contracts.v1.views import InputView

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import HttpError, Invalid, NotFound
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of
from stemma_gateway.sessions import Session
from stemma_gateway.texts import pairs_compared

from .shell import shown
from .starting import ROLES
from .uploading import Sent, input_of, sent
from .verbs import whole_number

INPUTS = "/desk/documents/{document_id}/inputs"
MOST_SHOWN = 50
REFUSED = (HttpError, InvalidInputError, RequestRejectedError, AnswerTimeoutError, ValidationError)
InputId = Annotated[Token, Path()]
Done = Literal["apply", "withdraw"]
router = APIRouter(route_class=PageRoute)


@router.get(INPUTS)
async def show_inputs(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    at_least: AtLeast = 0,
    done: Done | None = None,
    new: Annotated[bool, Query()] = False,
) -> Response:
    """The inputs of a document."""
    document = await document_of(session, document_id, at_least)
    return await _list(request, session, document, done=done, new=new)


@router.post(INPUTS)
async def amend(request: Request, session: Caller, document_id: DocumentId) -> Response:
    """Stage a file: it is read and compared, and changes nothing before a person says so."""
    document = await document_of(session, document_id)
    async with sent(request) as form:
        try:
            known, accepted = await _staged(session, document, form)
        except REFUSED as error:
            return await _list(request, session, document, error=error)
    document = await document_of(session, document_id, accepted.sequence or 0)
    input_id = known.input_id if known else document.input_views[-1].input_id
    return led_to(request, f"{INPUTS.format(document_id=document_id)}/{input_id}")


@router.get(f"{INPUTS}/{{input_id}}")
async def show_input(request: Request, session: Caller, document_id: DocumentId, input_id: InputId) -> Response:
    """An input, and what a version of it that is staged would change."""
    document = await document_of(session, document_id)
    return await _one(request, session, document, found_input(document, input_id))


@router.post(f"{INPUTS}/{{input_id}}/{{verb}}")
async def decide(request: Request, session: Caller, document_id: DocumentId, input_id: InputId, verb: Done) -> Response:
    """Have what is staged count, or drop it; without anything staged, withdraw the input."""
    async with sent(request) as form:
        version = whole_number(form.text("version"))
    if version is None:
        raise Invalid(Problem.of("version_no_number", "version"))
    decision = ApplyInput if verb == "apply" else WithdrawInput
    try:
        asked = decision(document_id=document_id, input_id=input_id, version=version)
        answer = await session.client.request(asked)
    except REFUSED as error:
        document = await document_of(session, document_id)
        return await _one(request, session, document, found_input(document, input_id), error)
    return led_to(request, f"{INPUTS.format(document_id=document_id)}?done={verb}&at_least={answer.sequence or 0}")


async def _staged(session: Session, document: DocumentView, form: Sent) -> tuple[InputView | None, RequestAccepted]:
    """Stage the file of a form in the place of the input that is chosen, else of one of its name, else as a new one."""
    if len(files := form.files("file")) != 1:
        raise Invalid(Problem.of("file_needed", "file"))
    if (role := form.text("role")) not in ROLES:
        raise Invalid(Problem.of("role_needed", "role"))
    upload = await input_of(session, files[0], role)
    place, there = form.text("place"), document.counting
    known = next((one for one in there if place == one.input_id or (not place and one.name == upload.name)), None)
    client, document_id = session.client, document.document_id
    if known is None:
        return None, await client.add_input(document_id, upload, role=upload.role, staged=True)
    return known, await client.replace_input(document_id, known.input_id, known.version, upload, staged=True)


async def _list(
    request: Request,
    session: Session,
    document: DocumentView,
    *,
    done: Done | None = None,
    new: bool = False,
    error: Exception | None = None,
) -> Response:
    there = document.counting
    return shown(
        request,
        session,
        "inputs.html",
        error=error,
        document=document,
        there=there,
        read=sum(one.state != "reading" for one in there),
        roles=ROLES,
        done=done,
        new=new,
    )


async def _one(
    request: Request, session: Session, document: DocumentView, one: InputView, error: Exception | None = None
) -> Response:
    changes = await session.client.stored(document.document_id, one.changes, InputChanges) or InputChanges()
    told = changes.changed[:MOST_SHOWN]
    pairs = tuple((part.before, part.after) for part in told)
    words = await session.client.compute(pairs_compared, pairs, document.language)
    return shown(
        request,
        session,
        "input.html",
        error=error,
        document=document,
        one=one,
        parts=list(zip(told, words, strict=True)),
        more=max(len(changes.changed) - MOST_SHOWN, 0) + changes.left_off,
    )


def found_input(document: DocumentView, input_id: str) -> InputView:
    """An input of a document by its id; raises `NotFound`."""
    if (found := document.input(input_id)) is None:
        raise NotFound(Problem.of("input_unknown", name=input_id))
    return found
