"""Stemma for agents: one MCP server over the client, whatever carries it."""

from stemma_mcp.tools import Profile

from .clients import ClientOf
from .server import build_server, listed_tools
