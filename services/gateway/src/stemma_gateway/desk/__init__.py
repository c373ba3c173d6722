"""The review desk: pages for people with browsers, a module for each; they work without any script."""

from __future__ import annotations

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
    suggesting,
    viewing,
)

PAGES = (
    asking,
    assets,
    inbox,
    document,
    exports,
    history,
    section,
    suggesting,
    commenting,
    assigning,
    changing,
    editing,
    starting,
    following,
    viewing,
    inputs,
    drawn_pages,
    sources,
    requirements,
    deciding,
    keys,
)
"""The pages of the desk, what they load, and what their forms send: each has a router."""
