"""A text put under a heading of another one."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import groupby
from operator import itemgetter

from .fences import with_fences

_TITLE = re.compile(r"\A(?:\s*#[ \t]+[^\n]*(?:\n|\Z))?(?:[ \t]*\n)*")
_HEADING = re.compile(r"^(?=#{1,5}[ \t])", re.MULTILINE)
_DEFINITION = re.compile(r"^[ \t>]*\[\^([^\]\[\s]+)\]:", re.MULTILINE)
# What is escaped and what is a code span is passed over; the second group is the label of a footnote.
_FOOTNOTE = re.compile(r"\\.|(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\1(?!`)|\[\^([^\]\[\s]+)\]", re.DOTALL)


def body_under_heading(text: str, prefix: str = "") -> str:
    """A text without its title and with every heading one level down; code stays as it is.

    With a ``prefix`` its footnotes cannot be taken for those of another text.
    """
    lines = _TITLE.sub("", text.replace("\r\n", "\n")).rstrip().split("\n")
    runs = groupby(with_fences(lines), key=itemgetter(0))
    pieces = [(fenced, "\n".join(line for _, line in run)) for fenced, run in runs]
    defined = {label.casefold() for fenced, piece in pieces if not fenced for label in _DEFINITION.findall(piece)}
    return "\n".join(piece if fenced else _below(piece, prefix, defined) for fenced, piece in pieces)


def _below(text: str, prefix: str, defined: Collection[str]) -> str:
    def renamed(found: re.Match[str]) -> str:
        label = found.group(2)
        return f"[^{prefix}-{label}]" if label and label.casefold() in defined else found.group()

    deeper = _HEADING.sub("#", text)
    return _FOOTNOTE.sub(renamed, deeper) if prefix else deeper
