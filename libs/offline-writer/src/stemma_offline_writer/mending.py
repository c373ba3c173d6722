"""Putting one line right as a rule of a checker asks, where the checker does not do so itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from .markdown import in_words

_TARGET = r"\[([^\[\]]*+)\]\((?:[^()]++|\([^()]*+\))*+\)"
_IMAGE = re.compile(f"!{_TARGET}")
_LINK = re.compile(f"(?<!!){_TARGET}")
_REFERENCE = re.compile(r"!?\[([^\[\]\n]*)\]\[[^\[\]\n]*\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]+\]:?")
_REVERSED = re.compile(r"\(([^()\n]{1,500})\)\[([^\[\]\s]{1,2000})\]")
_NO_WORDS = re.compile(r"(?<!!)\[((?:click )?here|link|more|read more|this)\]\(<?([^()<>\s]+)>?\)", re.IGNORECASE)

_MENDS: Mapping[str, Callable[[str], str]] = {
    "MD011": lambda line: _REVERSED.sub(r"[\1](\2)", line),
    "MD014": lambda line: re.sub(r"^(\s*)\$ +", r"\1", line),
    "MD026": lambda line: line.rstrip(" .,;:!。，；：！"),
    "MD036": lambda line: re.sub(r"^(\s*)(\*{1,3}|_{1,3})(.+)\2\s*$", r"\1\3", line),
    "MD040": lambda line: f"{line.rstrip()}text",
    "MD045": lambda line: line.replace("![](", "![Image]("),
    "MD051": lambda line: _LINK.sub(r"\1", line),
    "MD052": lambda line: _REFERENCE.sub(r"\1", line),
    "MD059": lambda line: _NO_WORDS.sub(r"\1 (<\2>)", line),
    "STEMMA005": lambda line: _IMAGE.sub(r"\1", line),
    "STEMMA006": lambda line: _IMAGE.sub(r"\1", line),
    "STEMMA007": lambda line: _REFERENCE.sub(r"\1", line),
    "STEMMA008": lambda line: _FOOTNOTE.sub("", line),
    "STEMMA009": lambda line: _LINK.sub(r"\1", line),
    "STEMMA010": lambda line: _LINK.sub(r"\1", line),
    "STEMMA011": in_words,
}
_CELL_WALL = re.compile(r"(?<!\\)\|")
_WIDTH = "MD056"


def can_mend(rule: str) -> bool:
    """Whether something is known about a rule."""
    return rule in _MENDS or rule == _WIDTH


def mended(rules: Sequence[str], before: str, line: str) -> str:
    """The line as the rules want it; ``before`` is the line above it."""
    for rule in rules:
        line = _MENDS.get(rule, str)(line)
    return _as_wide_as(before, line) if _WIDTH in rules else line


def _as_wide_as(model: str, row: str) -> str:
    """A table row with as many cells as the row above; what is too much moves into the last one."""
    wanted, cells = len(_cells(model)), _cells(row)
    last = " ".join(filter(None, cells[wanted - 1 :]))
    kept = [*cells[: wanted - 1], last]
    return f"| {' | '.join([*kept, *[''] * (wanted - len(kept))])} |"


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|")
    return [cell.strip() for cell in _CELL_WALL.split(inner.removesuffix("|"))]
