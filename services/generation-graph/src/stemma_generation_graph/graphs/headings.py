"""A text put under a heading of another one."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_TITLE = re.compile(r"\A\s*#[ \t]+[^\n]*\n*")
_HEADING = re.compile(r"^(?=#{1,5}[ \t])")
_FOOTNOTE = re.compile(r"\[\^(?=[^\]\s]+\])")


def body_under_heading(text: str, prefix: str = "") -> str:
    """A text without its title and with every heading one level down; code stays as it is.

    With a ``prefix`` its footnotes cannot be taken for those of another text.
    """
    lines, fence = [], ""
    for line in _TITLE.sub("", text).strip().split("\n"):
        found = _FENCE.match(line)
        if found and not fence:
            fence = found.group(1)
        elif found and found.group(1)[0] == fence[0] and len(found.group(1)) >= len(fence):
            fence = ""
        elif not fence:
            lines.append(_below(line, prefix))
            continue
        lines.append(line)
    return "\n".join(lines)


def _below(line: str, prefix: str) -> str:
    deeper = _HEADING.sub("#", line)
    return _FOOTNOTE.sub(f"[^{prefix}-", deeper) if prefix else deeper
