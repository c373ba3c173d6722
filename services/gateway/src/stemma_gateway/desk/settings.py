"""How a person has the desk shown: the colours, the language and the keys, in a cookie of the browser."""

from typing import get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from stemma_contracts.v1.answers import Problem

from stemma_gateway.authentication import Caller
from stemma_gateway.delivery import address
from stemma_gateway.pages import SETTINGS, PageRoute, Settings, led_to
from stemma_gateway.problems import Invalid

from .forms import fields_of
from .shell import shown

KEPT_FOR_S = 400 * 86_400
CHOICES = {name: get_args(field.annotation) for name, field in Settings.model_fields.items()}
router = APIRouter(route_class=PageRoute)


@router.get("/desk/settings")
async def show_settings(request: Request, session: Caller, done: bool = False) -> Response:
    role = session.client.role
    return shown(request, session, "settings.html", choices=CHOICES, done=done, tenant=session.tenant, role=role)


@router.post("/desk/settings")
async def keep_settings(request: Request, _: Caller) -> Response:
    try:
        chosen = Settings.model_validate(dict(await fields_of(request)))
    except ValidationError:
        raise Invalid(Problem.of("decision_unknown", "settings")) from None
    answer = led_to(request, "/desk/settings?done=true")
    cookie = urlencode(chosen.model_dump(exclude_defaults=True))
    is_secure = request.url.scheme == "https"
    path = address(request, "/")
    answer.set_cookie(SETTINGS, cookie, KEPT_FOR_S, path=path, secure=is_secure, httponly=True, samesite="lax")
    return answer
