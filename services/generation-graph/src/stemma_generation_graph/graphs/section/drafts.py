"""The form of a draft: ``# title`` first, then text and ``##`` headings, one line end at the end."""

from __future__ import annotations

import re

_FENCED = re.compile(r"\A```(?:markdown|md)?\n(.*)\n```\Z", re.DOTALL)
_TITLE = re.compile(r"\A#[ \t]+[^\n]*\n*")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*)$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


def as_draft(title: str, text: str) -> str:
    """A section's text as a draft, whatever a model put around it."""
    body = text.replace("\r\n", "\n").replace("\t", "    ").strip()
    if fenced := _FENCED.match(body):
        body = fenced.group(1).strip()
    body = _TITLE.sub("", body)
    body = _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in body.split("\n")))
    return f"# {clean_heading(title)}\n\n{body}".strip() + "\n"


def clean_heading(text: str) -> str:
    """One line that can be a heading."""
    return " ".join(text.split()).lstrip("# ").rstrip(" .,;:!") or "Untitled"


def without_headings(text: str) -> str:
    """A piece of Markdown whose headings became bold paragraphs, because its place has a heading already."""
    return _HEADING.sub(lambda found: f"**{clean_heading(found.group(1))}**:", text).strip()
