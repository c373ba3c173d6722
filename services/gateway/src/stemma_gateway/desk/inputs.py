"""What a document is written from, its forms, and an amendment, which is shown before it counts."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request, Response
from stemma_client import DocumentView
from stemma_contracts.tokens import Token
from stemma_contracts.v1.answers import Problem, RequestAccepted
from stemma_contracts.v1.forms import FormFields
from stemma_contracts.v1.inputs import InputChanges
from stemma_contracts.v1.references import UploadRole
from stemma_contracts.v1.requests import (
    ApplyInput,
    ConfirmFormFields,
    ExportForm,
    InputDecision,
    MarkConfidential,
    SetInputRole,
    WithdrawInput,
)
from stemma_contracts.v1.section import SectionStatus
from stemma_contracts.v1.views import InputView, SectionView

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute, led_to
from stemma_gateway.problems import Invalid, NotFound
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of
from stemma_gateway.sessions import Session
from stemma_gateway.texts import pairs_compared

from .forms import REFUSED, Sent, ask, input_of, led_on, sent, whole_number
from .shell import shown, title_of

INPUTS = "/desk/documents/{document_id}/inputs"
MOST_SHOWN = 50
ROLES: tuple[UploadRole, ...] = ("request", "evidence", "past-text", "style", "form", "internal", "price")
InputId = Annotated[Token, Path()]
Done = Literal["apply", "withdraw", "role", "confidential", "unmark", "confirm"]
DECISIONS: Mapping[Done, type[InputDecision]] = {
    "apply": ApplyInput,
    "withdraw": WithdrawInput,
    "role": SetInputRole,
    "confidential": MarkConfidential,
    "unmark": MarkConfidential,
    "confirm": ConfirmFormFields,
}
ANSWERED = (SectionStatus.APPROVED, SectionStatus.EDITED)
router = APIRouter(route_class=PageRoute)


@router.get(INPUTS)
async def show_inputs(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    at_least: AtLeast = 0,
    done: Done | None = None,
) -> Response:
    document = await document_of(session, document_id, at_least)
    return await _list(request, session, document, done=done)


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
async def show_input(
    request: Request, session: Caller, document_id: DocumentId, input_id: InputId, at_least: AtLeast = 0
) -> Response:
    document = await document_of(session, document_id, at_least)
    return await _one(request, session, document, found_input(document, input_id))


@router.post(f"{INPUTS}/{{input_id}}/form")
async def export_form(request: Request, session: Caller, document_id: DocumentId, input_id: InputId) -> Response:
    """Have the approved answers of its section written into a form."""
    try:
        answer = await ask(session, ExportForm(document_id=document_id, input_id=input_id))
    except REFUSED as error:
        document = await document_of(session, document_id)
        return await _one(request, session, document, found_input(document, input_id), error)
    return led_on(request, f"{INPUTS.format(document_id=document_id)}/{input_id}", "form", answer.sequence, "#form")


@router.post(f"{INPUTS}/{{input_id}}/{{verb}}")
async def decide(request: Request, session: Caller, document_id: DocumentId, input_id: InputId, verb: Done) -> Response:
    """Have what is staged count, or drop it; without anything staged, withdraw the input. Or say what it is for."""
    async with sent(request) as form:
        version = whole_number(form.text("version"))
        more: dict[str, Any] = {name: words for name in ("role", "passage") if (words := form.text(name))}
        if verb == "confirm":
            more["dropped"] = [str(field) for field in form.form.getlist("dropped")]
    if version is None:
        raise Invalid(Problem.of("version_no_number", "version"))
    about: dict[str, Any] = {"document_id": document_id, "input_id": input_id, "version": version}
    if verb == "unmark":
        more["taken_back"] = True
    try:
        answer = await ask(session, DECISIONS[verb].model_validate(about | more))
    except REFUSED as error:
        document = await document_of(session, document_id)
        return await _one(request, session, document, found_input(document, input_id), error)
    if verb in ("apply", "role") and await _asks(session, document_id, input_id, answer):
        return led_to(request, f"/desk/documents/{document_id}/reading?at_least={answer.sequence or 0}")
    return led_on(request, INPUTS.format(document_id=document_id), verb, answer.sequence)


async def _asks(session: Session, document_id: str, input_id: str, answer: RequestAccepted) -> bool:
    """Whether an input is a request, whose demands are read by now."""
    one = (await document_of(session, document_id, answer.sequence or 0)).input(input_id)
    return one is not None and one.used_as == "request"


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
    error: Exception | None = None,
) -> Response:
    there = document.counting
    return shown(
        request,
        session,
        "inputs.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        there=there,
        read=sum(one.state != "reading" for one in there),
        roles=ROLES,
        done=done,
    )


async def _one(
    request: Request, session: Session, document: DocumentView, one: InputView, error: Exception | None = None
) -> Response:
    changes = await session.client.stored(document.document_id, one.changes, InputChanges) or InputChanges()
    told = changes.changed[:MOST_SHOWN]
    pairs = tuple((part.before, part.after) for part in told)
    words = await session.client.compute(pairs_compared, pairs, document.language)
    answers = _answers(document, one)
    found = one.form and await session.client.stored(document.document_id, one.form.fields, FormFields)
    marked = [await session.client.stored_text(document.document_id, passage) for passage in one.confidential]
    return shown(
        request,
        session,
        "input.html",
        error=error,
        document=document,
        title=await title_of(session.client, document),
        one=one,
        marked=[passage for passage in marked if passage],
        parts=list(zip(told, words, strict=True)),
        more=max(len(changes.changed) - MOST_SHOWN, 0) + changes.left_off,
        fields=found.fields if found else (),
        answers=answers,
        is_answered=answers is not None and answers.status in ANSWERED,
        exports=[each for each in document.form_exports.values() if each.input_id == one.input_id][::-1],
    )


def _answers(document: DocumentView, form: InputView) -> SectionView | None:
    """The section that answers the fields of a form."""
    sections = document.sections.values()
    return next((each for each in sections if each.form and each.form.input_id == form.input_id), None)


def found_input(document: DocumentView, input_id: str) -> InputView:
    if (found := document.input(input_id)) is None:
        raise NotFound(Problem.of("input_unknown", name=input_id))
    return found
