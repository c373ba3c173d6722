"""Signing in and out with a browser, and who one is."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, model_validator
from stemma_client import InvalidLoginError, StemmaError
from stemma_client.bearer import bearer_of
from stemma_client.logins import login_of
from stemma_client.settings import DEFAULT_TENANT, ServerAddress
from stemma_contracts.tokens import InvalidToken
from stemma_contracts.v1.answers import Problem
from stemma_telemetry import get_logger

from stemma_gateway.authentication import Caller, Shown, admitted, recognised
from stemma_gateway.cookies import SignedIn
from stemma_gateway.cross_site import check_change, check_origin
from stemma_gateway.incoming import media_type_of, whole_body
from stemma_gateway.languages import language_of
from stemma_gateway.pages import HOME, HTML, MAX_PATH, SIGN_IN, PageRoute, led_to, local, page, reads_pages
from stemma_gateway.problems import (
    HttpError,
    SessionEnded,
    TooMany,
    Unauthenticated,
    UnsupportedMedia,
    problem_of,
    response_of,
)
from stemma_gateway.refusals import reasons_shown
from stemma_gateway.sessions import Session

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
MAX_BYTES = 16 * 1024
ENDED_HERE_ONLY = "ended_here_only"
"""Of the page for sign-in: the session before it is known to be over at this gateway alone."""
Next = Annotated[str, Query(max_length=MAX_PATH, description="the page to go on to: a path of this gateway")]
router = APIRouter(tags=["sign-in"], route_class=PageRoute)


class Credentials(BaseModel):
    """A name with its password, or a token alone."""

    model_config = ConfigDict(extra="forbid")

    tenant: str = Field(DEFAULT_TENANT, max_length=64)
    user: str = Field("", max_length=64)
    password: SecretStr = Field(SecretStr(""), max_length=256, description="what `stemma user add` printed")
    token: SecretStr = Field(SecretStr(""), max_length=8192, description="instead: what `stemma token` prints")

    @model_validator(mode="after")
    def _of_one_kind(self) -> Credentials:
        if bool(self.token.get_secret_value()) == bool(self.user and self.password.get_secret_value()):
            raise ValueError("give user and password, or a token")
        return self


class WhoAmI(BaseModel):
    """Who a token or a session is of."""

    tenant: str
    user: str = Field(description="the name of a person, or the user of a program")
    kind: Literal["person", "program"]
    ends_at: AwareDatetime | None = Field(None, description="when the session ends unless it is used")
    csrf_token: str | None = Field(None, description="goes with each change as `X-CSRF-Token` where no Origin does")


@router.get(SIGN_IN, response_class=Response, responses={200: {**HTML, "description": "The form."}})
async def show_sign_in(request: Request, next: Next = HOME) -> Response:
    """The page on which a person signs in."""
    return sign_in_form(request, local(next), ended_here_only=ENDED_HERE_ONLY in request.query_params)


@router.post(
    SIGN_IN,
    response_model=WhoAmI,
    responses={303: {"description": "A browser goes on to `next`."}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {kind: {"schema": Credentials.model_json_schema()} for kind in (JSON, FORM)},
        }
    },
)
async def sign_in(request: Request, next: Next = HOME) -> Any:
    """Begin a session: a cookie that stands for the token. Programs need none, they show the token itself."""
    check_origin(request)
    path, credentials = local(next), await _credentials(request)
    try:
        who = await begun(request, credentials)
    except (Unauthenticated, TooMany) as error:
        if not reads_pages(request):
            raise
        return sign_in_form(request, path, credentials, error)
    return led_to(request, path) if reads_pages(request) else who


@router.post("/sign-out", status_code=204, responses={303: {"description": "A browser goes on to the sign-in."}})
async def sign_out(request: Request) -> Response:
    """End the session of this browser."""
    check_origin(request)
    bearer = request.app.state.bearer
    try:
        signed_in = bearer.cookies.of(request)
    except SessionEnded:
        signed_in = None
    others_know = True
    if signed_in:
        check_change(request, signed_in)
        others_know = await _tell_other_gateways(request, signed_in)
    bearer.cookies.ended(request, signed_in)
    if not reads_pages(request):
        return Response(None, HTTPStatus.NO_CONTENT)
    return led_to(request, SIGN_IN if others_know else f"{SIGN_IN}?{ENDED_HERE_ONLY}")


async def _tell_other_gateways(request: Request, signed_in: SignedIn) -> bool:
    """End a copy of the cookie at every process, also where whoever has it uses up the requests of its owner.

    Whether no process accepts it any more: none does for a person who is not admitted.
    """
    bearer = request.app.state.bearer
    try:
        async with recognised(request, bearer.shown(signed_in.token)) as session:
            await session.client.signed_out.add(signed_in.name, bearer.cookies.last_moment(signed_in))
    except Unauthenticated:
        return True
    except (HttpError, StemmaError) as error:
        get_logger().warning("sign_out_not_told", reason=str(error))
        return False
    return True


@router.get("/session")
async def show_session(request: Request, session: Caller) -> WhoAmI:
    """Who calls."""
    return _who(request, session, getattr(request.state, "signed_in", None))


@router.get(HOME, response_class=Response, responses={200: {**HTML, "description": "Who is signed in."}})
async def show_home(request: Request, session: Caller) -> Response:
    """The first page of a person who is signed in."""
    return page(request, "home.html", language=language_of(request), who=_who(request, session, None))


def sign_in_form(
    request: Request,
    path: str,
    credentials: Credentials | None = None,
    error: Exception | None = None,
    *,
    ended_here_only: bool = False,
) -> Response:
    """The page on which a person signs in, with what was wrong."""
    plain = response_of(error) if error else None
    status = HTTPStatus(plain.status_code) if plain else HTTPStatus.OK
    headers = {"Retry-After": plain.headers["Retry-After"]} if plain and "Retry-After" in plain.headers else {}
    language = language_of(request)
    shown = {
        "wrong": reasons_shown(problem_of(error), language) if error else "",
        "ended_here_only": ended_here_only,
        "user": credentials.user if credentials else "",
        "tenant": credentials.tenant if credentials else DEFAULT_TENANT,
    }
    openid = request.app.state.bearer.openid
    provider = openid.name if openid else ""
    return page(request, "sign_in.html", status, headers, language, next=path, provider=provider, **shown)


async def _credentials(request: Request) -> Credentials:
    if (media_type := media_type_of(request)) not in (JSON, FORM):
        raise UnsupportedMedia(Problem.of("media_type_unsupported", media_types=f"{JSON}, {FORM}"))
    body = await whole_body(request, MAX_BYTES)
    if media_type == JSON:
        return Credentials.model_validate_json(body)
    return Credentials.model_validate(dict(parse_qsl(body.decode("utf-8", "replace"))))


async def begun(request: Request, credentials: Credentials) -> WhoAmI:
    """Begin the session of a browser; raises `Unauthenticated` and `TooMany`."""
    bearer = request.app.state.bearer
    token = credentials.token.get_secret_value() or _token_of(bearer.url, credentials)
    shown: Shown = bearer.shown(token)
    try:
        async with admitted(request, shown) as session:
            return _who(request, session, bearer.cookies.begun(request, token))
    except Unauthenticated:
        raise Unauthenticated(Problem.of("sign_in_wrong")) from None


def _token_of(url: str, credentials: Credentials) -> str:
    """The token of a name and a password; raises `Unauthenticated` for what nobody has."""
    tenant, user = credentials.tenant, credentials.user
    try:
        login = login_of(url, tenant, user, credentials.password.get_secret_value())
    except (InvalidToken, InvalidLoginError):
        raise Unauthenticated(Problem.of("sign_in_wrong")) from None
    return bearer_of(ServerAddress(url, tenant, user, login=login))


def _who(request: Request, session: Session, signed_in: SignedIn | None) -> WhoAmI:
    who = WhoAmI(tenant=session.tenant, user=session.user, kind="person" if session.is_person else "program")
    if signed_in:
        ends_at = request.app.state.bearer.cookies.ends_at(signed_in)
        who = who.model_copy(update={"ends_at": ends_at, "csrf_token": signed_in.proof})
    return who
