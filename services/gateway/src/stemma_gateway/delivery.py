"""From a request to what is answered: the answer itself if the caller waits for it, else where it will be."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Header
from pydantic import BaseModel, Field
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from stemma_client import AnswerTimeoutError
from stemma_contracts.v1.answers import Problem, RequestAccepted
from stemma_contracts.v1.requests import Request

from .problems import BadHeader
from .sessions import Session

_WAIT = re.compile(r'(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?', re.IGNORECASE)
KEY = r'^"?[A-Za-z0-9_-]{1,64}"?$'


@dataclass(frozen=True)
class Preferences:
    wait_s: float = 0
    key: str | None = None


def preferences(
    request: HttpRequest,
    prefer: Annotated[
        str | None,
        Header(description="`wait=N`: wait up to N seconds for the result (RFC 7240)", examples=["wait=10"]),
    ] = None,
    idempotency_key: Annotated[
        str | None,
        Header(description="the same as `request_id` of the body: the same one is done once", pattern=KEY),
    ] = None,
) -> Preferences:
    """The preferences of a request; one that cannot be read is none."""
    found = _WAIT.search(prefer or "")
    wait_s = min(float(found.group(1)), request.app.state.max_wait_s) if found else 0
    return Preferences(wait_s, idempotency_key.strip('"') if idempotency_key else None)


Preferred = Annotated[Preferences, Depends(preferences)]


@dataclass(frozen=True)
class Made:
    """What a request makes: where it is, and how to wait until it is whole."""

    located: Callable[[RequestAccepted], str]
    ready: Callable[[Session, RequestAccepted], Awaitable[object]] | None = None


class Stored(BaseModel):
    """A request that is stored, and what comes of it is not there yet: it will be at ``location``."""

    request_id: str
    location: str = Field(description="the same as the header Location")


def with_key(request: Request, preferences: Preferences) -> Request:
    if preferences.key is None or request.request_id == preferences.key:
        return request
    if request.request_id is not None:
        raise BadHeader(Problem.of("request_ids_differ"))
    return request.model_copy(update={"request_id": preferences.key})


async def delivered(
    http: HttpRequest, session: Session, request: Request, preferences: Preferences, made: Made | None = None
) -> Response:
    request, until = with_key(request, preferences), time.monotonic() + preferences.wait_s
    if not preferences.wait_s:
        return later(http, await session.client.send(request))
    try:
        answer = await session.client.request(request, wait_s=preferences.wait_s)
    except AnswerTimeoutError as error:
        if not error.stored:
            raise
        return later(http, error.request_id)
    headers = {"Preference-Applied": f"wait={preferences.wait_s:g}"}
    if made is None:
        return _json(answer, HTTPStatus.OK, headers)
    headers["Location"] = address(http, made.located(answer))
    if not await _ready(made, session, answer, until):
        return _json(Stored(request_id=answer.request_id, location=headers["Location"]), HTTPStatus.ACCEPTED, headers)
    return _json(answer, HTTPStatus.CREATED, headers)


async def _ready(made: Made, session: Session, answer: RequestAccepted, until: float) -> bool:
    if made.ready is None:
        return True
    try:
        async with asyncio.timeout(max(until - time.monotonic(), 0)):
            await made.ready(session, answer)
    except TimeoutError:
        return False
    return True


def later(http: HttpRequest, request_id: str) -> Response:
    location = address(http, f"/requests/{request_id}")
    return _json(Stored(request_id=request_id, location=location), HTTPStatus.ACCEPTED, {"Location": location})


def address(http: HttpRequest, path: str) -> str:
    return f"{http.scope.get('root_path', '')}{path}"


def _json(model: BaseModel, status: HTTPStatus, headers: dict[str, str]) -> Response:
    return Response(model.model_dump_json(), status, headers, media_type="application/json")
