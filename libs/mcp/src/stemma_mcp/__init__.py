"""Stemma for agents: one MCP server over the client, whatever carries it."""

from __future__ import annotations

from .clients import ClientOf
from .profiles import Profile
from .server import build_server, listed_tools

__all__ = ["ClientOf", "Profile", "build_server", "listed_tools"]
