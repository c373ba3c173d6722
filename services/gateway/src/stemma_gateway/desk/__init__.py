"""The review desk: pages for people with browsers; they work without any script."""

from . import (
    deciding,
    document,
    documents,
    editing,
    following,
    inbox,
    inputs,
    library,
    requirements,
    returning,
    section,
    settings,
    shell,
    sources,
    starting,
)

PAGES = (
    shell,
    settings,
    inbox,
    documents,
    document,
    section,
    editing,
    following,
    starting,
    inputs,
    sources,
    requirements,
    library,
    returning,
    deciding,
)
"""The pages of the desk, what they load, and what their forms send: each has a router."""
