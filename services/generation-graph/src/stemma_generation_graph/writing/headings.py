"""A text put under a heading of another one."""

from __future__ import annotations

from itertools import pairwise

from stemma_markdown import Block, Document, split

from .drafts import without_title

DEEPEST = 6


def body_under_heading(text: str, prefix: str = "") -> str:
    """A text without its title and with every heading one level down; code stays as it is.

    With a ``prefix`` its footnotes cannot be taken for those of another text.
    """
    body = without_title(text.replace("\r\n", "\n").lstrip()).lstrip("\n").rstrip()
    named = _with_footnotes_of(body, prefix) if prefix else body
    return "".join(map(_below, split(named)))


def _below(block: Block) -> str:
    """The text of a block, a heading one level down."""
    is_to_move = block.kind == "heading" and block.level < DEEPEST
    return block.as_heading(block.level + 1) if is_to_move else block.text


def _with_footnotes_of(text: str, prefix: str) -> str:
    places = sorted(mark.start for mark in Document(text).footnotes)
    return f"{prefix}-".join(text[start:end] for start, end in pairwise([0, *places, len(text)]))
