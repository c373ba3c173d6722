"""Which lines of a Markdown text are fenced code."""

from __future__ import annotations

from collections.abc import Iterator

from stemma_markdown import fences


def with_fences(text: str) -> Iterator[tuple[bool, str]]:
    """Every line, and whether it belongs to fenced code; a fence that nobody closes goes on to the end."""
    fenced = {number for fence in fences(text) for number in range(fence.line, fence.last_line + 1)}
    for number, line in enumerate(text.split("\n"), 1):
        yield number in fenced, line
