"""Stemma for agents: one MCP server over the client, whatever carries it."""

from __future__ import annotations

from .clients import ClientOf
from .server import build_server

__all__ = ["ClientOf", "build_server"]
