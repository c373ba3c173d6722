"""The review desk: pages for people with browsers, a module for each; they work without any script."""

from __future__ import annotations

from . import (
    asking,
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
    shell,
    sources,
    starting,
)

PAGES = (
    asking,
    shell,
    inbox,
    document,
    exports,
    history,
    section,
    commenting,
    editing,
    starting,
    following,
    inputs,
    drawn_pages,
    sources,
    requirements,
    deciding,
    keys,
)
"""The pages of the desk, what they load, and what their forms send: each has a router."""
