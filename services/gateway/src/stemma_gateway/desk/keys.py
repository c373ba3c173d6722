"""The page that tells the keys."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute

from .shell import shown

KEYS = (
    (
        "everywhere",
        (
            ("?", "key_help"),
            ("i", "key_inbox"),
            ("c", "new_document"),
            ("j", "key_next"),
            ("k", "key_previous"),
            ("b", "page_before"),
            ("f", "page_after"),
            ("Ctrl Enter", "key_send"),
        ),
    ),
    ("document", (("u", "inputs"), ("q", "requirements"), ("h", "history"), ("x", "export"))),
    (
        "section",
        (
            ("u", "document"),
            ("a", "approve"),
            ("r", "revise"),
            ("e", "edit"),
            ("o", "instruct"),
            ("c", "comment"),
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


@router.get("/desk/keys")
async def show_keys(request: Request, session: Caller) -> Response:
    """Which key does what."""
    return shown(request, session, "keys.html", keys=KEYS)
