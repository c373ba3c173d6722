"""Signing in at the provider: there, and back with a token."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import RedirectResponse
from stemma_contracts.v1.answers import Problem

from stemma_gateway.authentication import admitted
from stemma_gateway.openid import OpenId, Visit, claims_of, ends_at
from stemma_gateway.pages import HOME, MAX_PATH, PageRoute, led_to, local
from stemma_gateway.problems import NotFound, SignInFailed, Unauthenticated

router = APIRouter(tags=["sign-in"], route_class=PageRoute)
BACK = "/sign-in/back"


@router.get("/sign-in/provider", status_code=303, response_class=Response)
async def visit_provider(request: Request, next: Annotated[str, Query(max_length=MAX_PATH)] = HOME) -> Response:
    """Send a browser to the OpenID provider of this installation, from where it comes back signed in."""
    there, visit = await _openid(request).begin(local(next), _back(request))
    request.app.state.bearer.cookies.put_aside(request, visit)
    return RedirectResponse(there, 303)


@router.get(BACK, status_code=303, response_class=Response)
async def come_back(request: Request) -> Response:
    """Where the provider sends a browser back to; each answer counts once, in the browser that asked."""
    openid, bearer = _openid(request), request.app.state.bearer
    visit = bearer.cookies.brought_back(request, Visit)
    if visit is None:
        raise SignInFailed(Problem.of("provider_sign_in_unknown"))
    token = await openid.finish(visit, dict(request.query_params), _back(request))
    try:
        async with admitted(request, bearer.shown(token)):
            bearer.cookies.begun(request, token, ends_at(claims_of(token)))
    except Unauthenticated as error:
        raise SignInFailed(error.problem) from None
    return led_to(request, visit.next)


def _openid(request: Request) -> OpenId:
    openid: OpenId | None = request.app.state.bearer.openid
    if openid is None:
        raise NotFound(Problem.of("provider_not_configured"))
    return openid


def _back(request: Request) -> str:
    base = request.app.state.public_url or str(request.base_url)
    return base.rstrip("/") + BACK
