"""What an upstream section comes to, in a few words: its telling terms, its dates, its total."""

from __future__ import annotations

import re

from .allocation import Entry
from .phrases import in_sentence
from .plain import heading_text, safe
from .request import Request, Upstream
from .words import content_stems, join_words

_HEADING = re.compile(r"^(#{2,4}) (.+)$", re.M)
_TOTAL = re.compile(r"^\|\s*Total\b[^|]*\|(.+)\|\s*$", re.M | re.I)
_AMOUNT = re.compile(r"\d[\d.,' ]*\d")
_CURRENCY = re.compile(r"\bAmount \(([A-Z]{3})\)|([$€£])\s?\d")
_DATE = re.compile(
    r"\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4}\b"
)
_GENERAL = frozenset(
    """findings open questions what we propose from need to solution the problem how we will work risks milestones costs
    next step assumptions what remains open what the client gains the case in brief""".split()
)


def telling_terms(upstream: Upstream, request: Request) -> list[str]:
    """Two headings of the section that say something, else two of its key terms."""
    headings = [heading_text(text) for _, text in _HEADING.findall(upstream.text)]
    special = [heading for heading in headings if not set(heading.lower().split()) <= _GENERAL]
    if len(special) < 2:
        return request.lexicon.in_sentence([upstream.text], 3)
    return [in_sentence(heading, request.lexicon) for heading in special[:2]]


def upstream_parts(upstream: Upstream) -> list[tuple[str, set[str]]]:
    """The headings of the section, each with the stems of what stands under it."""
    pieces = _HEADING.split(upstream.text)
    bodies = zip(pieces[2::3], pieces[3::3], strict=True)
    return [
        (heading_text(heading), set(content_stems(f"{heading} {body}"))) for heading, body in bodies if body.strip()
    ]


def recap(request: Request) -> tuple[str, list[str]] | None:
    """Heading and list of what several upstream sections come to; nothing for a single one."""
    if len(request.upstream) < 2:
        return None
    lines = [f"- {upstream.title}: {safe(_gist(upstream, request))}." for upstream in request.upstream]
    return "The case in brief", ["The sections before this one come to the following:", "\n".join(lines)]


def _gist(upstream: Upstream, request: Request) -> str:
    entry = next((entry for entry in request.outline if entry.id == upstream.id), Entry(upstream.id, upstream.title))
    if entry.nature == "budget" and (total := _total(upstream.text)):
        return f"a total of {total}, with {join_words(telling_terms(upstream, request))} in view"
    if entry.nature == "timeline" and (span := span_of_dates(upstream.text)):
        return f"the steps from {span[0]} to {span[1]}"
    return join_words(request.lexicon.in_sentence([upstream.text], 3)) or "the brief itself"


def span_of_dates(text: str) -> tuple[str, str] | None:
    """The first and the last date in the tables of a text, in the order in which they stand there."""
    rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    dates = _DATE.findall(rows)
    return (dates[0], dates[-1]) if len(dates) > 2 else None


def _total(text: str) -> str:
    row = _TOTAL.search(text)
    amount = _AMOUNT.findall(row.group(1))[-1:] if row else []
    currency = _CURRENCY.search(text)
    if not amount:
        return ""
    code, sign = currency.groups() if currency else (None, None)
    return f"{code} {amount[0]}" if code else f"{sign or ''}{amount[0]}"
