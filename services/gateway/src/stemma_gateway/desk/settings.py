"""How a person has the desk shown: the colours, the language and the keys, in a cookie of the browser."""

from typing import get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from stemma_contracts.v1.answers import Problem

from stemma_gateway.authentication import Caller
from stemma_gateway.delivery import address
from stemma_gateway.pages import SETTINGS, PageRoute, Settings, led_to, settings_of
from stemma_gateway.problems import Invalid

from .forms import fields_of
from .shell import shown

KEPT_FOR_S = 400 * 86_400
CHOICES = {name: values for name, field in Settings.model_fields.items() if (values := get_args(field.annotation))}
KEYS = (
    (
        "everywhere",
        (
            ("?", "key_help"),
            ("i", "key_inbox"),
            ("/", "search"),
            ("Ctrl K", "search"),
            ("c", "new_document"),
            (",", "settings"),
            ("j", "key_next"),
            ("k", "key_previous"),
            ("b", "page_before"),
            ("f", "page_after"),
            ("Ctrl Enter", "key_send"),
        ),
    ),
    (
        "document",
        (("u", "inputs"), ("q", "requirements"), ("M", "map"), ("h", "history"), ("X", "export")),
    ),
    (
        "section",
        (
            ("u", "document"),
            ("a", "approve"),
            ("x", "withdraw_approval"),
            ("r", "revise"),
            ("e", "edit"),
            ("o", "instruct"),
            ("c", "comment"),
            ("m", "suggest"),
            ("s", "assign_to_person"),
            ("d", "key_differences"),
            ("v", "viewed"),
            ("p", "keep"),
            ("g", "regenerate"),
            ("z", "restore"),
            ("y", "accept_edit"),
            ("n", "reject_edit"),
            ("w", "answer"),
            ("t", "retry"),
        ),
    ),
    (
        "requirements",
        (
            ("a", "confirm"),
            ("n", "drop"),
            ("x", "not_applicable"),
            ("v", "verify"),
            ("s", "assign"),
            ("m", "merge"),
            ("l", "ask_model"),
        ),
    ),
)
"""By where they are."""
router = APIRouter(route_class=PageRoute)


@router.get("/desk/settings")
async def show_settings(request: Request, session: Caller, done: bool = False) -> Response:
    role = session.client.role
    return shown(request, session, "settings.html", choices=CHOICES, done=done, tenant=session.tenant, role=role)


@router.post("/desk/settings")
async def keep_settings(request: Request, _: Caller) -> Response:
    try:
        chosen = Settings.model_validate({**dict(await fields_of(request)), "moved": settings_of(request).moved})
    except ValidationError:
        raise Invalid(Problem.of("decision_unknown", "settings")) from None
    return _kept(request, chosen, "/desk/settings?done=true")


@router.get("/desk/keys")
async def show_keys(request: Request, session: Caller) -> Response:
    does: dict[str, list[str]] = {}
    for _, pressed in KEYS:
        for key, name in pressed:
            does.setdefault(key, []).append(name)
    return shown(
        request, session, "keys.html", keys=KEYS, does={key: names for key, names in does.items() if len(key) == 1}
    )


@router.post("/desk/keys")
async def move_key(request: Request, _: Caller) -> Response:
    """Give a key to what another one does, which gets the first one for it; without either, all are as they were."""
    form = dict(await fields_of(request))
    try:
        now = settings_of(request)
        moved = now.with_key(form["does"], form["key"]) if "key" in form else now.model_copy(update={"moved": ""})
    except (ValidationError, ValueError, KeyError):
        raise Invalid(Problem.of("decision_unknown", "settings")) from None
    return _kept(request, moved, "/desk/keys")


def _kept(request: Request, chosen: Settings, path: str) -> Response:
    answer = led_to(request, path)
    cookie = urlencode(chosen.model_dump(exclude_defaults=True))
    is_secure = request.url.scheme == "https"
    root = address(request, "/")
    answer.set_cookie(SETTINGS, cookie, KEPT_FOR_S, path=root, secure=is_secure, httponly=True, samesite="lax")
    return answer
