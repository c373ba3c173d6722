"""Which lines of a Markdown text are fenced code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_FENCE = re.compile(r"^ {0,3}(`{3,}(?!.*`)|~{3,})")


def with_fences(lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """Every line, and whether it belongs to fenced code; a fence that nobody closes goes on to the end."""
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        yield bool(fence or found), line
        if found and not fence:
            fence = found.group(1)
        elif found and found.group(1).startswith(fence) and not line[found.end() :].strip():
            fence = ""
