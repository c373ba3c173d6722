"""The form of a draft: ``# title`` first, then text and ``##`` headings, one line end at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from stemma_markdown import Block, Document, fences, split, unwrapped


def with_fences(text: str) -> Iterator[tuple[bool, str]]:
    """Every line, and whether it belongs to fenced code; a fence that nobody closes goes on to the end."""
    fenced = {number for fence in fences(text) for number in range(fence.line, fence.last_line + 1)}
    for number, line in enumerate(text.split("\n"), 1):
        yield number in fenced, line


OPENS_WITH = ("#", "```")
"""What every prompt has an answer in words begin with: a heading, which some models put in a fence."""
_BEGINNING = re.compile(r"\s*(?:.+\n?)*")


def as_draft(title: str, text: str) -> str:
    """A section's text as a draft, whatever a model put around it."""
    body = text.replace("\r\n", "\n").replace("\t", "    ").strip()
    body = unwrapped(body, "markdown", "md").strip()
    return f"# {clean_heading(title)}\n\n{_tidied(without_title(body))}".strip() + "\n"


def without_title(text: str) -> str:
    """A text without the heading of the first level that it begins with."""
    # A heading ends before the first blank line behind it, so no more than that has to be parsed.
    beginning = _BEGINNING.match(text)
    first = next(iter(split(beginning[0])), None) if beginning else None
    is_title = first is not None and (first.kind, first.level) == ("heading", 1)
    return text[first.end :] if first is not None and is_title else text


def _tidied(text: str) -> str:
    """Without spaces at line ends and with one blank line where there are more; fenced code stays as it is."""
    lines: list[str] = []
    for fenced, line in with_fences(text):
        kept = line if fenced else line.rstrip()
        if fenced or kept or (lines and lines[-1]):
            lines.append(kept)
    return "\n".join(lines)


def clean_heading(text: str) -> str:
    """One line that can be a heading."""
    return " ".join(text.split()).lstrip("# ").rstrip(" .,;:!") or "Untitled"


def with_sub_headings(text: str) -> str:
    """A piece of Markdown under a heading of the second level: its own headings of a lower level may stay."""
    return _as_bold(text, range(1, 3))


def without_headings(text: str) -> str:
    """A piece of Markdown whose headings became bold paragraphs, because its place has a heading already."""
    return _as_bold(text, range(1, 7))


def _as_bold(text: str, levels: range) -> str:
    document = Document(text)
    words = {heading.line: heading.text for heading in document.headings if heading.level in levels}
    pieces = (
        f"**{clean_heading(words[block.line])}**:{block.gap}"
        if block.kind == "heading" and block.line in words
        else block.text
        for block in document.blocks
    )
    return "".join(pieces).strip()


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
