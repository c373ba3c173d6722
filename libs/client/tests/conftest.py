"""The fixtures of callers."""

from __future__ import annotations

from stemma_testkit.backstage import (
    after,
    backstage,
    client,
    document_id,
    drafted,
    environment,
    open_backstage,
    own_server,
    requested,
    reviewable,
    server,
)

__all__ = [
    "after",
    "backstage",
    "client",
    "document_id",
    "drafted",
    "environment",
    "open_backstage",
    "own_server",
    "requested",
    "reviewable",
    "server",
]
