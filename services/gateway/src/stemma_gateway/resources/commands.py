"""Everything that can be asked of a document: a command for each request of the contracts."""

import inspect
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from stemma_client import AnswerTimeoutError
from stemma_contracts.tokens import Token
from stemma_contracts.v1 import requests
from stemma_contracts.v1.answers import Problem, RequestAccepted

from stemma_gateway.authentication import Caller
from stemma_gateway.bodies import Body, body_of, commands, request_of
from stemma_gateway.delivery import Made, Preferences, Preferred, Stored, delivered
from stemma_gateway.problems import NotFound
from stemma_gateway.sessions import Session

from .addresses import DocumentId

Command = Callable[..., Coroutine[Any, Any, Response]]
_EXPORTS: dict[type[requests.Request], str] = {requests.ExportDocument: "exports", requests.ExportForm: "form-exports"}
router = APIRouter(tags=["commands"], prefix="/documents/{document_id}")


def _command(cls: type[requests.Request]) -> Command:
    async def ask(
        request: Request, session: Session, document_id: str, body: Body, preferences: Preferences
    ) -> Response:
        asked = request_of(cls, body, document_id=document_id)
        return await delivered(request, session, asked, preferences, _made(cls, document_id))

    ask.__annotations__ |= {
        "request": Request,
        "session": Caller,
        "document_id": DocumentId,
        "body": body_of(cls),
        "preferences": Preferred,
        "return": Response,
    }
    return ask


def _made(cls: type[requests.Request], document_id: str) -> Made | None:
    if cls not in _EXPORTS:
        return None
    is_form = cls is requests.ExportForm

    async def exported(session: Session, answer: RequestAccepted) -> object:
        wait = session.client.form_exported if is_form else session.client.exported
        return await wait(document_id, str(answer.export_id))

    return Made(lambda answer: f"/documents/{document_id}/{_EXPORTS[cls]}/{answer.export_id}", exported)


def _add(name: str, cls: type[requests.Request]) -> None:
    router.add_api_route(
        f"/{name}",
        _command(cls),
        methods=["POST"],
        operation_id=name.replace("-", "_"),
        summary=name.replace("-", " ").capitalize(),
        description=inspect.getdoc(cls),
        status_code=202,
        responses={
            202: {"model": Stored},
            201 if cls in _EXPORTS else 200: {
                "model": RequestAccepted,
                "description": "with `Prefer: wait`",
            },
        },
    )


for _name, _cls in commands():
    _add(_name, _cls)


AT_HAND_S = 0.5
answers = APIRouter(tags=["commands"])


@answers.get("/requests/{request_id}")
async def show_answer(session: Caller, request_id: Token, preferences: Preferred) -> RequestAccepted:
    """The answer to a request: accepted, or the problem of a rejected one. It is kept for seven days."""
    try:
        return await session.client.answer(request_id, wait_s=max(preferences.wait_s, AT_HAND_S))
    except AnswerTimeoutError:
        raise NotFound(Problem.of("answer_unknown"), AT_HAND_S) from None
