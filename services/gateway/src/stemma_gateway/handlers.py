"""The routes of the gateway. Each translates, calls the client of whoever asks, and answers."""

from __future__ import annotations

from fastapi import APIRouter

from . import agents, desk
from .resources import (
    commands,
    comments,
    decisions,
    documents,
    exports,
    provider,
    requests,
    sections,
    sign_in_links,
    signing_in,
    streams,
    uploads,
)


def routes() -> APIRouter:
    """All that can be asked for."""
    router = APIRouter()
    for resource in (documents, sections, comments, exports, commands, requests, uploads, streams, agents):
        router.include_router(resource.router)
    for pages in (signing_in, sign_in_links, provider, decisions):
        router.include_router(pages.router)
    router.include_router(desk.routes())
    return router
