"""The routes of the gateway. Each translates, calls the client of whoever asks, and answers."""

from __future__ import annotations

from collections import deque

from fastapi import APIRouter
from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute

from . import agents, desk, openapi
from .resources import (
    commands,
    decisions,
    documents,
    exports,
    sections,
    signing_in,
    streams,
    uploads,
)


def _routes() -> tuple[BaseRoute, ...]:
    router = APIRouter(generate_unique_id_function=openapi.name_of)
    of_documents = (documents.router, sections.router, exports.router, commands.router, commands.answers)
    for routes in (*of_documents, uploads.router, streams.router, agents.router, signing_in.router, decisions.router):
        router.include_router(routes)
    for page in desk.PAGES:
        router.include_router(page.router, include_in_schema=False)
    deque(iter_route_contexts(router.routes), maxlen=0)
    return tuple(router.routes)


ROUTES = _routes()
"""Made by the import, which copies of a process need not repeat."""
