"""The offline writer as an agent that works by tools."""
