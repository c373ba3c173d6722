"""Links by which who shows a token signs a browser in, as `stemma desk` does."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, SecretStr
from stemma_contracts.v1.answers import Problem

from stemma_gateway.authentication import Caller, bearer_in
from stemma_gateway.cross_site import check_visit
from stemma_gateway.delivery import address
from stemma_gateway.links import GOOD_FOR_S, Links
from stemma_gateway.pages import HOME, HTML, MAX_PATH, PageRoute, led_to, local
from stemma_gateway.problems import TooMany, Unauthenticated

from .signing_in import Credentials, begun, sign_in_form

LINKS = "/sign-in/links"
router = APIRouter(tags=["sign-in"], route_class=PageRoute)


class Wanted(BaseModel):
    """Where a browser goes on to."""

    model_config = ConfigDict(extra="forbid")

    next: str = Field(HOME, max_length=MAX_PATH, description="a path of this gateway")


class Link(BaseModel):
    """A link that signs a browser in as whoever asked for it."""

    path: str = Field(description="of this gateway; good once, at the process that made it")
    good_for_s: float


@router.post(LINKS, status_code=201)
async def make_link(request: Request, session: Caller, wanted: Wanted) -> Link:
    """Make a link that signs one browser in, for whoever shows a token; a session in a cookie makes none."""
    links: Links = request.app.state.links
    code = links.make(session.owner, bearer_in(request), local(wanted.next))
    return Link(path=address(request, f"{LINKS}/{code}"), good_for_s=GOOD_FOR_S)


@router.get(
    f"{LINKS}/{{code}}",
    response_class=Response,
    responses={
        200: {**HTML, "description": "Never."},
        303: {"description": "The browser is signed in, and goes on."},
        401: {**HTML, "description": "The form for signing in: the link is over, or its token is good no more."},
    },
)
async def follow_link(request: Request, code: str) -> Response:
    """Sign a browser in. A page of another site can lead nobody here: it could sign them in as somebody else."""
    check_visit(request)
    invitation = request.app.state.links.take(code)
    if invitation is None:
        return sign_in_form(request, HOME, None, Unauthenticated(Problem.of("sign_in_link_used")))
    credentials = Credentials(token=SecretStr(invitation.token))
    try:
        await begun(request, credentials)
    except (Unauthenticated, TooMany) as error:
        return sign_in_form(request, invitation.path, None, error)
    return led_to(request, invitation.path)
