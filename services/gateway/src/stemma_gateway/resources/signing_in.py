"""Signing in and out with a browser, and who one is."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, model_validator
from starlette.responses import RedirectResponse
from stemma_client import InvalidLoginError, StemmaError
from stemma_client.bearer import bearer_of
from stemma_client.logins import login_of
from stemma_client.settings import DEFAULT_TENANT, ServerAddress
from stemma_contracts.tokens import InvalidToken
from stemma_contracts.v1.answers import Problem
from stemma_telemetry import get_logger

from stemma_gateway import pages, problems
from stemma_gateway.authentication import Caller, Shown, admitted, bearer_in, recognised
from stemma_gateway.bodies import media_type_of, whole_body
from stemma_gateway.cookies import SignedIn, check_change, check_origin, check_visit
from stemma_gateway.delivery import address
from stemma_gateway.limits import Owner
from stemma_gateway.openid import OpenId, Visit, claims_of, ends_at
from stemma_gateway.sessions import Session

router = APIRouter(tags=["sign-in"], route_class=pages.PageRoute)
BACK = "/sign-in/back"


@router.get("/sign-in/provider", status_code=303, response_class=Response)
async def visit_provider(
    request: Request, next: Annotated[str, Query(max_length=pages.MAX_PATH)] = pages.HOME
) -> Response:
    """Send a browser to the OpenID provider of this installation, from where it comes back signed in."""
    there, visit = await _openid(request).begin(pages.local(next), _back(request))
    request.app.state.bearer.cookies.put_aside(request, visit)
    return RedirectResponse(there, 303)


@router.get(BACK, status_code=303, response_class=Response)
async def come_back(request: Request) -> Response:
    """Where the provider sends a browser back to; each answer counts once, in the browser that asked."""
    openid, bearer = _openid(request), request.app.state.bearer
    visit = bearer.cookies.brought_back(request, Visit)
    if visit is None:
        raise problems.SignInFailed(Problem.of("provider_sign_in_unknown"))
    token = await openid.finish(visit, dict(request.query_params), _back(request))
    try:
        async with admitted(request, bearer.shown(token)):
            bearer.cookies.begun(request, token, ends_at(claims_of(token)))
    except problems.Unauthenticated as error:
        raise problems.SignInFailed(error.problem) from None
    return pages.led_to(request, visit.next)


def _openid(request: Request) -> OpenId:
    openid: OpenId | None = request.app.state.bearer.openid
    if openid is None:
        raise problems.NotFound(Problem.of("provider_not_configured"))
    return openid


def _back(request: Request) -> str:
    base = request.app.state.public_url or str(request.base_url)
    return base.rstrip("/") + BACK


LINKS = "/sign-in/links"


class Wanted(BaseModel):
    """Where a browser goes on to."""

    model_config = ConfigDict(extra="forbid")

    next: str = Field(pages.HOME, max_length=pages.MAX_PATH, description="a path of this gateway")


class Link(BaseModel):
    """A link that signs a browser in as whoever asked for it."""

    path: str = Field(description="of this gateway; good once, at the process that made it")
    good_for_s: float


@router.post(LINKS, status_code=201)
async def make_link(request: Request, session: Caller, wanted: Wanted) -> Link:
    """Make a link that signs one browser in, for whoever shows a token; a session in a cookie makes none."""
    links: Links = request.app.state.links
    code = links.make(session.owner, bearer_in(request), pages.local(wanted.next))
    return Link(path=address(request, f"{LINKS}/{code}"), good_for_s=GOOD_FOR_S)


@router.get(
    f"{LINKS}/{{code}}",
    response_class=Response,
    responses={
        200: {**pages.HTML, "description": "Never."},
        303: {"description": "The browser is signed in, and goes on."},
        401: {**pages.HTML, "description": "The form for signing in: the link is over, or its token is good no more."},
    },
)
async def follow_link(request: Request, code: str) -> Response:
    """Sign a browser in. A page of another site can lead nobody here: it could sign them in as somebody else."""
    check_visit(request)
    invitation = request.app.state.links.take(code)
    if invitation is None:
        return sign_in_form(request, pages.HOME, None, problems.Unauthenticated(Problem.of("sign_in_link_used")))
    credentials = Credentials(token=SecretStr(invitation.token))
    try:
        await begun(request, credentials)
    except (problems.Unauthenticated, problems.TooMany) as error:
        return sign_in_form(request, invitation.path, None, error)
    return pages.led_to(request, invitation.path)


JSON, FORM = "application/json", "application/x-www-form-urlencoded"
MAX_BYTES = 16 * 1024
ENDED_HERE_ONLY = "ended_here_only"
"""Of the page for sign-in: the session before it is known to be over at this gateway alone."""
Next = Annotated[str, Query(max_length=pages.MAX_PATH, description="the page to go on to: a path of this gateway")]


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


@router.get(pages.SIGN_IN, response_class=Response, responses={200: {**pages.HTML, "description": "The form."}})
async def show_sign_in(request: Request, next: Next = pages.HOME) -> Response:
    """The page on which a person signs in."""
    return sign_in_form(request, pages.local(next), ended_here_only=ENDED_HERE_ONLY in request.query_params)


@router.post(
    pages.SIGN_IN,
    response_model=WhoAmI,
    responses={303: {"description": "A browser goes on to `next`."}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {kind: {"schema": Credentials.model_json_schema()} for kind in (JSON, FORM)},
        }
    },
)
async def sign_in(request: Request, next: Next = pages.HOME) -> Any:
    """Begin a session: a cookie that stands for the token. Programs need none, they show the token itself."""
    check_origin(request)
    path, credentials = pages.local(next), await _credentials(request)
    try:
        who = await begun(request, credentials)
    except (problems.Unauthenticated, problems.TooMany) as error:
        if not pages.reads_pages(request):
            raise
        return sign_in_form(request, path, credentials, error)
    return pages.led_to(request, path) if pages.reads_pages(request) else who


@router.post("/sign-out", status_code=204, responses={303: {"description": "A browser goes on to the sign-in."}})
async def sign_out(request: Request) -> Response:
    """End the session of this browser."""
    check_origin(request)
    bearer = request.app.state.bearer
    try:
        signed_in = bearer.cookies.of(request)
    except problems.SessionEnded:
        signed_in = None
    others_know = True
    if signed_in:
        check_change(request, signed_in)
        others_know = await _tell_other_gateways(request, signed_in)
    bearer.cookies.ended(request, signed_in)
    if not pages.reads_pages(request):
        return Response(None, HTTPStatus.NO_CONTENT)
    return pages.led_to(request, pages.SIGN_IN if others_know else f"{pages.SIGN_IN}?{ENDED_HERE_ONLY}")


async def _tell_other_gateways(request: Request, signed_in: SignedIn) -> bool:
    """End a copy of the cookie at every process, also where whoever has it uses up the requests of its owner.

    Whether no process accepts it any more: none does for a person who is not admitted.
    """
    bearer = request.app.state.bearer
    try:
        async with recognised(request, bearer.shown(signed_in.token)) as session:
            await session.client.signed_out.add(signed_in.name, bearer.cookies.last_moment(signed_in))
    except problems.Unauthenticated:
        return True
    except (problems.HttpError, StemmaError) as error:
        get_logger().warning("sign_out_not_told", reason=str(error))
        return False
    return True


@router.get("/session")
async def show_session(request: Request, session: Caller) -> WhoAmI:
    """Who calls."""
    return _who(request, session, getattr(request.state, "signed_in", None))


@router.get(pages.ROOT, include_in_schema=False)
async def show_root(request: Request) -> Response:
    return pages.led_to(request, pages.HOME)


def sign_in_form(
    request: Request,
    path: str,
    credentials: Credentials | None = None,
    error: Exception | None = None,
    *,
    ended_here_only: bool = False,
) -> Response:
    plain = problems.response_of(error) if error else None
    status = HTTPStatus(plain.status_code) if plain else HTTPStatus.OK
    headers = {"Retry-After": plain.headers["Retry-After"]} if plain and "Retry-After" in plain.headers else {}
    shown = {
        "wrong": pages.reasons_shown(problems.problem_of(error), pages.language_of(request)) if error else "",
        "ended_here_only": ended_here_only,
        "user_name": credentials.user if credentials else "",
        "tenant": credentials.tenant if credentials else DEFAULT_TENANT,
    }
    openid = request.app.state.bearer.openid
    provider = openid.name if openid else ""
    return pages.page(request, "sign_in.html", status, headers, next=path, provider=provider, **shown)


async def _credentials(request: Request) -> Credentials:
    if (media_type := media_type_of(request)) not in (JSON, FORM):
        raise problems.UnsupportedMedia(Problem.of("media_type_unsupported", media_types=f"{JSON}, {FORM}"))
    body = await whole_body(request, MAX_BYTES)
    if media_type == JSON:
        return Credentials.model_validate_json(body)
    return Credentials.model_validate(dict(parse_qsl(body.decode("utf-8", "replace"))))


async def begun(request: Request, credentials: Credentials) -> WhoAmI:
    bearer = request.app.state.bearer
    token = credentials.token.get_secret_value() or _token_of(bearer.url, credentials)
    shown: Shown = bearer.shown(token)
    try:
        async with admitted(request, shown) as session:
            return _who(request, session, bearer.cookies.begun(request, token))
    except problems.Unauthenticated:
        raise problems.Unauthenticated(Problem.of("sign_in_wrong")) from None


def _token_of(url: str, credentials: Credentials) -> str:
    tenant, user = credentials.tenant, credentials.user
    try:
        login = login_of(url, tenant, user, credentials.password.get_secret_value())
    except (InvalidToken, InvalidLoginError):
        raise problems.Unauthenticated(Problem.of("sign_in_wrong")) from None
    return bearer_of(ServerAddress(url, tenant, user, login=login))


def _who(request: Request, session: Session, signed_in: SignedIn | None) -> WhoAmI:
    ends_at = request.app.state.bearer.cookies.ends_at(signed_in) if signed_in else None
    kind: Literal["person", "program"] = "person" if session.is_person else "program"
    csrf_token = signed_in.proof if signed_in else None
    return WhoAmI(tenant=session.tenant, user=session.user, kind=kind, ends_at=ends_at, csrf_token=csrf_token)


GOOD_FOR_S = 60.0
MOST, OF_ONE_CALLER = 1000, 10
"""Links that are kept; beyond it the oldest are forgotten."""


@dataclass(frozen=True)
class Invitation:
    """Who is signed in by a link, where the browser goes on to, and until when."""

    owner: Owner
    token: str = field(repr=False)
    path: str
    ends_at: float


class Links:
    """The links of one process that nobody has followed yet."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[str, Invitation] = {}

    def make(self, owner: Owner, token: str, path: str) -> str:
        self._forget(owner)
        code = secrets.token_urlsafe(32)
        self._open[code] = Invitation(owner, token, path, self._clock() + GOOD_FOR_S)
        return code

    def take(self, code: str) -> Invitation | None:
        invitation = self._open.pop(code, None)
        return invitation if invitation and invitation.ends_at > self._clock() else None

    def _forget(self, owner: Owner) -> None:
        """They are in the order of their ends: what is over is in front."""
        own = [code for code, invitation in self._open.items() if invitation.owner == owner]
        if len(own) >= OF_ONE_CALLER:
            del self._open[own[0]]
        for code in list(self._open):
            if len(self._open) < MOST and self._open[code].ends_at > self._clock():
                return
            del self._open[code]
