"""The review desk: pages for people with browsers, a module for each; they work without any script."""

from __future__ import annotations

from fastapi import APIRouter

from . import (
    asking,
    assets,
    assigning,
    changing,
    commenting,
    deciding,
    document,
    drawn_pages,
    editing,
    exports,
    following,
    history,
    inbox,
    inputs,
    keys,
    requirements,
    section,
    sources,
    starting,
)


def routes() -> APIRouter:
    """All pages of the desk, what they load, and what their forms send."""
    router = APIRouter(include_in_schema=False)
    for page in (
        asking,
        assets,
        inbox,
        document,
        exports,
        history,
        section,
        commenting,
        assigning,
        changing,
        editing,
        starting,
        following,
        inputs,
        drawn_pages,
        sources,
        requirements,
        deciding,
        keys,
    ):
        router.include_router(page.router)
    return router
