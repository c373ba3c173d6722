"""The form of a draft: ``# title`` first, then text and ``##`` headings, one line end at the end."""

from __future__ import annotations

import re

from stemma_generation_graph.graphs.fences import with_fences

_FENCED = re.compile(r"\A```(?:markdown|md)?\n(.*)\n```\Z", re.DOTALL)
_TITLE = re.compile(r"\A#[ \t]+[^\n]*\n*")
_HIGH_HEADING = re.compile(r"^ {0,3}#{1,2}[ \t]+(.*)$", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*)$", re.MULTILINE)


def as_draft(title: str, text: str) -> str:
    """A section's text as a draft, whatever a model put around it."""
    body = text.replace("\r\n", "\n").replace("\t", "    ").strip()
    if fenced := _FENCED.match(body):
        body = fenced.group(1).strip()
    return f"# {clean_heading(title)}\n\n{_tidied(_TITLE.sub('', body))}".strip() + "\n"


def _tidied(text: str) -> str:
    """Without spaces at line ends and with one blank line where there are more; fenced code stays as it is."""
    lines: list[str] = []
    for fenced, line in with_fences(text.split("\n")):
        kept = line if fenced else line.rstrip()
        if fenced or kept or (lines and lines[-1]):
            lines.append(kept)
    return "\n".join(lines)


def clean_heading(text: str) -> str:
    """One line that can be a heading."""
    return " ".join(text.split()).lstrip("# ").rstrip(" .,;:!") or "Untitled"


def with_sub_headings(text: str) -> str:
    """A piece of Markdown under a heading of the second level: its own headings of a lower level may stay."""
    return _HIGH_HEADING.sub(lambda found: f"**{clean_heading(found.group(1))}**:", text).strip()


def without_headings(text: str) -> str:
    """A piece of Markdown whose headings became bold paragraphs, because its place has a heading already."""
    return _HEADING.sub(lambda found: f"**{clean_heading(found.group(1))}**:", text).strip()
