"""The routes of the gateway. Each translates, calls the client of whoever asks, and answers."""

from __future__ import annotations

from collections import deque

from fastapi import APIRouter
from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute

from . import agents, desk, openapi
from .resources import (
    commands,
    comments,
    decisions,
    documents,
    exports,
    provider,
    requests,
    requirements,
    sections,
    sign_in_links,
    signing_in,
    streams,
    uploads,
)


def _routes() -> tuple[BaseRoute, ...]:
    """All that can be asked for, with what FastAPI works out of signatures."""
    router = APIRouter(generate_unique_id_function=openapi.name_of)
    of_documents = (documents, requirements, sections, comments, exports)
    for resource in (*of_documents, commands, requests, uploads, streams, agents):
        router.include_router(resource.router)
    for pages in (signing_in, sign_in_links, provider, decisions):
        router.include_router(pages.router)
    for page in desk.PAGES:
        router.include_router(page.router, include_in_schema=False)
    deque(iter_route_contexts(router.routes), maxlen=0)
    return tuple(router.routes)


ROUTES = _routes()
"""Made by the import, which copies of a process need not repeat."""
