"""The review desk: pages for people with browsers, a module for each; they work without any script."""

from . import (
    asking,
    commenting,
    deciding,
    document,
    document_map,
    documents,
    editing,
    following,
    inbox,
    inputs,
    reading,
    requirements,
    searching,
    section,
    settings,
    shell,
    sources,
    starting,
)

PAGES = (
    asking,
    shell,
    settings,
    inbox,
    documents,
    searching,
    document,
    document_map,
    section,
    commenting,
    editing,
    following,
    starting,
    inputs,
    sources,
    reading,
    requirements,
    deciding,
)
"""The pages of the desk, what they load, and what their forms send: each has a router."""
